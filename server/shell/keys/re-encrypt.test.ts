import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { logIn } from '#contract/accounts.ts';
import { updateAction } from '#contract/actions.ts';
import { answerComplaint, getComplaint, listComplaints } from '#contract/complaints.ts';
import { createCustomer, deleteCustomer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { listInbound } from '#contract/inbound.ts';
import {
  createIntegration,
  type Integration,
  updateIntegration,
  verifyIntegration,
} from '#contract/integrations.ts';
import { reencryptSecrets } from '#server/delivery/actions/signing.ts';
import { complain } from '#contract/public-preferences.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { newId } from '#server/platform/ids.ts';
import { createKeyring, sealText } from '#server/platform/secrets.ts';
import { handleJob } from '#server/sync/inbound/inbound.jobs.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { countLockWaits } from '#test/harness/lock-waits.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { mailchimpWebhook } from '#test/harness/tool-webhooks.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';
import { reencryptAll, reencryptAndLog, SEALED_VALUES } from './re-encrypt.ts';

const OLD = inject('secretKey');
const NEW = `${'n'.repeat(40)}-new`;
const HOOK_SECRET = 'a-signing-secret-of-mailchimp';

let product: TestProduct;
let mailchimp: MailchimpFake;
let receiver: WebhookReceiver;
let world: World;
let acme: World;
let integration: Integration;
let webhook: { id: string; secret: string };

/** What a restart with another SECRET_KEY comes to; the product goes on running. */
const useKeys = (...keys: string[]) => void Object.assign(product.services, { keyring: createKeyring(keys) });

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  receiver = await startWebhookReceiver();
  product = await startTestProduct({ env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url } });
  world = await buildWorld(product);
});

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  acme = await buildSite(product, world.owner, world.params.organization_id);
  integration = await connect();
  webhook = await buildWebhook(product, acme, { url: receiver.url });
});

afterEach(() => useKeys(OLD));

afterAll(async () => {
  await product.stop();
  await mailchimp.close();
  await receiver.close();
});

async function connect(): Promise<Integration> {
  const { params, owner } = acme;
  const body = { provider: 'mailchimp', credentials: { ...mailchimp.credentials } };
  const { id } = await product.call(createIntegration, { params, body }, owner);
  const secret = { params: { ...params, id }, body: { webhook_secret: HOOK_SECRET } };
  return product.call(updateIntegration, secret, owner);
}

async function logInAgain(): Promise<{ token: string }> {
  const body = { username: world.owner.username, password: PASSWORD };
  return { token: (await product.call(logIn, { body })).access_token };
}

/** By the values themselves: `table.column` of what the newest key did not seal, of the test's own site. */
async function stale(): Promise<string[]> {
  const { newestPrefixes } = createKeyring([NEW]);
  const found: string[] = [];
  for (const { table, column } of SEALED_VALUES) {
    const { rows } = await product.testDatabase.owner.query<{ sealed: string }>(
      `select ${column} as sealed from ${table} where site_id = $1 and ${column} <> ''`,
      [acme.params.site_id],
    );
    const old = rows.filter(({ sealed }) => !newestPrefixes.includes(sealed.slice(0, 3)));
    found.push(...old.map(() => `${table}.${column}`));
  }
  return found;
}

async function leaves(email: string): Promise<void> {
  const body = mailchimpWebhook(
    'unsubscribe',
    { id: '1', list_id: mailchimp.audience, email },
    { at: product.clock.now(), secret: HOOK_SECRET },
  );
  const answer = await fetch(integration.webhook_url ?? '', { method: 'POST', ...body });
  expect(answer.status).toBe(200);
}

async function answeredComplaint(): Promise<string> {
  const { params, owner, visitor } = acme;
  const customerId = await openAsProven(product, acme, await buildCustomer(product, acme));
  await product.call(complain, { params: { customerId }, body: { text: 'Why?' } }, visitor);
  const { results } = await product.call(listComplaints, { params, query: {} }, owner);
  const id = results[0]?.id ?? '';
  const body = { outcome: 'upheld' as const, answer: 'Because.' };
  await product.call(answerComplaint, { params: { ...params, id }, body }, owner);
  return id;
}

async function requests(): Promise<string[]> {
  const { rows } = await product.testDatabase.owner.query<{ id: string }>(
    'select id from inbound_requests where site_id = $1 and sealed is not null',
    [acme.params.site_id],
  );
  return rows.map(({ id }) => id);
}

const work = (id: string) => handleJob(product.services, { site_id: acme.params.site_id, id, round: 0 });

/** Somebody leaves, and the webhook is sent. */
async function deliver(owner: { token: string }): Promise<void> {
  const customer = await buildCustomer(product, { ...acme, owner: { ...acme.owner, ...owner } });
  const params = { ...acme.params, id: customer.id };
  const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
  await product.call(setCustomerLists, { params, body }, owner);
  const { rows } = await product.testDatabase.owner.query<{ id: string }>(
    'select id from deliveries where customer_id = $1 and action_id = $2',
    [customer.id, webhook.id],
  );
  await deliverNow(product.services, { site_id: acme.params.site_id, id: rows[0]?.id ?? '', round: 0 });
}

