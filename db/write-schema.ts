import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '#server/platform/log.ts';
import { migrate } from '#server/platform/migrate.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { QUEUES } from '#server/queues.ts';
import { describeSchema } from './describe-schema.ts';

/* `npm run schema`: writes db/schema.sql, from a new database with all migrations. */

const dataDir = await mkdtemp(join(tmpdir(), 'sayso-schema-'));
const embedded = await startEmbeddedPostgres({ dataDir, log: createLog('silent') });
try {
  await migrate(embedded.url, createKeyring([randomBytes(32).toString('base64url')]), QUEUES);
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  const path = join(import.meta.dirname, 'schema.sql');
  await writeFile(path, await describeSchema(client));
  await client.end();
  console.log(`Wrote ${path}`);
} finally {
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
}
