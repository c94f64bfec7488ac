import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { logIn, signUp } from '#contract/accounts.ts';
import { createAction } from '#contract/actions.ts';
import { createApiKey } from '#contract/api-keys.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, mintLinks } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { uploadImport } from '#contract/imports.ts';
import { createIntegration, verifyIntegration } from '#contract/integrations.ts';
import { createList, listLists } from '#contract/lists.ts';
import { inviteMember } from '#contract/members.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { listSites } from '#contract/sites.ts';
import { startHubspotFake, type HubspotFake } from '#test/fakes/tools/hubspot.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { checkOutEarlier, type EarlierVersion } from '#test/harness/earlier-version.ts';
import { countRows, fillEmptyTables } from '#test/harness/fill-tables.ts';
import { callsTo, type Calls } from '#test/harness/product.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import {
  buildCustomer,
  buildWebhook,
  buildWorld,
  openAsProven,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

/*
 * A database of an earlier version, with a row in every table, owned by a role that is no superuser and is held to the
 * policies itself. That version runs on while this one upgrades the database and takes over.
 */

const EARLIER = '6b5410c';

const ROLE = `sayso_owner_${randomBytes(4).toString('hex')}`;
const SECRET_KEY = randomBytes(32).toString('base64url');

/** What an upgrade may empty or take away, and why. */
const MAY_SHRINK = new Set([
  // Counts of minutes, deleted when they expire.
  'rate_limits',
  // Marks of sites with deliveries to make: the new version may have made them by now, which the next test sees.
  'sites_with_work',
  // Links that have expired.
  'account_links',
  'password_links',
]);

let admin: pg.Client;
let superuser: pg.Pool;
let ownerUrl: string;
let earlier: EarlierVersion;
let older: ProductProcess;
let newer: ProductProcess | undefined;
let hubspot: HubspotFake;
let receiver: WebhookReceiver;
let world: World;
let vera: Customer;
let webhook: { id: string; secret: string };
let integrationId: string;
let apiKey: string;
let links: { challenge: string; one_click_url: string };
let before: Record<string, number>;

function start(extra: { root?: string; env?: Record<string, string> } = {}): Promise<ProductProcess> {
  const env = {
    DATABASE_URL: ownerUrl,
    SECRET_KEY,
    APP_URL: 'http://localhost:3999',
    CONNECTOR_HUBSPOT_URL: hubspot.url,
    ...extra.env,
  };
  return startProductProcess({ ...extra, env });
}

async function fill(calls: Calls): Promise<void> {
  world = await buildWorld(calls);
  const { params, owner } = world;
  vera = await buildCustomer(calls, world);
  const sealed = await openAsProven(calls, world, vera);
  links = await calls.call(mintLinks, { params: { ...params, id: vera.id }, body: {} }, owner);
  webhook = await buildWebhook(calls, world, { url: receiver.url });
  const integration = await calls.call(
    createIntegration,
    { params, body: { provider: 'hubspot', credentials: { ...hubspot.credentials } } },
    owner,
  );
  integrationId = integration.id;
  hubspot.addContact(vera.email);
  const leaving = {
    type: 'global_unsubscribe' as const,
    name: 'HubSpot',
    integration_id: integration.id,
    trigger: { event: 'global_unsubscribed' as const },
    target: {},
  };
  await calls.call(createAction, { params, body: leaving }, owner);
  const key = await calls.call(createApiKey, { params, body: { name: 'Shop', scopes: ['read'] } }, owner);
  apiKey = key.key;
  await calls.call(
    inviteMember,
    {
      params,
      body: { email: 'tom@example.com', role: 'viewer' },
    },
    owner,
  );
  const file = new Blob(['email\nada@example.com\n'], { type: 'text/csv' });
  await calls.call(uploadImport, { params, query: { file_name: 'people.csv' }, file }, owner);
  // Nobody works the queue yet: this delivery waits through the upgrade.
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await calls.call(saveLists, { params: { customerId: sealed }, body }, world.visitor);
}

async function addAccount(calls: Calls): Promise<string> {
  const body = { username: 'tom-alone', email: 'tom-alone@example.com', password: PASSWORD };
  return (await calls.call(signUp, { body })).user_id;
}

/** The owner of the site logs in with just a password. */
async function leaveSecondFactorsTo(userId: string): Promise<void> {
  for (const table of ['totp_factors', 'passkeys', 'recovery_codes']) {
    await superuser.query(`update ${table} set user_id = $1`, [userId]);
  }
}

beforeAll(async () => {
  earlier = checkOutEarlier(EARLIER);
  [hubspot, receiver] = await Promise.all([startHubspotFake(), startWebhookReceiver()]);
  admin = new pg.Client({ connectionString: inject('ownerUrl') });
  await admin.connect();
  await admin.query(`create role ${ROLE} login createrole nosuperuser nobypassrls password 'plain'`);
  await admin.query(`grant ${ROLE} to current_user`);
  await admin.query(`create database ${ROLE} owner ${ROLE}`);
  const asSuperuser = new URL(inject('ownerUrl'));
  asSuperuser.pathname = `/${ROLE}`;
  superuser = new pg.Pool({ connectionString: asSuperuser.href, max: 2 });
  superuser.on('error', () => {});
  const asOwner = new URL(asSuperuser);
  asOwner.username = ROLE;
  asOwner.password = 'plain';
  ownerUrl = asOwner.href;
  older = await start({ root: earlier.root, env: { ROLE: 'web' } });
  await older.untilReady(60_000);
  await fill(callsTo(older.url));
  await fillEmptyTables(superuser, world.site.id);
  await leaveSecondFactorsTo(await addAccount(callsTo(older.url)));
  before = await countRows(superuser);
}, 180_000);

