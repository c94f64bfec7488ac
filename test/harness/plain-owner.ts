import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface OwnedDatabase {
  /** Of a role that owns the database, may create roles, and is no superuser. */
  url: string;
  drop(): Promise<void>;
}

/**
 * An empty database as the docs ask for it: its owner is no superuser, so that row-level security is forced on them.
 * @param superuserUrl of any PostgreSQL
 */
export async function createOwnedDatabase(superuserUrl: string): Promise<OwnedDatabase> {
  const name = `sayso_owned_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: superuserUrl });
  await admin.connect();
  await admin.query(`create role ${name} login createrole nosuperuser nobypassrls password '${name}'`);
  await admin.query(`create database ${name} owner ${name}`);
  const url = new URL(superuserUrl);
  url.username = name;
  url.password = name;
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.query(`drop role if exists ${name}`).catch(() => {});
      await admin.end();
    },
  };
}
