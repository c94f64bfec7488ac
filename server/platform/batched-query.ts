import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { Statement } from './database.ts';

const MAX_NAMED_STATEMENTS = 400;

/**
 * Names of statements by their text. Texts that vary without end (inserts of any number of rows) stay
 * unnamed once the names are used up.
 */
export function createNames(prefix: string): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_NAMED_STATEMENTS) return known;
    const name = `${prefix}${names.size}`;
    names.set(text, name);
    return name;
  };
}

function literal(value: unknown): string {
  const prepared = prepareValue(value);
  if (prepared === null) return 'null';
  if (Buffer.isBuffer(prepared)) return `'\\x${prepared.toString('hex')}'`;
  return pg.escapeLiteral(prepared);
}

function inlineParameters({ sql, parameters }: Statement): string {
  return sql.replace(/\$(\d+)/g, (_, number: string) => {
    const index = Number(number) - 1;
    if (index >= parameters.length) throw new Error(`Parameter $${number} has no value`);
    return literal(parameters[index]);
  });
}

/**
 * Citus sends the workers the text of the whole message that a SET LOCAL came in, with statements that only the
 * coordinator has prepared. So what opens a transaction travels ahead there, in messages of its own.
 */
function splitOpening(statements: readonly Statement[], texts: readonly string[]): string[] {
  const opening = statements.filter((statement) => statement.opens).length;
  const rest = texts.slice(opening);
  return [...texts.slice(0, opening), ...(rest.length === 0 ? [] : [rest.join(';\n')])];
}

/**
 * Sends several statements as one message of the simple protocol: ten statements cost one write and one answer
 * instead of ten of each. Each connection prepares a statement once and executes it by name from then on,
 * because a statement under row-level security takes longer to plan than to run.
 * @param opensApart whether what opens a transaction has to come first, and alone
 */
export function createSender(
  opensApart: () => boolean,
): (client: pg.ClientBase, statements: readonly Statement[]) => Promise<pg.QueryResult[]> {
  const nameOf = createNames('m');
  const preparedBy = new WeakMap<pg.ClientBase, Set<string>>();

  function preparedOf(client: pg.ClientBase): Set<string> {
    const known = preparedBy.get(client);
    if (known !== undefined) return known;
    const fresh = new Set<string>();
    preparedBy.set(client, fresh);
    return fresh;
  }

  return async (client, statements) => {
    const prepared = preparedOf(client);
    const texts = statements.map((statement) => {
      const { sql, parameters } = statement;
      const name = parameters.length === 0 ? undefined : nameOf(sql);
      if (name === undefined) return inlineParameters(statement);
      if (!prepared.has(name)) {
        // Ahead on the same wire. When it fails, so does what executes it, with the same cause.
        client.query(`prepare ${name} as ${sql}`).then(
          () => prepared.add(name),
          () => {},
        );
      }
      return `execute ${name}(${parameters.map(literal).join(', ')})`;
    });
    const messages = opensApart() ? splitOpening(statements, texts) : [texts.join(';\n')];
    // The simple protocol answers several statements with a list, and a single one with itself.
    const answers: unknown[] = await Promise.all(messages.map((message) => client.query(message)));
    return answers.flat() as pg.QueryResult[];
  };
}
