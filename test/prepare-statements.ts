import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { QUEUES } from '#server/queues.ts';
import { refusedStatements } from './harness/prepared-statements.ts';

/*
 * node test/prepare-statements.ts FOLDER
 *
 * Prepares each statement that a run of the tests with STATEMENTS_FOLDER=FOLDER sent, on the PostgreSQL of DATABASE_URL:
 * an older version refuses what only a newer one knows. `.ci/run` does this on the oldest one that is supported.
 */

const [folder = ''] = process.argv.slice(2);
const url = process.env['DATABASE_URL'] ?? '';
if (folder === '' || url === '') throw new Error('Give a folder, and DATABASE_URL in the environment.');

const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
const statements = new Set(lines.filter(Boolean).map((line) => JSON.parse(line) as string));
if (statements.size === 0)
  throw new Error(`${folder} has no statements: were the tests run with STATEMENTS_FOLDER?`);

const database = new URL(url);
database.pathname = `/statements_${randomBytes(4).toString('hex')}`;
const admin = new pg.Client({ connectionString: url });
await admin.connect();
await admin.query(`create database ${database.pathname.slice(1)}`);
await migrate(database.href, createKeyring([randomBytes(32).toString('base64url')]), QUEUES);
const { rows } = await admin.query<{ server_version: string }>('show server_version');
const refused = await refusedStatements(database.href, statements);
await admin.query(`drop database ${database.pathname.slice(1)} with (force)`);
await admin.end();

for (const { message, statement } of refused) console.error(`${message}\n  ${statement}\n`);
console.log(
  `${statements.size} statements on PostgreSQL ${rows[0]?.server_version}: ${refused.length} refused`,
);
process.exitCode = refused.length === 0 ? 0 : 1;
