import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { newId } from '#server/platform/ids.ts';
import { migrate } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';

/* The version before this one, with people who were there twice; then this version, as a role that is no superuser. */

const NAME = `sayso_migration_${randomBytes(4).toString('hex')}`;
let admin: pg.Client;
let owner: pg.Pool;

beforeAll(async () => {
  admin = new pg.Client({ connectionString: inject('ownerUrl') });
  await admin.connect();
  await admin.query(`create database ${NAME} template ${inject('templateName')}`);
  const url = new URL(inject('ownerUrl'));
  url.pathname = `/${NAME}`;
  owner = new pg.Pool({ connectionString: url.href, max: 2 });
  // Its database is dropped while the last connections are still closing.
  owner.on('error', () => {});
});

afterAll(async () => {
  await owner.end();
  await admin.query(`drop database ${NAME} with (force)`);
  await admin.end();
});
