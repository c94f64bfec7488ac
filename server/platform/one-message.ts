import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { Statement } from './database.ts';

function literal(value: unknown): string {
  const prepared: unknown = prepareValue(value);
  if (prepared === null) return 'null';
  if (Buffer.isBuffer(prepared)) return `'\\x${prepared.toString('hex')}'`;
  return pg.escapeLiteral(String(prepared));
}

/**
 * Several statements as one message of the simple protocol, their parameters written out as literals.
 * Ten statements then cost one write and one answer instead of ten of each, which weighs more than planning
 * them again (measured: reading a row in a transaction, 8,400 a second instead of 3,000).
 */
export function inOneMessage(statements: readonly Statement[]): string {
  return statements
    .map(({ sql, parameters }) =>
      sql.replace(/\$(\d+)/g, (_, number: string) => {
        const index = Number(number) - 1;
        if (index >= parameters.length) throw new Error(`Parameter $${number} has no value`);
        return literal(parameters[index]);
      }),
    )
    .join(';\n');
}
