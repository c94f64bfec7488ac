import pg from 'pg';
import { APPLICATION } from '#server/platform/pool.ts';
import { type Broken, type Catalog, createCitusRules, RULES } from './citus-rules.ts';

interface Recorded {
  messages: Set<string>;
  /** Whether the product takes the database for a coordinator of Citus. */
  isCitus: boolean;
}

const recorded = new Map<string, Recorded>();

/** Also in the types that `@types/pg` leaves out. */
type Connected = pg.Client & { connectionParameters?: { fallback_application_name?: string } };

// Only pools of the product's own code give this name: neither owners, nor the queue, nor tests that connect themselves.
const isProduct = (client: Connected) =>
  client.connectionParameters?.fallback_application_name === APPLICATION;

// What is sent, rather than what is asked for: several statements may share a message.
const send = pg.Client.prototype.query as (this: Connected, ...rest: unknown[]) => unknown;
pg.Client.prototype.query = function record(this: Connected, ...rest: unknown[]) {
  if (isProduct(this)) recorded.get(this.database ?? '')?.messages.add(withoutValues(textOf(rest[0])));
  return send.apply(this, rest);
} as typeof pg.Client.prototype.query;

function textOf(asked: unknown): string {
  if (typeof asked === 'string') return asked;
  const { text } = asked as { text?: unknown };
  return typeof text === 'string' ? text : '';
}

/** Of the simple protocol: several statements, or one that was prepared before. */
const HAS_VALUES = /;\n|^execute /;

const WRITTEN_OUT = /E'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'/gs;

/** Without the values that are written out in them, few messages are different. */
function withoutValues(message: string): string {
  return HAS_VALUES.test(message) ? message.replace(WRITTEN_OUT, `''`) : message;
}

/** From now on, keeps what the product sends to a database. */
export function recordStatements(database: string, isCitus: boolean): void {
  recorded.set(database, { messages: new Set(), isCitus });
}

/** What the product has sent to it so far, each once and without most values. */
export function messagesTo(database: string): string[] {
  return [...(recorded.get(database)?.messages ?? [])];
}

/** Of this process: files share its modules, and send much the same. */
const known = new Map<string, Broken[]>();

/**
 * Ends the recording.
 * @throws when something that was sent would not work on Citus
 */
export function refuseBrokenRules(database: string, catalog: Catalog): void {
  const { messages, isCitus } = recorded.get(database) ?? { messages: [], isCitus: false };
  recorded.delete(database);
  const check = createCitusRules(catalog);
  const complaints = [...messages].flatMap((message) => {
    const key = `${isCitus} ${message}`;
    const broken = known.get(key) ?? check(message, isCitus);
    known.set(key, broken);
    return broken.map((one) => complaintOf(one, message));
  });
  if (complaints.length > 0) {
    throw new Error(
      `Sayso also has to run on Citus (decision 037), where these statements do not:\n\n${complaints.join('\n\n')}`,
    );
  }
}

function complaintOf({ rule, about }: Broken, message: string): string {
  return `${rule} (${about}): it ${RULES[rule]}.\n  ${message}`;
}
