import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { deleteAccount } from '#contract/account-data.ts';
import { signUp } from '#contract/accounts.ts';
import { deleteCustomer } from '#contract/customers.ts';
import { exportCustomerProof } from '#contract/proof.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { signHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { openErasures, writeErasures } from '#server/backup/erasure-file.ts';
import { checkBackup } from '#server/backup/read-file.ts';
import { type CheckedBackup, openBackup, restoreBackup } from '#server/backup/restore-backup.ts';
import { takeBackup } from '#server/backup/take-backup.ts';
import { Refusal } from '#server/command.ts';
import { customerPack } from '#server/insight/proof/proof.ts';
import { readConfig } from '#server/platform/config.ts';
import { openDatabase } from '#server/platform/database.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate, urlOfApp } from '#server/platform/migrate.ts';
import { createKeyring, type Keyring } from '#server/platform/secrets.ts';
import { QUEUES } from '#server/queues.ts';
import { withServices } from '#server/restored.ts';
import { verifyAll } from '#server/verify-all.ts';
import { reapplyErasures } from '#server/visit/erasures/reapply-erasures.ts';
import { runProgram } from '#test/harness/commands.ts';
import { createOwnedDatabase, type OwnedDatabase } from '#test/harness/plain-owner.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildWebhook,
  buildWorld,
  openAsProven,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';
import { verifyPack } from '../../packages/verify/verify.mjs';

const OTHER_KEY = 'another key which has more than thirty-two characters';

let product: TestProduct;
let world: World;
let folder: string;
let keyring: Keyring;
let file: string;
/** What `file` was restored into, by a plain owner. */
let copy: string;
const owned: OwnedDatabase[] = [];
const said: string[] = [];
const say = (line: string) => void said.push(line);

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  await buildWebhook(product, world, { url: 'https://shop.example/hook' });
  folder = mkdtempSync(join(tmpdir(), 'sayso-backup-'));
  keyring = createKeyring([inject('secretKey')]);
  for (let index = 0; index < 3; index += 1) await leaveWeekly();
  await signHeads(product.services, world.site.id, { settlesAfterMs: 0 });
  file = await backUp();
  copy = await restore(file);
});

afterAll(async () => {
  await product.stop();
  for (const database of owned) await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** A choice, with its evidence and a delivery that waits. */
async function leaveWeekly(email?: string): Promise<{ id: string; email: string }> {
  const customer = await buildCustomer(product, world, email);
  const customerId = await openAsProven(product, world, customer);
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await product.call(saveLists, { params: { customerId }, body }, world.visitor);
  return customer;
}

let made = 0;
const newPath = () => join(folder, `backup-${(made += 1)}.sayso`);

async function backUp(options: { url?: string; perSite?: boolean } = {}): Promise<string> {
  const path = newPath();
  await takeBackup(path, { url: product.testDatabase.ownerUrl, keyring, say, ...options });
  return path;
}

async function emptyDatabase(): Promise<string> {
  const database = await createOwnedDatabase(inject('ownerUrl'));
  owned.push(database);
  return database.url;
}

async function restore(path: string): Promise<string> {
  const url = await emptyDatabase();
  await restoreBackup(await open(path), { url, keyring, say });
  return url;
}

const open = (path: string): Promise<CheckedBackup> => openBackup(path, { keyring, say });

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function expectEvidence(url: string): Promise<void> {
  const database = openDatabase(urlOfApp(url, keyring), { log: createLog('silent'), maxConnections: 2 });
  try {
    expect(await verifyAll(database, keyring, say)).toBe(true);
  } finally {
    await database.close();
  }
}

async function tablesIn(url: string): Promise<number> {
  const rows = await query(url, `select 1 from pg_class where relnamespace = 'public'::regnamespace`);
  return rows.length;
}

/** The decompressed text with a change, compressed again. */
function rewritten(change: (text: string) => string): string {
  const path = newPath();
  writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(file)).toString('utf8'))));
  return path;
}

