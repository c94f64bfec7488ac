import { createServer, type Server } from 'node:http';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '#contract/accounts.ts';
import { listEvidence } from '#contract/choices.ts';
import { type Customer, mintLinks } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { getImport, uploadImport } from '#contract/imports.ts';
import { openCustomer, requestData, saveLists } from '#contract/public-preferences.ts';
import { checkBackup } from '#server/backup/read-file.ts';
import { newId } from '#server/platform/ids.ts';
import { createKeyring, type Keyring } from '#server/platform/secrets.ts';
import { decryptAuth, encryptAuth } from '#server/tools/integrations/credentials.ts';
import { runProgram } from '#test/harness/commands.ts';
import { createOwnedDatabase, type OwnedDatabase } from '#test/harness/plain-owner.ts';
import { type OtherPostgres, startPostgres15 } from '#test/harness/postgres-15.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { type Calls, callsTo } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import {
  buildCustomer,
  buildWebhook,
  buildWorld,
  openAsProven,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

const PAGE = join(import.meta.dirname, '../../docs/handbook/backup.md');
const PACKAGE = join(import.meta.dirname, '../../package.json');
const API_KEY = 'key-of-the-tool-0123456789';
const PEOPLE = scaled(20);

let folder: string;
let postgres: OtherPostgres;
let owned: OwnedDatabase;
let receiver: Server;
const arrived: string[] = [];
const running: ProductProcess[] = [];

let secretKey: string;
let keyring: Keyring;
let world: World;
let people: Customer[];
let challenge: string;
let importId: string;
let jobs: Record<string, number>;
let integration: { site_id: string; id: string };