afterAll(async () => {
  await older.stop();
  await newer?.stop();
  await superuser.end();
  await admin.query(`drop database ${ROLE} with (force)`);
  for (const name of await rolesMadeBy()) await admin.query(`drop role if exists ${name}`);
  await admin.query(`drop role ${ROLE}`);
  await admin.end();
  earlier.remove();
  await Promise.all([hubspot.close(), receiver.close()]);
});

/** `fetch` cannot choose the host. */
function leaveBy(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host: world.site.domain_name, 'content-type': 'application/x-www-form-urlencoded' };
    request(`${newer?.url}${path}`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end('List-Unsubscribe=One-Click');
  });
}

async function rolesMadeBy(): Promise<string[]> {
  const { appRole } = await import('#server/platform/migrate.ts');
  const { createKeyring } = await import('#server/platform/secrets.ts');
  return [appRole(createKeyring([SECRET_KEY])).name];
}

describe(`an upgrade from ${EARLIER} by an owner who is not a superuser`, () => {
  it('begins with a row in every table, owned by a role to which the policies apply', async () => {
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    const owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    const { rows } = await owner.query(
      `select rolsuper, rolbypassrls, row_security_active('customers') as is_bound from pg_roles where rolname = current_user`,
    );
    await owner.end();
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, is_bound: true }]);
  });

  it('starts while the earlier version still runs, and serves beside it', async (context) => {
    const began = performance.now();
    newer = await start();
    await newer.untilReady(60_000);
    await context.annotate(`Upgraded and ready after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const { params, owner } = world;
    for (const [one, other] of [
      [older, newer],
      [newer, older],
    ] as const) {
      const list = await callsTo(one.url).call(createList, { params, body: { name: 'Side by side' } }, owner);
      const { results } = await callsTo(other.url).call(listLists, { params }, owner);
      expect(results.map(({ id }) => id)).toContain(list.id);
    }
    await older.stop();
  });

  it('loses no row, and applies the policies to everybody again', async () => {
    const after = await countRows(superuser);
    const lost = Object.entries(before).filter(
      ([name, count]) => !MAY_SHRINK.has(name) && (after[name] ?? -1) < count,
    );
    expect(lost).toEqual([]);
    const { rows } = await superuser.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity and not relforcerowsecurity`,
    );
    expect(rows).toEqual([]);
  });

  it('makes the waiting deliveries, with the secret that they had', async () => {
    await receiver.waitFor(1, 30_000);
    for (const { body, headers } of receiver.received) {
      expect(() => new Webhook(webhook.secret).verify(body, headers)).not.toThrow();
    }
    const calls = callsTo(newer?.url ?? '');
    await expect
      .poll(async () => {
        const query = { customer_id: vera.id };
        const { results } = await calls.call(listDeliveries, { params: world.params, query }, world.owner);
        return results.map(({ status }) => status);
      })
      .toEqual(['arrived']);
  });

  it('opens credentials, accounts and keys', async () => {
    const calls = callsTo(newer?.url ?? '');
    const tokens = await calls.call(logIn, { body: { username: world.owner.email, password: PASSWORD } });
    expect(tokens.user_id).toBe(world.owner.id);
    const { params, owner } = world;
    const verified = await calls.call(verifyIntegration, { params: { ...params, id: integrationId } }, owner);
    expect(verified.status).toBe('connected');
    const query = {};
    const sites = await calls.call(
      listSites,
      { params: { organization_id: params.organization_id } },
      { token: tokens.access_token },
    );
    expect(sites.results.map(({ id }) => id)).toEqual([world.site.id]);
    const asKey = { token: apiKey };
    const read = await calls.call(listCustomerEvidence, { params: { ...params, id: vera.id }, query }, asKey);
    expect(read.results.length).toBeGreaterThan(1);
  });

  it('keeps links valid: they prove their customer, and unsubscribing by them works', async () => {
    const calls = callsTo(newer?.url ?? '');
    const opened = await calls.call(
      openCustomer,
      { body: { challenge: links.challenge, custom_path: world.page.custom_path } },
      world.visitor,
    );
    expect(opened).toMatchObject({ level: 'proven' });
    expect(await leaveBy(new URL(links.one_click_url).pathname)).toBe(200);
    await expect.poll(() => hubspot.holds(vera.email)?.unsubscribed).toBe(true);
  });

  it('keeps the periodic work with a tool', async () => {
    const { rows } = await superuser.query<{ kind: string }>(
      'select kind from scheduled_tasks where integration_id = $1 order by kind',
      [integrationId],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['late_notices', 'poll', 'reconciliation']);
  });

  it('leaves the evidence as it was recorded', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['server/verify.ts'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: ownerUrl, SECRET_KEY, NODE_ENV: 'test' },
    });
    expect(stdout).toContain('all intact');
  });
});
