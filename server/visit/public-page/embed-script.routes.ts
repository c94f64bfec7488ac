import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMBED_SCRIPT_PATH } from '#contract/embed-messages.ts';
import type { Http } from '#server/platform/http/server.ts';

const FILE = join(import.meta.dirname, '../../../dist/embed/embed.js');

/**
 * The script that customers' own sites load beside an embedded page. Its URL is fixed, so browsers may cache it for
 * only an hour. It contains no personal data.
 */
export function embedScriptRoutes(http: Http): void {
  const script = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  http.get(EMBED_SCRIPT_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .header('cross-origin-resource-policy', 'cross-origin')
      .serializer(String)
      .send(script),
  );
}