describe('values sealed with an older key', () => {
  it('are re-encrypted while the product runs, and then work with only the new key', async () => {
    await leaves('vera@example.com');
    const [known = ''] = await requests();
    await work(known);
    await leaves('vera@example.com');
    const complaint = await answeredComplaint();
    useKeys(NEW, OLD);
    expect((await stale()).toSorted()).toEqual([
      'actions.secrets_sealed',
      'complaints.answer_sealed',
      'complaints.text_sealed',
      'inbound_events.email_sealed',
      'inbound_requests.sealed',
      'integrations.credentials_sealed',
      'integrations.webhook_secret_sealed',
    ]);
    expect((await reencryptAll(product.services)).reencrypted).toBeGreaterThan(4);
    expect(await stale()).toEqual([]);
    expect(await reencryptAll(product.services)).toEqual({ reencrypted: 0, changed: 0, unreadable: 0 });

    useKeys(NEW);
    const owner = await logInAgain();
    const read = { params: { ...acme.params, id: complaint } };
    expect(await product.call(getComplaint, read, owner)).toMatchObject({ text: 'Why?', answer: 'Because.' });
    const of = { params: { ...acme.params, id: integration.id } };
    expect((await product.call(verifyIntegration, of, owner)).status).toBe('connected');
    for (const id of await requests()) await work(id);
    expect((await product.call(listInbound, { ...of, query: {} }, owner)).results[0]).toMatchObject({
      email: 'vera@example.com',
    });
    receiver.received.length = 0;
    await deliver(owner);
    const [sent] = receiver.received;
    expect(new Webhook(webhook.secret).verify(sent?.body ?? '', sent?.headers ?? {})).toBeTruthy();
  });

  it('are left alone where somebody changes them at that moment', async () => {
    const mine = await product.testDatabase.owner.connect();
    useKeys(NEW, OLD);
    try {
      await mine.query('begin');
      await mine.query('update integrations set credentials_sealed = $1 where id = $2', [
        'changed',
        integration.id,
      ]);
      const pass = reencryptAll(product.services);
      await expect.poll(() => countLockWaits(product.testDatabase.owner, 'update%integrations%')).toBe(1);
      await mine.query('commit');
      expect((await pass).changed).toBe(1);
    } finally {
      mine.release();
    }
    const { rows } = await product.testDatabase.owner.query(
      'select credentials_sealed from integrations where id = $1',
      [integration.id],
    );
    expect(rows).toEqual([{ credentials_sealed: 'changed' }]);
    await product.testDatabase.owner.query('delete from integrations where id = $1', [integration.id]);
  });

  it('are re-encrypted by the next pass when one was interrupted', async () => {
    useKeys(NEW, OLD);
    const killed = new AbortController();
    const { database } = product.services;
    const services = {
      ...product.services,
      database: {
        ...database,
        async inSite<T>(...parts: Parameters<typeof database.inSite<T>>): Promise<T> {
          if (killed.signal.aborted) throw new Error('killed');
          killed.abort();
          return database.inSite(...parts);
        },
      },
    };
    await reencryptAll(services, killed.signal).catch(() => {});
    expect((await stale()).length).toBeGreaterThan(0);
    expect((await reencryptAll(product.services)).reencrypted).toBeGreaterThan(0);
    expect(await stale()).toEqual([]);
  });

  it('are reported: what was done, then that nothing is left, and what the older key is still for', async () => {
    const lines: [object, string][] = [];
    const log = {
      ...product.services.log,
      info: (fields: object, text: string) => lines.push([fields, text]),
    };
    const services = Object.assign(Object.create(product.services) as typeof product.services, { log });
    Object.assign(services, { keyring: createKeyring([NEW, OLD]) });
    await deliver(acme.owner);
    expect(await reencryptAndLog(services)).toBe(false);
    expect(await reencryptAndLog(services)).toBe(true);
    expect(lines[0]?.[0]).toMatchObject({ changed: 0, unreadable: 0 });
    expect(lines[1]?.[0]).toMatchObject({
      unreadable: 0,
      still_needed_for: expect.arrayContaining(['who evidence is about', 'links in mails that were sent']),
    });
    expect(JSON.stringify(lines)).not.toContain(webhook.secret);
  });

  it('that no key opens are counted and left alone', async () => {
    useKeys(NEW, 'x'.repeat(40));
    const counts = await reencryptAll(product.services);
    expect(counts).toMatchObject({ reencrypted: 0, changed: 0 });
    expect(counts.unreadable).toBeGreaterThan(2);
  });
});