/** The commands of the drill as the handbook prints them, for the folders and the database of this test. */
function commandsOfTheDrill(): { program: string; args: string[]; env: Record<string, string> }[] {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('## A drill');
  const block = /```sh\n(?<lines>[\s\S]*?)```/.exec(section)?.groups?.['lines'] ?? '';
  const [first = '', ...lines] = block.trim().split('\n');
  expect(first).toBe('export SECRET_KEY="$(cat data/secret.key)"');
  return lines.map((line) => {
    const words = line.split(' ').filter((word) => word !== '--');
    const at = words.indexOf('npm');
    const settings = words.slice(0, at).map((word) => word.split(/=(.*)/s).slice(0, 2));
    const [, , name = '', ...args] = words.slice(at);
    expect(JSON.parse(readFileSync(PACKAGE, 'utf8'))).toHaveProperty(
      `scripts.${name}`,
      `node scripts/run.mjs ${name}`,
    );
    const here = (value = '') =>
      value
        .replace('postgres://drill:drill@localhost/drill', owned.url)
        .replace(/^drill\//, `${join(folder, 'drill')}/`);
    return {
      program: `server/${name}.ts`,
      args: args.map(here),
      env: {
        DATA_DIR: join(folder, 'data'),
        SECRET_KEY: secretKey,
        ...Object.fromEntries(settings.map(([key = '', value]) => [key, here(value)])),
      },
    };
  });
}

async function start(env: Record<string, string>, dataDir: string): Promise<ProductProcess> {
  const product = await startProductProcess({ env, dataDir });
  running.push(product);
  await product.untilReady(120_000);
  return product;
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function leave(calls: Calls, customer: Customer): Promise<void> {
  const customerId = await openAsProven(calls, world, customer);
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await calls.call(saveLists, { params: { customerId }, body }, world.visitor);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sayso-drill-'));
  mkdirSync(join(folder, 'drill'));
  postgres = await startPostgres15();
  owned = await createOwnedDatabase(postgres.url);
  receiver = createServer((request, response) => {
    arrived.push(String(request.headers['webhook-id']));
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  // Without a worker, so that everything waits.
  const product = await start({ ROLE: 'web' }, join(folder, 'data'));
  const calls = callsTo(product.url);
  secretKey = readFileSync(join(folder, 'data/secret.key'), 'utf8').trim();
  keyring = createKeyring([secretKey]);
  world = await buildWorld(calls);
  await buildWebhook(calls, world, { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` });
  people = [];
  for (let index = 0; index < PEOPLE; index += 1) people.push(await buildCustomer(calls, world));
  for (const customer of people) await leave(calls, customer);
  const [vera] = people;
  if (vera === undefined) throw new Error('Nobody is there');
  const links = await calls.call(
    mintLinks,
    { params: { ...world.params, id: vera.id }, body: {} },
    world.owner,
  );
  challenge = links.challenge;
  const customerId = await openAsProven(calls, world, vera);
  await calls.call(requestData, { params: { customerId }, body: { kind: 'download' } }, world.visitor);
  const upload = { params: world.params, query: { file_name: 'people.csv' } };
  const people_csv = new Blob(['email\nnew@example.com\n'], { type: 'text/csv' });
  importId = (await calls.call(uploadImport, { ...upload, file: people_csv }, world.owner)).id;
  integration = { site_id: world.site.id, id: newId() };
  const sealed = encryptAuth({ keyring }, integration.site_id, integration.id, {
    kind: 'credentials',
    credentials: { api_key: API_KEY },
  });
  await query(
    product.databaseUrl(),
    `insert into integrations (site_id, id, provider, name, credentials_sealed, status, created_at, updated_at)
     values ('${integration.site_id}', '${integration.id}', 'drip', 'Drip', '${sealed}', 'connected', now(), now())`,
  );
  jobs = await jobsIn(product.databaseUrl());
}, 600_000);

afterAll(async () => {
  for (const product of running) await product.stop();
  receiver.closeAllConnections();
  receiver.close();
  await owned.drop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}, 300_000);

/** How many there are still to do of each kind. */
async function jobsIn(url: string): Promise<Record<string, number>> {
  const rows = await query<{ name: string; count: number }>(
    url,
    `select name, count(*)::int as count from queue.job where state < 'completed' group by 1
     union all select 'deliveries', count(*)::int from deliveries where next_attempt_at is not null`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** What is promised of a copy, seen through the product and its tables. */
async function expectEverythingIn(product: ProductProcess, ownerUrl: string): Promise<void> {
  const calls = callsTo(product.url);
  const body = { username: world.owner.email, password: PASSWORD };
  const { access_token: token } = await calls.call(logIn, { body });
  const owner = { token };
  const opened = await calls.call(
    openCustomer,
    { body: { challenge, custom_path: world.page.custom_path } },
    world.visitor,
  );
  expect(opened.email).toBe(people[0]?.email);
  const deliveries = await calls.call(listDeliveries, { params: world.params, query: { limit: 100 } }, owner);
  expect(deliveries.results.map(({ status }) => status)).toEqual(people.map(() => 'waiting'));
  const evidence = await calls.call(listEvidence, { params: world.params, query: { limit: 1 } }, owner);
  expect(evidence.results).toHaveLength(1);
  const imported = await calls.call(getImport, { params: { ...world.params, id: importId } }, owner);
  expect(imported.file_name).toBe('people.csv');
  const [row] = await query<{ credentials_sealed: string }>(
    ownerUrl,
    `select credentials_sealed from integrations where id = '${integration.id}'`,
  );
  expect(
    decryptAuth({ keyring }, { ...integration, credentials_sealed: row?.credentials_sealed ?? '' }),
  ).toEqual({
    kind: 'credentials',
    credentials: { api_key: API_KEY },
  });
  expect(await jobsIn(ownerUrl)).toEqual(jobs);
}

describe('the drill in the handbook', () => {
  it(
    'moves everything from the embedded server to PostgreSQL 15 and back',
    { timeout: 900_000 },
    async () => {
      expect(jobs).toMatchObject({ 'customer-mails': 1, deliveries: PEOPLE });
      expect(jobs['imports']).toBeGreaterThan(0);
      // The product runs on while its backup is taken.
      const [original] = running;
      for (const { program, args, env } of commandsOfTheDrill()) {
        const { code, output } = await runProgram([program, ...args], env);
        expect(code, `${program} ${args.join(' ')}\n${output}`).toBe(0);
        if (program === 'server/verify.ts') expect(output).toContain('the evidence is unchanged');
      }
      expect((await fetch(`${original?.url}/readyz`)).status).toBe(200);
      const [first, second] = await Promise.all(
        ['first', 'second'].map((name) => checkBackup(join(folder, 'drill', `${name}.sayso`))),
      );
      const { 'queue.job': queue, ...tables } = Object.fromEntries(first?.tables ?? []);
      expect(Object.fromEntries(second?.tables ?? [])).toMatchObject(tables);
      expect(second?.tables.get('queue.job')?.rows).toBe(queue?.rows);
      expect(tables['public.customers']?.rows).toBe(PEOPLE);
      expect(tables['public.import_rows']?.rows).toBe(1);
    },
  );

  it(
    'leaves copies that serve, send nothing, and say so, until they are resumed',
    { timeout: 600_000 },
    async () => {
      const key: Record<string, string> = { SECRET_KEY: secretKey };
      const copies = [
        { env: { ...key, DATABASE_URL: owned.url }, dataDir: join(folder, 'unused'), url: owned.url },
        { env: key, dataDir: join(folder, 'drill/data'), url: null },
      ];
      for (const { env, dataDir, url } of copies) {
        arrived.length = 0;
        const product = await start(env, dataDir);
        const ownerUrl = url ?? product.databaseUrl();
        expect(await (await fetch(`${product.url}/readyz`)).json()).toMatchObject({ workers: 'paused' });
        expect(product.output()).toContain('paused');
        await expectEverythingIn(product, ownerUrl);
        expect(arrived).toEqual([]);

        const resumed = await runProgram(['server/resume.ts'], { ...env, DATA_DIR: dataDir });
        expect(resumed).toMatchObject({ code: 0, output: 'The workers are running again.\n' });
        await expect.poll(() => new Set(arrived).size, { timeout: 120_000 }).toBe(PEOPLE);
        expect(await (await fetch(`${product.url}/readyz`)).json()).toMatchObject({ workers: 'allowed' });
        await expect
          .poll(() => query(ownerUrl, `select 1 from deliveries where status <> 'arrived'`), {
            timeout: 60_000,
          })
          .toEqual([]);
        await product.stop();
      }
    },
  );
});
