import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { listCustomers, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import {
  applyImport,
  checkImport,
  createImport,
  type ImportDetail,
  type ImportResource,
  listImportRows,
  type SomeImportOptions,
} from '#contract/imports.ts';
import { createIntegration, deleteIntegration } from '#contract/integrations.ts';
import { listLists } from '#contract/lists.ts';
import { newId } from '#server/platform/ids.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { csv, readImport, upload, uploadAndCheck, work, workOnce } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { zipOf } from '#test/harness/zip.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';

let product: TestProduct;
let mailchimp: MailchimpFake;
let brevo: BrevoFake;
let sendgrid: SendgridFake;
let world: World;
let acme: World;
let integrationId: string;
let there: { id: string; name: string };

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  brevo = await startBrevoFake();
  sendgrid = await startSendgridFake();
  product = await startTestProduct({
    env: {
      CONNECTOR_MAILCHIMP_URL: mailchimp.url,
      CONNECTOR_BREVO_URL: brevo.url,
      CONNECTOR_SENDGRID_URL: sendgrid.url,
    },
  });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  for (const fake of [mailchimp, brevo, sendgrid]) await fake.close();
});

beforeEach(async () => {
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  integrationId = await connect('mailchimp', mailchimp.credentials);
  [there = { id: '', name: '' }] = mailchimp.addResources('lists', 1);
});