describe('a backup', () => {
  it('restored as a plain owner, and backed up by them again, has every row as it was', async () => {
    const again = await checkBackup(await backUp({ url: copy }));
    const before = await checkBackup(file);
    const { 'queue.job': jobs, ...others } = Object.fromEntries(before.tables);
    expect(Object.fromEntries(again.tables)).toMatchObject(others);
    expect(again.tables.get('queue.job')?.rows).toBe(jobs?.rows);
    expect(others['public.customers']?.rows).toBe(3);
    await expectEvidence(copy);
  });

  it('after a restore proves what was proved before, with the same signed heads and the same key', async () => {
    const config = readConfig({ NODE_ENV: 'test', SECRET_KEY: inject('secretKey'), DATA_DIR: folder });
    const [customer] = await query<{ id: string }>(copy, 'select id from customers order by id limit 1');
    const { params, owner } = world;
    const before = await product.call(
      exportCustomerProof,
      { params: { ...params, id: customer?.id ?? '' } },
      owner,
    );
    const after = await withServices(config, copy, async (services) => {
      const { content } = await customerPack(services, params.site_id, customer?.id ?? '');
      let text = '';
      for await (const chunk of content) text += String(chunk);
      return text;
    });
    for (const pack of [before, after]) {
      const verdict = await verifyPack([Buffer.from(pack)]);
      expect(verdict).toMatchObject({ problems: [], records: 2, heads: 1 });
    }
    const headsOf = (pack: string) => pack.split('\n').filter((line) => line.includes('"kind":"head"'));
    const statement = (line = '') => (JSON.parse(line.slice(0, -1)) as { part: object }).part;
    expect(headsOf(after).map(statement)).toEqual(headsOf(before).map(statement));
  });

  it('keeps row-level security forced, and the server sees one site at a time', async () => {
    const rows = await query(
      copy,
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity and not relforcerowsecurity`,
    );
    expect(rows).toEqual([]);
    expect(await query(urlOfApp(copy, keyring), 'select 1 from customers')).toEqual([]);
  });

  it('captures one moment while people choose', async () => {
    let isOver = false;
    const saving = (async () => {
      while (!isOver) await leaveWeekly();
    })();
    const path = await backUp();
    isOver = true;
    await saving;
    const url = await restore(path);
    const [counts] = await query<{ unmarked: number; choices: number; sequences: number }>(
      url,
      `select (select count(*)::int from deliveries where next_attempt_at is not null
           and site_id not in (select site_id from sites_with_work)) as unmarked,
         (select count(*)::int from choices) as choices, (select sum(sequence)::int from customers) as sequences`,
    );
    expect(counts?.unmarked).toBe(0);
    expect(counts?.sequences).toBe(counts?.choices);
  });

  it('made site by site, as on Citus, has the same rows', async () => {
    const [whole, bySite] = [await backUp(), await backUp({ perSite: true })];
    expect((await checkBackup(bySite)).tables).toEqual((await checkBackup(whole)).tables);
  });

  it('is refused to a role from which row-level security would hide rows', async () => {
    await query(copy, 'drop policy customers_owner on customers');
    const path = newPath();
    await expect(takeBackup(path, { url: copy, keyring, say })).rejects.toThrow(
      /can't read the rows of 1 table \(customers/,
    );
    expect(readdirSync(folder).filter((name) => path.endsWith(name))).toEqual([]);
    await query(
      copy,
      'create policy customers_owner on customers to current_user using (true) with check (true)',
    );
  });

  it('leaves out tables of another program beside those of Sayso, and says so', async () => {
    const { owner } = product.testDatabase;
    await owner.query('create table orders as select 1 as id');
    const path = await backUp();
    await owner.query('drop table orders');
    const url = await restore(path);
    expect(said).toContain("public.orders: left out, because it isn't a Sayso table");
    expect(await query(url, 'select 1 from customers')).not.toEqual([]);
  });

  it('does not replace an existing file', async () => {
    await expect(takeBackup(file, { url: product.testDatabase.ownerUrl, keyring, say })).rejects.toThrow(
      'this file already exists',
    );
  });

  it(
    'that finds the disk full says so, ends with 1, and leaves nothing behind',
    { timeout: 120_000 },
    async () => {
      const path = newPath();
      const env = { DATABASE_URL: product.testDatabase.ownerUrl, SECRET_KEY: inject('secretKey') };
      const { code, output } = await runProgram(['server/backup.ts', path], env, { limitKb: 1 });
      expect(output).toContain(`${path}: this disk doesn't have enough space`);
      expect(code).toBe(1);
      expect(readdirSync(folder).filter((name) => path.includes(name) || name.endsWith('.part'))).toEqual([]);
    },
  );
});

describe('a restore refuses, and changes nothing, for', () => {
  async function refused(path: string, sentence: string | RegExp): Promise<void> {
    const refusal = await open(path).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(Refusal);
    expect(String(refusal)).toMatch(sentence);
  }

  it('a file that is cut short, wherever', async () => {
    const size = readFileSync(file).length;
    for (const length of [0, 5, 200, Math.floor(size / 2), size - 20, size - 1]) {
      const path = newPath();
      writeFileSync(path, readFileSync(file));
      truncateSync(path, length);
      await refused(path, /incomplete|isn't a Sayso backup/);
    }
    await refused(
      rewritten((text) => text.slice(0, text.lastIndexOf('{"end"'))),
      'incomplete',
    );
  });

  it('a file in which one byte was changed, wherever', async () => {
    const bytes = readFileSync(file);
    for (const at of [20, 100, Math.floor(bytes.length / 3), bytes.length - 4]) {
      const path = newPath();
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      await refused(path, /damaged|incomplete|isn't a Sayso backup/);
    }
    // Compressed again, so that gzip finds nothing wrong.
    await refused(
      rewritten((text) => text.replace('@example.com', '@evil.example')),
      'changed or damaged after it was written',
    );
  });

  it('a file of another format, of a newer version, and a missing one', async () => {
    const text = newPath();
    writeFileSync(text, 'hello');
    await refused(text, /damaged or isn't a Sayso backup/);
    await refused(join(folder, 'nowhere'), "this file doesn't exist");
    await refused(
      rewritten((all) => all.replace('"version":2', '"version":9')),
      /uses version 9 of the format .* Restore it with Sayso/,
    );
    // Of a version before 0.2.0, whose tables have other names.
    await refused(
      rewritten((all) => all.replace('"version":2', '"version":1')),
      /uses version 1 of the format .* Restore it with Sayso/,
    );
    await refused(
      rewritten((all) => all.replace(/"schema":"[^"]+"/, '"schema":"9999-later"')),
      /changed or damaged/,
    );
  });

  it('another key', async () => {
    const other = createKeyring([OTHER_KEY]);
    await expect(openBackup(file, { keyring: other, say })).rejects.toThrow(
      /^SECRET_KEY: .* was taken with another key/,
    );
    const rotated = createKeyring([OTHER_KEY, inject('secretKey')]);
    expect((await openBackup(file, { keyring: rotated, say })).header.snapshot).toBe('one');
  });

  it('a database that is not empty, one that Sayso is running on, and one of another program', async () => {
    const backup = await open(file);
    await expect(restoreBackup(backup, { url: copy, keyring, say })).rejects.toThrow(
      /^The database isn't empty: \d+ tables have rows/,
    );
    await expect(restoreBackup(backup, { url: product.testDatabase.ownerUrl, keyring, say })).rejects.toThrow(
      'Sayso is running on this database',
    );
    const strange = await emptyDatabase();
    await query(strange, 'create table orders (id int)');
    await expect(restoreBackup(backup, { url: strange, keyring, say })).rejects.toThrow(
      "it has another program's tables",
    );
    expect(await tablesIn(strange)).toBe(1);
  });

  it('a file that fails halfway: nothing of it stays, and a second attempt works', async () => {
    const url = await emptyDatabase();
    const backup = await open(file);
    // The file is exchanged between its two readings.
    const replaced = rewritten((text) => text.replace('@example.com', '@evil.example'));
    await expect(restoreBackup({ ...backup, path: replaced }, { url, keyring, say })).rejects.toThrow(
      Refusal,
    );
    expect(await query(url, 'select 1 from users')).toEqual([]);
    const unforced = `select 1 from pg_class where relrowsecurity and not relforcerowsecurity`;
    expect(await query(url, unforced)).toEqual([]);
    await restoreBackup(backup, { url, keyring, say });
    expect(await query(url, 'select 1 from customers')).toHaveLength(3);
  });
});

describe('erasures since the backup', () => {
  it('are applied again: customers, who had left everything, accounts and their organizations', async () => {
    const early = await leaveWeekly();
    const other = await buildWorld(product, 'globex');
    const alone = await product.call(signUp, {
      body: { username: 'tom-alone', email: 'tom@example.com', password: PASSWORD },
    });
    const path = await backUp();
    const late = await leaveWeekly();
    const { owner } = product.testDatabase;
    await owner.query('update customers set global_unsubscribe = true where id = any($1)', [
      [early.id, late.id],
    ]);
    for (const { id } of [early, late]) {
      await product.call(deleteCustomer, { params: { ...world.params, id } }, world.owner);
    }
    for (const [caller, id, username] of [
      [other.owner, other.owner.id, other.owner.username],
      [{ token: alone.access_token }, alone.id, 'tom-alone'],
    ] as const) {
      await product.call(deleteAccount, { params: { id }, body: { username, password: PASSWORD } }, caller);
    }
    const list = join(folder, 'erasures.jsonl');
    await writeErasures(list, product.services.database);
    expect(readFileSync(list, 'utf8')).not.toContain('@');

    const url = await restore(path);
    const before = await query(url, `select 1 from customers where id = '${early.id}' and email is not null`);
    expect(before).toHaveLength(1);
    const config = readConfig({ NODE_ENV: 'test', SECRET_KEY: inject('secretKey'), DATA_DIR: folder });
    const apply = () =>
      withServices(config, url, async (services) => {
        const { entries, takenAt } = await openErasures(list);
        return reapplyErasures(services, entries(), takenAt);
      });
    expect(await apply()).toEqual({ customers: 1, accounts: 2, organizations: 1, inTheWay: [] });
    expect(await apply()).toEqual({ customers: 0, accounts: 0, organizations: 0, inTheWay: [] });

    const erased = await query(
      url,
      `select id, email, erased_key is not null as left_everything from customers where erased_at is not null order by id`,
    );
    expect(erased).toEqual([early, late].map(({ id }) => ({ id, email: null, left_everything: true })));
    expect(await query(url, `select 1 from sites where id = '${other.site.id}'`)).toEqual([]);
    expect(await query(url, `select 1 from users where id in ('${alone.id}', '${other.owner.id}')`)).toEqual(
      [],
    );
    expect(await query(url, `select 1 from users where id = '${world.owner.id}'`)).toHaveLength(1);
    // The evidence of who was erased stays, and holds.
    await expectEvidence(url);
  });

  it('are rejected when their list is cut short or was changed', async () => {
    const list = join(folder, 'short.jsonl');
    await writeErasures(list, product.services.database);
    const lines = readFileSync(list, 'utf8').trimEnd().split('\n');
    for (const some of [lines.slice(0, -1), lines.toSpliced(1, 1), []]) {
      writeFileSync(list, some.map((line) => `${line}\n`).join(''));
      await expect(openErasures(list)).rejects.toThrow('incomplete or was altered');
    }
    await expect(openErasures(file)).rejects.toThrow("isn't a Sayso list of erasures");
  });
});

describe('a key that does not belong to the database', () => {
  const migrateWith = (url: string, ...keys: string[]) => migrate(url, createKeyring(keys), QUEUES);

  it('is rejected before anything is changed; a new one in front of the right one is not', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, OTHER_KEY);
    const roles = () =>
      query(url, `select rolname from pg_roles where rolname like 'sayso\\_app\\_%' order by 1`);
    const before = await roles();
    await expect(migrateWith(url, 'a third key that has nothing to do with it at all')).rejects.toThrow(
      /^SECRET_KEY: this database uses another key/,
    );
    expect(await roles()).toEqual(before);
    const newest = 'the newest key is longer than thirty-two characters';
    await migrateWith(url, newest, OTHER_KEY);
    await migrateWith(url, newest);
    await expect(migrateWith(url, OTHER_KEY)).rejects.toThrow('SECRET_KEY');
  });

  it('is rejected for a database from before there were fingerprints, too', async () => {
    await query(copy, 'delete from installation');
    await expect(migrateWith(copy, OTHER_KEY)).rejects.toThrow('SECRET_KEY');
    await migrateWith(copy, inject('secretKey'));
    expect(await query(copy, 'select 1 from installation')).toHaveLength(1);
  });

  it('stops the start with one sentence and exit code 1', { timeout: 120_000 }, async () => {
    const { code, output } = await runProgram(['server/main.ts'], {
      DATABASE_URL: copy,
      SECRET_KEY: OTHER_KEY,
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
    });
    expect(output.trim()).toBe(
      'SECRET_KEY: this database uses another key. Start with that key. To change it, put the new key first: SECRET_KEY=new,old.',
    );
    expect(code).toBe(1);
  });

  it('is not replaced by a new one where it was lost', { timeout: 120_000 }, async () => {
    const dataDir = join(folder, 'without-key');
    const { code, output } = await runProgram(['server/main.ts'], {
      DATABASE_URL: copy,
      PORT: '0',
      DATA_DIR: dataDir,
    });
    expect(output.trim()).toBe(
      `SECRET_KEY: the key of this database is missing. Set SECRET_KEY, or put the file secret.key back into ${dataDir}.`,
    );
    expect(code).toBe(1);
    expect(existsSync(join(dataDir, 'secret.key'))).toBe(false);
  });
});
