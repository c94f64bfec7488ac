import pg from 'pg';

/** What PREPARE does not take; no version of PostgreSQL reads these another way. */
const UTILITY =
  /^\s*(begin|commit|rollback|savepoint|release|set|reset|show|listen|unlisten|notify|analyze|lock|do)\b/i;

export interface RefusedStatement {
  message: string;
  statement: string;
}

/**
 * Asks a migrated database to parse and analyze statements, without running them.
 * @returns those that it refuses, each with its reason
 */
export async function refusedStatements(
  url: string,
  statements: Iterable<string>,
): Promise<RefusedStatement[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const refused: RefusedStatement[] = [];
  for (const statement of statements) {
    if (UTILITY.test(statement)) continue;
    await client
      .query(`prepare tried as ${statement}`)
      .then(() => client.query('deallocate tried'))
      .catch((error: Error) => refused.push({ message: error.message, statement }));
  }
  await client.end();
  return refused;
}
