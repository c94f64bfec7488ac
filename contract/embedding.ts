import { z } from 'zod';

export const MAX_EMBED_ORIGINS = 20;

// What may stand in a Content-Security-Policy unquoted: nothing that could end or add to a directive.
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/;
const LOCAL_HOST = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * The origin that an owner means, as browsers write it: lower case, no default port, no slash at its end.
 * null: not one origin, or one that is not safe to name (http beyond this machine, a path, a wildcard).
 */
export function originOf(typed: string): string | null {
  if (!URL.canParse(typed)) return null;
  const { protocol, hostname, pathname, search, hash, username, password, origin } = new URL(typed);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOCAL_HOST.test(hostname));
  const isBare = pathname === '/' && `${search}${hash}${username}${password}` === '';
  return isSafe && isBare && HOST.test(hostname) && !/[?#]$/.test(typed) ? origin : null;
}

const embedOrigin = z
  .string()
  .trim()
  .max(255, { error: 'must be at most 255 characters long' })
  .refine((typed) => originOf(typed) !== null, {
    error:
      'must be an origin like https://www.example.com: https (http only for localhost), without a path or wildcard. List each host separately',
  })
  .overwrite((typed) => originOf(typed) ?? typed);

/** The sites that may show a page in a frame, each once. */
export const embedOrigins = z
  .array(embedOrigin)
  .max(MAX_EMBED_ORIGINS, { error: `must have at most ${MAX_EMBED_ORIGINS} origins` })
  .overwrite((origins) => [...new Set(origins)])
  .describe(
    'Origins (`https://www.example.com`) of the websites that may embed the page in a frame. Empty: none.',
  );
