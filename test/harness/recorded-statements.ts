import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { APPLICATION } from '#server/platform/pool.ts';
import { type Broken, type Catalog, createCitusRules, RULES } from './citus-rules.ts';

const recorded = new Map<string, Set<string>>();

/** Also in the types that `@types/pg` leaves out. */
type Connected = pg.Client & { connectionParameters?: { fallback_application_name?: string } };

// Only pools of the product's own code give this name: neither owners, nor the queue, nor tests that connect themselves.
const isProduct = (client: Connected) =>
  client.connectionParameters?.fallback_application_name === APPLICATION;

const send = pg.Client.prototype.query as (this: Connected, ...rest: unknown[]) => unknown;
pg.Client.prototype.query = function record(this: Connected, ...rest: unknown[]) {
  if (isProduct(this)) recorded.get(this.database ?? '')?.add(textOf(rest[0]));
  return send.apply(this, rest);
} as typeof pg.Client.prototype.query;

function textOf(asked: unknown): string {
  if (typeof asked === 'string') return asked;
  const { text } = asked as { text?: unknown };
  return typeof text === 'string' ? text : '';
}

/** From now on, keeps what the product sends to a database. */
export function recordStatements(database: string): void {
  recorded.set(database, new Set());
}

/** What the product has sent to it so far, each once and without its values. */
export function messagesTo(database: string): string[] {
  return [...(recorded.get(database) ?? [])];
}

/** Of this process: files share its modules, and send much the same. */
const known = new Map<string, Broken[]>();

/**
 * Ends the recording.
 * @throws when something that was sent would not work on Citus
 */
export function refuseBrokenRules(database: string, catalog: Catalog): void {
  const messages = messagesTo(database);
  recorded.delete(database);
  hand(messages.filter((message) => !known.has(message)));
  const check = createCitusRules(catalog);
  const complaints = messages.flatMap((message) => {
    const broken = known.get(message) ?? check(message);
    known.set(message, broken);
    return broken.map((one) => complaintOf(one, message));
  });
  if (complaints.length > 0) {
    throw new Error(
      `Sayso also has to run on Citus (decision 037), where these statements do not:\n\n${complaints.join('\n\n')}`,
    );
  }
}

/** To `test/prepare-statements.ts`, where the environment asks for it: a file of each process, a message a line. */
function hand(messages: readonly string[]): void {
  const folder = process.env['STATEMENTS_FOLDER'];
  if (folder === undefined || messages.length === 0) return;
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
  appendFileSync(join(folder, `${process.pid}.jsonl`), lines.join(''));
}

function complaintOf({ rule, about }: Broken, message: string): string {
  return `${rule} (${about}): it ${RULES[rule]}.\n  ${message}`;
}