describe('a sealed value', () => {
  it('of a signing secret does not open in another row, or another site', async () => {
    const other = await buildWebhook(product, acme, { url: receiver.url });
    const { owner } = product.testDatabase;
    await owner.query(
      `update actions set secrets_sealed = (select secrets_sealed from actions where site_id = $3 and id = $1)
       where site_id = $3 and id = $2`,
      [other.id, webhook.id, acme.params.site_id],
    );
    receiver.received.length = 0;
    await deliver(acme.owner);
    expect(receiver.received).toEqual([]);
    const { rows } = await owner.query<{ last_error: string }>(
      'select last_error from deliveries where action_id = $1 order by id desc limit 1',
      [webhook.id],
    );
    expect(rows[0]?.last_error).toContain('went wrong on our side');
  });

  it('of a signing secret from before it was bound to its row opens, and is bound when it is re-encrypted', async () => {
    const { owner } = product.testDatabase;
    const unbound = sealText(
      product.services.keyring,
      'webhook-secret',
      JSON.stringify({ current: webhook.secret, old: null }),
    );
    await owner.query('update actions set secrets_sealed = $1 where id = $2', [unbound, webhook.id]);
    receiver.received.length = 0;
    await deliver(acme.owner);
    useKeys(NEW, OLD);
    await reencryptAll(product.services);
    useKeys(NEW);
    const again = await logInAgain();
    // A restart keeps nothing in its cache.
    const renamed = { params: { ...acme.params, id: webhook.id }, body: { name: 'Renamed' } };
    await product.call(updateAction, renamed, again);
    await deliver(again);
    expect(receiver.received).toHaveLength(2);
    for (const { body, headers } of receiver.received) {
      expect(new Webhook(webhook.secret).verify(body, headers)).toBeTruthy();
    }
    const { rows } = await owner.query<{ secrets_sealed: string }>(
      'select secrets_sealed from actions where id = $1',
      [webhook.id],
    );
    const moved = { site_id: newId(), id: webhook.id, sealed: rows[0]?.secrets_sealed ?? '' };
    expect(reencryptSecrets(product.services, moved)).toBeNull();
    expect(reencryptSecrets(product.services, { ...moved, site_id: acme.params.site_id })).not.toBeNull();
  });

  it('of an inbound event does not open in another row', async () => {
    for (const email of ['vera@example.com', 'otto@example.com']) await leaves(email);
    const [one = '', two = ''] = await requests();
    const { owner } = product.testDatabase;
    await owner.query(
      `update inbound_requests set sealed = (select sealed from inbound_requests where site_id = $3 and id = $1)
       where site_id = $3 and id = $2`,
      [one, two, acme.params.site_id],
    );
    await work(one);
    await work(two);
    const { rows } = await owner.query<{ id: string; email_sealed: string | null }>(
      'select id, email_sealed from inbound_events where site_id = $1 order by id',
      [acme.params.site_id],
    );
    const sealed = rows.filter(({ email_sealed: email }) => email !== null);
    expect(sealed).toHaveLength(1);
    await leaves('ines@example.com');
    const [three = ''] = (await requests()).filter((id) => id !== two);
    await work(three);
    await owner.query(
      `update inbound_events set email_sealed = $1 where site_id = $2 and id <> $3 and email_sealed is not null`,
      [sealed[0]?.email_sealed, acme.params.site_id, sealed[0]?.id],
    );
    const of = { params: { ...acme.params, id: integration.id }, query: {} };
    const told = (await product.call(listInbound, of, acme.owner)).results.map(({ email }) => email);
    expect(told.filter((email) => email !== null)).toEqual(['vera@example.com']);
  });
});

it('somebody who was erased after leaving everything is still recognized after a rotation', async () => {
  const email = 'gone@example.com';
  const { id } = await buildCustomer(product, acme, email);
  const of = { params: { ...acme.params, id } };
  await product.call(updateCustomer, { ...of, body: { global_unsubscribe: true } }, acme.owner);
  await product.call(deleteCustomer, of, acme.owner);
  useKeys(NEW, OLD);
  const back = await product.call(createCustomer, { params: acme.params, body: { email } }, acme.owner);
  expect(back.global_unsubscribe).toBe(true);
});

it('every sealed column is re-encrypted, never changes (evidence), or ends within days (pending changes)', async () => {
  const { rows } = await product.testDatabase.owner.query<{ place: string }>(
    `select table_name || '.' || column_name as place from information_schema.columns
     where table_schema = 'public' and column_name like '%sealed%' order by 1`,
  );
  const known = SEALED_VALUES.map(({ table, column }) => `${table}.${column}`);
  // Of accounts, not of sites: its test is in test/attacks/second-factor.test.ts.
  const ofAccounts = ['totp_factors.secret_sealed'];
  const left = ['choices.person_sealed', 'pending_changes.change_sealed'];
  expect(rows.map(({ place }) => place)).toEqual([...known, ...ofAccounts, ...left].toSorted());
});
