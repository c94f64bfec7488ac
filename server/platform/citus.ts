import pg from 'pg';
import { ConfigError } from './config.ts';

/* What the coordinator of a Citus cluster needs besides its tables. On plain PostgreSQL nothing of this is done. */

/** Citus looks here for the passwords that the coordinator gives to workers. Plain PostgreSQL has no such table. */
const PASSWORDS = 'pg_dist_authinfo';

/** Every node. */
const ALL_NODES = 0;

interface Role {
  name: string;
  password: string;
}

/**
 * Tells the coordinator the password of the server's role, for workers that ask for one. Without it, every statement on a
 * site's tables fails there.
 * @param client of the role that owns the tables
 * @returns whether it is known now; a role that is no superuser needs the right to write it
 */
export async function letRoleReachWorkers(client: pg.Client, role: Role): Promise<boolean> {
  const { rows } = await client.query<{ is_writable: boolean | null }>(
    `select has_table_privilege(to_regclass($1), 'select, insert, update') as is_writable`,
    [PASSWORDS],
  );
  const isWritable = rows[0]?.is_writable ?? null;
  if (isWritable !== true) return isWritable === null;
  await client.query(
    `insert into ${PASSWORDS} (nodeid, rolename, authinfo) values ($1, $2, $3)
     on conflict (rolename, nodeid) do update set authinfo = excluded.authinfo`,
    [ALL_NODES, role.name, `password=${role.password}`],
  );
  return true;
}

/** The name or address is right, and nobody answers there now. What a worker refuses does not clear up without help. */
const DOWN_TEXT =
  /Connection refused|timed? ?out|No route to host|unreachable|closed the connection unexpectedly|starting up|shutting down|recovery mode|could not translate host name/i;

const OF_WORKER_TEXT = /connection to the remote node/;

/** A worker whose machine has vanished refuses nothing: Citus waits for `citus.node_connection_timeout`, and says this. */
const NO_ANSWER_TEXT = /could not establish any connections? to the node \S+ after \d+ ms/;

/** Did a statement fail because a worker is down? Then the sites on the others have all they need. */
export function isWorkerDown(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  return NO_ANSWER_TEXT.test(message) || (OF_WORKER_TEXT.test(message) && DOWN_TEXT.test(message));
}

/** Says it beside the log, which a start does not have yet. */
function warnOfWorkerDown({ message }: Error): void {
  process.emitWarning(
    `The Citus coordinator can't reach one of its workers: ${message.replaceAll(/\s+/g, ' ').replace(/[.?]$/, '')}. ` +
      'Calls of the sites on it get status 503 until it is back; all other sites work.',
  );
}

/** A table that lies on every worker. Who names no site sees none of its rows, which costs a look at an index. */
const ON_EVERY_WORKER = 'lists';

/**
 * Refuses to start with a worker that the server's role can't use: the sites on it would get nothing but errors, and the
 * cause would be only in PostgreSQL's log. Only the sites on a node that is down wait for it.
 * @param appUrl of the server's role
 * @param ownerRole whose right to write the password is missing; null: the coordinator knows it
 * @throws ConfigError if the right is missing; otherwise what Citus says
 */
export async function refuseUnusableWorkers(appUrl: string, ownerRole: string | null): Promise<void> {
  const client = new pg.Client({ connectionString: appUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ found: string | null }>('select to_regclass($1) as found', [
      PASSWORDS,
    ]);
    if ((rows[0]?.found ?? null) !== null) await client.query(`select count(*) from ${ON_EVERY_WORKER}`);
  } catch (error) {
    if (isWorkerDown(error)) return warnOfWorkerDown(error);
    if (ownerRole === null) throw error;
    throw new ConfigError(
      `DATABASE_URL: the Citus coordinator can't use a worker, because Sayso may not tell it the password: ${(error as Error).message}. ` +
        `As a superuser, run "grant select, insert, update on ${PASSWORDS} to ${ownerRole}" on the coordinator, and start Sayso again.`,
    );
  } finally {
    await client.end();
  }
}