async function connect(provider: string, credentials: object): Promise<string> {
  const body = { provider, credentials: { ...credentials } };
  return (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
}

type NewAction = Parameters<typeof product.call<typeof createAction>>[1]['body'];

const people = (count: number, state: 'subscribed' | 'unsubscribed' | 'unclear', name = 'p') =>
  Array.from({ length: count }, (_, at) => ({ email: `${name}${at}@example.com`, state }));

const bodyOf = (resources: ImportResource[], kind: 'lists' | 'tags' = 'lists') => ({
  integration_id: integrationId,
  kind,
  resources,
});

const start = (resources: ImportResource[], kind: 'lists' | 'tags' = 'lists') =>
  product.call(createImport, { params: acme.params, body: bodyOf(resources, kind) }, acme.owner);

const ofImport = ({ id }: { id: string }) => ({ params: { ...acme.params, id } });

async function apply(one: { id: string }): Promise<ImportDetail> {
  await product.call(applyImport, ofImport(one), acme.owner);
  return work(product, acme, one.id);
}

async function rows(one: { id: string }) {
  const { results } = await product.call(listImportRows, ofImport(one), acme.owner);
  return Object.fromEntries(results.map((row) => [row.email, row]));
}

/** The number of people on each list, and of those who left it. */
async function listsNow(): Promise<Record<string, number>> {
  const found = await product.testDatabase.owner.query<{ name: string; count: number }>(
    `select case when subscribed then '+' else '-' end || name as name, count(*)::int as count
     from subscriptions s join lists l on l.site_id = s.site_id and l.id = s.list_id
     where s.site_id = $1 group by 1 order by 1`,
    [acme.site.id],
  );
  return Object.fromEntries(found.rows.map(({ name, count }) => [name, count]));
}

describe('people imported from a tool', () => {
  it(
    'are read over several pages, even when the tool fails in between, and become customers',
    { timeout: 60_000 },
    async () => {
      mailchimp.addPeople?.('lists', there.id, people(480, 'subscribed'));
      mailchimp.addPeople?.('lists', there.id, people(40, 'unsubscribed', 'q'));
      mailchimp.addPeople?.('lists', there.id, people(3, 'unclear', 'u'));
      const one = await start([{ resource: there, list_id: acme.weekly.id }]);
      expect(one).toMatchObject({
        source: 'tool',
        status: 'reading',
        columns: null,
        integration_id: integrationId,
      });
      await workOnce(product, acme, one.id);
      const half = await readImport(product, acme, one.id);
      expect(half).toMatchObject({ status: 'reading', counts: { read: 500, total: 500 } });
      mailchimp.trouble({ status: 500 });
      await workOnce(product, acme, one.id);
      mailchimp.trouble({ status: 429, headers: { 'retry-after': '10' } });
      await workOnce(product, acme, one.id);
      expect(await readImport(product, acme, one.id)).toMatchObject({
        status: 'reading',
        counts: { read: 500 },
      });
      const waiting = await product.testDatabase.owner.query<{ seconds: number }>(
        `select extract(epoch from start_after - created_on)::int as seconds from queue.job
       where name = 'imports' and data->>'id' = $1 order by created_on desc, id desc limit 1`,
        [one.id],
      );
      expect(waiting.rows[0]?.seconds).toBeGreaterThan(8);
      const checked = await work(product, acme, one.id);
      expect(checked).toMatchObject({
        status: 'checked',
        counts: { read: 523, total: 523, checked: 523, added: 520, unchanged: 3 },
      });
      expect((await apply(one)).counts).toMatchObject({ applied: 523, added: 520, unchanged: 3 });
      expect(await listsNow()).toEqual({ '+Weekly news': 480, '-Weekly news': 40 });
      const { results } = await product.call(
        listCustomers,
        { params: acme.params, query: { search: 'u' } },
        acme.owner,
      );
      expect(results).toEqual([]);
    },
  );

  it('of several lists are one row each, and create the missing lists once', async () => {
    const [second = there] = mailchimp.addResources('lists', 1);
    mailchimp.addPeople?.('lists', there.id, people(3, 'subscribed'));
    mailchimp.addPeople?.('lists', second.id, people(2, 'unsubscribed'));
    const resources = [there, second].map((resource) => ({ resource, list_id: null }));
    const one = await start(resources);
    const checked = await work(product, acme, one.id);
    expect(checked.counts).toMatchObject({ read: 5, total: 3, added: 3 });
    expect((await rows(one))['p0@example.com']?.lists).toEqual([
      { list_id: null, subscribed: true, since: expect.anything() },
      { list_id: null, subscribed: false, since: null },
    ]);
    expect((await product.call(listLists, { params: acme.params }, acme.owner)).results).toHaveLength(2);
    const done = await apply(one);
    expect(done.resources?.every(({ list_id: id }) => id !== null)).toBe(true);
    expect((await product.call(listLists, { params: acme.params }, acme.owner)).results).toHaveLength(4);
    expect(await listsNow()).toEqual({ [`+${there.name}`]: 3, [`-${second.name}`]: 2 });
  });

  it('fail with a sentence where the site has no room for their lists', async () => {
    mailchimp.addPeople?.('lists', there.id, people(1, 'subscribed'));
    const one = await start([{ resource: there, list_id: null }]);
    await work(product, acme, one.id);
    await product.testDatabase.owner.query(
      `insert into lists (site_id, id, name, description, show_order, default_state, translations, created_at, updated_at)
       select $1, gen_random_uuid(), 'List ' || n, '', n + 2, false, '{}', now(), now() from generate_series(0, 197) as n`,
      [acme.site.id],
    );
    expect(await apply(one)).toMatchObject({ status: 'failed', message: 'A site can have up to 200 lists.' });
  }, 60_000);

  it('are not sent back to that tool, and are not the owner’s proof', async () => {
    mailchimp.addPeople?.('lists', there.id, people(1, 'unsubscribed', 'vera'));
    const vera = await buildCustomer(product, acme, 'vera0@example.com');
    const body: NewAction = {
      type: 'list',
      name: 'Tell Mailchimp',
      integration_id: integrationId,
      trigger: { event: 'unsubscribed', list_ids: [] },
      target: there,
      operation: 'remove',
    };
    await product.call(createAction, { params: acme.params, body }, acme.owner);
    const one = await start([{ resource: there, list_id: acme.weekly.id }]);
    await work(product, acme, one.id);
    expect((await apply(one)).counts).toMatchObject({ changed: 1 });
    const call = { params: { ...acme.params, id: vera.id } };
    const [newest] = (await product.call(listCustomerEvidence, call, acme.owner)).results;
    expect(newest).toMatchObject({ source: 'import', authority: 'system', events: ['unsubscribed'] });
    expect((await product.call(listDeliveries, { params: acme.params }, acme.owner)).results).toEqual([]);
  });

  it('who opted out there before they chose otherwise here stay as they chose', async () => {
    mailchimp.addPeople?.('lists', there.id, people(3, 'unsubscribed', 'vera'));
    const body = [{ notification_list_id: acme.weekly.id, subscribed: true }];
    for (const name of ['vera0', 'vera1', 'vera2']) {
      const { id } = await buildCustomer(product, acme, `${name}@example.com`);
      await product.call(setCustomerLists, { params: { ...acme.params, id }, body }, acme.owner);
      const change = { params: { ...acme.params, id }, body: { global_unsubscribe: true } };
      await product.call(updateCustomer, change, acme.owner);
      await product.call(updateCustomer, { ...change, body: { global_unsubscribe: false } }, acme.owner);
    }
    const one = await start([{ resource: there, list_id: acme.weekly.id }]);
    await workOnce(product, acme, one.id);
    const tell = (name: string, preferences: object) =>
      product.testDatabase.owner.query(
        'update import_rows set preferences = $2 where import_id = $3 and email = $1',
        [`${name}@example.com`, JSON.stringify(preferences), one.id],
      );
    const [before, after] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
    await tell('vera0', {
      lists: [{ of: there.id, subscribed: false, since: before }],
      leaves: { since: before },
    });
    await tell('vera1', { lists: [{ of: there.id, subscribed: false, since: after }], leaves: null });
    await tell('vera2', { lists: [], leaves: { since: after } });
    await work(product, acme, one.id);
    const found = await rows(one);
    expect(found['vera0@example.com']).toMatchObject({
      verdict: 'unchanged',
      reason: 'The customer has changed this here since.',
    });
    expect(found['vera1@example.com']?.verdict).toBe('changed');
    expect(found['vera2@example.com']?.verdict).toBe('changed');
    expect((await apply(one)).counts).toMatchObject({ unchanged: 1, changed: 2 });
  });

  it('who receive nothing there have left everything here, unless they only pause', async () => {
    integrationId = await connect('brevo', brevo.credentials);
    const [list = there] = brevo.addResources('lists', 1);
    brevo.addPeople?.('lists', list.id, [
      { email: 'lena@example.com', state: 'unclear' },
      { email: 'nora@example.com', state: 'subscribed' },
    ]);
    const lena = await buildCustomer(product, acme, 'lena@example.com');
    const one = await start([{ resource: list, list_id: acme.weekly.id }]);
    const checked = await work(product, acme, one.id);
    expect(checked.counts).toMatchObject({ added: 1, changed: 1 });
    expect((await rows(one))['lena@example.com']?.leaves_everything).toBe(true);
    const body: NewAction = {
      type: 'global_unsubscribe',
      name: 'Tell Brevo',
      integration_id: integrationId,
      trigger: { event: 'global_unsubscribed', list_ids: [] },
      target: {},
    };
    await product.call(createAction, { params: acme.params, body }, acme.owner);
    const pause = { params: { ...acme.params, id: lena.id }, body: { global_unsubscribe: true } };
    await product.call(updateCustomer, pause, acme.owner);
    await product.testDatabase.owner.query('update customers set paused_until = $2 where id = $1', [
      lena.id,
      new Date(Date.now() + 86_400_000),
    ]);
    expect((await apply(one)).counts).toMatchObject({ added: 1, unchanged: 1 });
  });
});

describe('a tool', () => {
  it('that rejects the credentials ends the import with the reason', async () => {
    const one = await start([{ resource: there, list_id: null }]);
    mailchimp.trouble({ status: 401 });
    const failed = await work(product, acme, one.id);
    expect(failed).toMatchObject({ status: 'failed', message: expect.stringContaining('credentials') });
  });

  it('that no longer has the list ends it, too', async () => {
    const one = await start([{ resource: { id: 'nothing', name: 'Gone' }, list_id: null }]);
    expect(await work(product, acme, one.id)).toMatchObject({
      status: 'failed',
      message: expect.any(String),
    });
  });

  it('that was disconnected ends it', async () => {
    const one = await start([{ resource: there, list_id: null }]);
    await product.call(deleteIntegration, { params: { ...acme.params, id: integrationId } }, acme.owner);
    const failed = await work(product, acme, one.id);
    expect(failed).toMatchObject({ status: 'failed', message: 'The tool was disconnected in the meantime.' });
  });

  it('that stays unavailable is given up after a day', async () => {
    const one = await start([{ resource: there, list_id: null }]);
    mailchimp.trouble({ status: 503 }, 2);
    await workOnce(product, acme, one.id);
    expect((await readImport(product, acme, one.id)).status).toBe('reading');
    product.clock.advance({ days: 1 });
    await logInAgain(product, world.owner);
    await workOnce(product, acme, one.id);
    const failed = await readImport(product, acme, one.id);
    expect(failed).toMatchObject({ status: 'failed', message: expect.stringContaining('503') });
  });

  it('that cannot list its people is refused with its reason: 400', async () => {
    integrationId = await connect('sendgrid', sendgrid.credentials);
    const body = bodyOf([{ resource: { id: 'a', name: 'A' }, list_id: null }]);
    const error = await product.refuse(createImport, { params: acme.params, body }, acme.owner);
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('Export') });
    integrationId = await connect('brevo', brevo.credentials);
    const tags = { ...body, integration_id: integrationId, kind: 'tags' as const };
    const other = await product.refuse(createImport, { params: acme.params, body: tags }, acme.owner);
    expect(other).toMatchObject({ status: 400, message: expect.stringContaining("'s lists.") });
  });

  it.each([
    ['resources.0.list_id', [{ resource: { id: 'a', name: 'A' }, list_id: 'OTHER' }]],
    [
      'resources.1.resource.id',
      [
        { resource: { id: 'a', name: 'A' }, list_id: null },
        { resource: { id: 'a', name: 'A' }, list_id: null },
      ],
    ],
    ['resources', []],
  ])('is not called with a wrong %s: 422', async (field, resources) => {
    const named = JSON.parse(JSON.stringify(resources).replace('OTHER', world.weekly.id)) as ImportResource[];
    const call = { params: acme.params, body: bodyOf(named) };
    expect((await product.refuse(createImport, call, acme.owner)).errors).toMatchObject([{ field }]);
  });

  it('needs no mapping, and may be checked again with other options', async () => {
    mailchimp.addPeople?.('lists', there.id, people(1, 'subscribed', 'vera'));
    const { id } = await buildCustomer(product, acme, 'vera0@example.com');
    const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
    await product.call(setCustomerLists, { params: { ...acme.params, id }, body }, acme.owner);
    const one = await start([{ resource: there, list_id: acme.weekly.id }]);
    expect((await work(product, acme, one.id)).counts).toMatchObject({ blocked: 1 });
    const mapping = { email: 'email' };
    const refused = await product.refuse(checkImport, { ...ofImport(one), body: { mapping } }, acme.owner);
    expect(refused.errors).toMatchObject([{ field: 'mapping' }]);
    await product.call(checkImport, { ...ofImport(one), body: { options: { revive: true } } }, acme.owner);
    expect((await work(product, acme, one.id)).counts).toMatchObject({ blocked: 0, revived: 1 });
  });
});

