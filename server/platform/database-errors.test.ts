import { expect, it } from 'vitest';
import { isDatabaseAway } from './database-errors.ts';

/* Citus gives most of these the code of an internal error. */

const told = (message: string) => Object.assign(new Error(message), { code: 'XX000' });

it('a worker of a cluster that dies during a transaction counts as an unavailable database', () => {
  for (const message of [
    'could not commit transaction for shard 102061 on at least one active node',
    'failure on connection marked as essential: 10.0.0.2:5432',
    'connection to the remote node sayso_app@10.0.0.2:5432 failed with the following error: Connection refused',
    'could not establish any connections to the node 10.0.0.2:5432 after 30000 ms',
    'server closed the connection unexpectedly',
    'postmaster was shut down, exiting',
    'connection not open',
  ])
    expect(isDatabaseAway(told(message)), message).toBe(true);
});

it('a statement that the database rejects does not count as an unavailable database', () => {
  for (const message of [
    'cache lookup failed for type 4711',
    'complex joins are only supported when all tables are co-located',
  ])
    expect(isDatabaseAway(told(message)), message).toBe(false);
});