describe('the tools', () => {
  let brevoId: string;
  /** The tool of each action. */
  let toolOf: Map<string, string>;

  beforeEach(async () => {
    brevoId = await connect('brevo', brevo.credentials);
    const [brevoList = there] = brevo.addResources('lists', 1);
    const actions: NewAction[] = [
      { integration: integrationId, target: there },
      { integration: brevoId, target: brevoList },
    ].flatMap(({ integration, target }) => [
      {
        type: 'list' as const,
        name: 'Add',
        integration_id: integration,
        trigger: { event: 'subscribed' as const, list_ids: [] },
        target,
        operation: 'add' as const,
      },
      {
        type: 'list' as const,
        name: 'Remove',
        integration_id: integration,
        trigger: { event: 'global_unsubscribed' as const, list_ids: [] },
        target,
        operation: 'remove' as const,
      },
    ]);
    toolOf = new Map();
    for (const body of actions) {
      const { id } = await product.call(createAction, { params: acme.params, body }, acme.owner);
      toolOf.set(id, body.integration_id === brevoId ? 'Brevo' : 'Mailchimp');
    }
  });

  /** Who was told about whom. */
  async function told(): Promise<string[]> {
    const { results } = await product.call(listDeliveries, { params: acme.params }, acme.owner);
    return results
      .map(({ action_id: id, customer_email: email }) => `${toolOf.get(id ?? '')}: ${email?.split('@')[0]}`)
      .toSorted();
  }

  const exportOf = (part: string) => {
    const name = `${part}_email_audience_export_0a1b2c3d4e.csv`;
    return { [name]: readFileSync(join(import.meta.dirname, 'exports', name)) };
  };
  const audience = (...parts: string[]) =>
    new Blob([new Uint8Array(zipOf(Object.assign({}, ...parts.map(exportOf))))], { type: 'text/csv' });

  async function checkAudience(options?: SomeImportOptions) {
    const file = audience('subscribed', 'unsubscribed', 'cleaned');
    const uploaded = await upload(product, acme, file, 'audience.zip');
    const mapping = {
      lists: [],
      ...uploaded.suggested_mapping,
      email: 'Email Address',
      everyone: { state: 'subscribed' as const, list_id: acme.weekly.id },
    };
    const body = { mapping, ...(options === undefined ? {} : { options }) };
    await product.call(checkImport, { ...ofImport(uploaded), body }, acme.owner);
    return work(product, acme, uploaded.id);
  }

  it('receive the opt-outs of a tool’s own export, except that tool, and no subscriptions', async () => {
    const checked = await checkAudience();
    expect(checked).toMatchObject({
      recognized: { tool: 'Mailchimp', is_certain: true },
      options: { send_subscriptions: false, exported_from: integrationId },
      counts: { added: 5, subscribes: 2, unsubscribes: 2 },
      tells: [{ integration_id: brevoId, customers: 2 }],
    });
    await apply(checked);
    expect(await told()).toEqual(['Brevo: ben.falk', 'Brevo: ida.berg']);
  });

  it('receive its subscriptions, too, if the owner says so', async () => {
    const checked = await checkAudience({ send_subscriptions: true });
    expect(checked.tells).toEqual([{ integration_id: brevoId, customers: 4 }]);
    await apply(checked);
    expect(await told()).toEqual([
      'Brevo: ben.falk',
      'Brevo: ida.berg',
      'Brevo: max.ort',
      'Brevo: nora.lind',
    ]);
  });

  it('all receive what a file from none of them says', async () => {
    const file = csv('email,Weekly news,unsubscribed', 'a@example.com,yes,', 'b@example.com,,yes');
    const checked = await uploadAndCheck(product, acme, file);
    expect(checked.options).toEqual({ revive: false, send_subscriptions: true, exported_from: null });
    const tells = new Map(checked.tells.map((one) => [one.integration_id, one.customers]));
    expect(tells).toEqual(new Map([integrationId, brevoId].map((id) => [id, 2])));
    await apply(checked);
    expect(await told()).toEqual(['Brevo: a', 'Brevo: b', 'Mailchimp: a', 'Mailchimp: b']);
    const options = { exported_from: newId() };
    const again = await upload(product, acme, file);
    const body = { mapping: { email: 'email', lists: [] }, options };
    expect(
      (await product.refuse(checkImport, { ...ofImport(again), body }, acme.owner)).errors,
    ).toMatchObject([{ field: 'options.exported_from' }]);
  });

  it('receive who left a tool that people are read from, and nobody else unless the owner says so', async () => {
    mailchimp.addPeople?.('lists', there.id, people(1, 'subscribed', 'in'));
    mailchimp.addPeople?.('lists', there.id, people(1, 'unsubscribed', 'out'));
    await product.call(
      createAction,
      {
        params: acme.params,
        body: {
          type: 'global_unsubscribe',
          name: 'Leave',
          integration_id: brevoId,
          trigger: { event: 'unsubscribed', list_ids: [] },
          target: {},
          operation: 'unsubscribe',
        },
      },
      acme.owner,
    );
    const one = await start([{ resource: there, list_id: acme.weekly.id }]);
    const checked = await work(product, acme, one.id);
    expect(checked.options).toMatchObject({ send_subscriptions: false, exported_from: integrationId });
    expect(checked.tells).toEqual([{ integration_id: brevoId, customers: 1 }]);
    const body = { options: { send_subscriptions: true } };
    await product.call(checkImport, { ...ofImport(one), body }, acme.owner);
    expect((await work(product, acme, one.id)).tells).toEqual([{ integration_id: brevoId, customers: 2 }]);
  });
});
