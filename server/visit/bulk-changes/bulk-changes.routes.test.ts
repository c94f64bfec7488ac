import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { createApiKey } from '#contract/api-keys.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import {
  getBulkChange,
  listBulkChanges,
  listUndoneCustomers,
  previewUndo,
  startUndo,
} from '#contract/bulk-changes.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  type Customer,
  getCustomer,
  listCustomers,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { getDashboard, getListFigures } from '#contract/dashboard.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { applyImport, type ImportDetail } from '#contract/imports.ts';
import { createIntegration, type Integration, updateIntegration } from '#contract/integrations.ts';
import { exportCustomerProof } from '#contract/proof.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { countReasons } from '#server/audience/evidence/reasons.ts';
import { verifySite } from '#server/audience/evidence-checks/verify-site.ts';
import { recountSite } from '#server/audience/counters/counters.ts';
import { newId } from '#server/platform/ids.ts';
import { handleJob as handleInbound } from '#server/sync/inbound/inbound.jobs.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { confirmUndo, preview, undo, undoJobOf, undoOnce } from '#test/harness/bulk-undos.ts';
import { createDeliveryWorkers, untilDone } from '#test/harness/delivery-workers.ts';
import { csv, uploadAndCheck, work } from '#test/harness/imports.ts';
import { buildMember } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { mailchimpWebhook } from '#test/harness/tool-webhooks.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';
import { verifyPack } from '../../../packages/verify/verify.mjs';
import { findBulkChanges } from './bulk-changes.ts';
import { handleJob } from './undo.jobs.ts';

const SECRET = 'a-signing-secret-of-mailchimp';

const workers = createDeliveryWorkers();
let product: TestProduct;
let mailchimp: MailchimpFake;
let world: World;
let acme: World;

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  product = await startTestProduct({ env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url } });
  world = await buildWorld(product);
});

afterAll(async () => {
  await workers.stopAll();
  await product.stop();
  await mailchimp.close();
});

beforeEach(async () => {
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
});

const of = ({ id }: { id: string }) => ({ params: { ...acme.params, id } });
const confirming = (one: { id: string }) => ({ ...of(one), body: { unsubscribes: 0 } });
const owner = (text: string, values: unknown[] = []) => product.testDatabase.owner.query(text, values);

async function importFile(...rows: string[]): Promise<ImportDetail> {
  const one = await uploadAndCheck(product, acme, csv(...rows), { options: { revive: true } });
  await product.call(applyImport, of(one), acme.owner);
  return work(product, acme, one.id);
}

const choose = (customer: Customer, weekly: boolean, offers: boolean) =>
  product.call(
    setCustomerLists,
    {
      params: { ...acme.params, id: customer.id },
      body: [
        { notification_list_id: acme.weekly.id, subscribed: weekly },
        { notification_list_id: acme.offers.id, subscribed: offers },
      ],
    },
    acme.owner,
  );

async function visit(customer: Customer, list: { id: string }, subscribed: boolean): Promise<void> {
  const customerId = await openAsProven(product, acme, customer);
  const body = [{ notification_list_id: list.id, subscribed }];
  await product.call(saveLists, { params: { customerId }, body }, acme.visitor);
}

/** What says what customers receive, and when they chose it. */
async function state(): Promise<Record<string, unknown>> {
  const { rows } = await owner(
    `select email, global_unsubscribe, paused_until, wrong_recipient_at,
       (select json_agg(json_build_array(l.name, s.subscribed, s.changed_at) order by l.name) from subscriptions s
          join lists l on l.site_id = s.site_id and l.id = s.list_id
        where s.site_id = c.site_id and s.customer_id = c.id) as lists
     from customers c where site_id = $1 and email is not null order by email`,
    [acme.site.id],
  );
  return Object.fromEntries(rows.map(({ email, ...row }) => [email, row]));
}

async function counters(): Promise<unknown> {
  const { rows } = await owner(
    `select metric, l.name, sum(value)::int as value from counters c
       left join lists l on l.site_id = c.site_id and l.id = c.list_id
     where c.site_id = $1 and metric in ('customers', 'subscribers') and day = 0
     group by 1, 2 having sum(value) <> 0 order by 1, 2`,
    [acme.site.id],
  );
  return rows;
}

/** Of ten minutes, after which a burst is over. */
async function minutesPass(minutes = 11): Promise<void> {
  product.clock.advance({ minutes });
  await logInAgain(product, world.owner);
}

describe('undoing an import', () => {
  it('restores exactly what it changed, and nothing that a customer chose later', async () => {
    const [ada, bob, cleo, dora] = await Promise.all(
      ['ada', 'bob', 'cleo', 'dora'].map((name) => buildCustomer(product, acme, `${name}@example.com`)),
    );
    if (!ada || !bob || !cleo || !dora) throw new Error('They were built');
    await choose(ada, true, false);
    await choose(bob, true, false);
    await choose(cleo, false, true);
    await product.call(
      updateCustomer,
      { params: { ...acme.params, id: cleo.id }, body: { global_unsubscribe: true } },
      acme.owner,
    );
    const before = await state();
    // The columns are swapped.
    const one = await importFile(
      'email,Offers,Weekly news',
      'ada@example.com,yes,no',
      'bob@example.com,yes,no',
      'cleo@example.com,no,yes',
      'dora@example.com,yes,yes',
    );
    expect(one.counts).toMatchObject({ changed: 1, revived: 3 });
    await visit(bob, acme.offers, false);
    const bobs = (await state())['bob@example.com'];

    const checked = await preview(product, acme, one.id);
    expect(checked.undo).toMatchObject({
      status: 'checked',
      started_by: null,
      counts: { customers: 4, restored: 3, partly: 0, kept: 1, applied: 0, new_customers: 0 },
    });
    expect((await state())['ada@example.com']).not.toEqual(before['ada@example.com']);

    await confirmUndo(product, acme, one.id);
    await undoOnce(product, acme, one.id);
    const done = await product.call(getBulkChange, of(one), acme.owner);
    expect(done.undo).toMatchObject({
      status: 'finished',
      started_by: { kind: 'user', id: acme.owner.id },
      counts: { customers: 4, restored: 3, kept: 1, applied: 4 },
    });
    expect(await state()).toEqual({ ...before, 'bob@example.com': bobs });
    // Bob has left the offers himself, and was taken off the weekly news.
    const kept = await product.call(
      listUndoneCustomers,
      { ...of(one), query: { verdict: 'kept' } },
      acme.owner,
    );
    expect(kept.results).toEqual([
      expect.objectContaining({
        email: 'bob@example.com',
        restores: [],
        keeps: [
          { about: 'list', list_id: acme.weekly.id, reason: 'saved_since' },
          { about: 'list', list_id: acme.offers.id, reason: 'chosen_since' },
        ],
      }),
    ]);
    expect(await counters()).toEqual([
      { metric: 'customers', name: null, value: 4 },
      { metric: 'subscribers', name: 'Weekly news', value: 1 },
    ]);
  });

  it('says in the evidence that it was undone, and never that the customer chose it', async () => {
    const ada = await buildCustomer(product, acme, 'ada@example.com');
    await choose(ada, true, false);
    const one = await importFile('email,Offers', 'ada@example.com,yes');
    await undo(product, acme, one.id);
    const { results } = await product.call(
      listCustomerEvidence,
      { params: { ...acme.params, id: ada.id } },
      acme.owner,
    );
    expect(results[0]).toMatchObject({
      source: 'undo',
      authority: 'owner',
      events: ['unsubscribed'],
      lists: [{ list_id: acme.offers.id, subscribed: false, previous: true }],
      shown: { page_id: null, undone: { kind: 'import', bulk_change_id: one.id, sequences: [3] } },
    });
    const pack = await product.call(
      exportCustomerProof,
      { params: { ...acme.params, id: ada.id } },
      acme.owner,
    );
    expect((await verifyPack([Buffer.from(pack, 'utf8')])).problems).toEqual([]);
    const anchor = { known: null, before: newId() };
    const verified = await verifySite(product.services, acme.site.id, { anchor });
    expect(verified).toMatchObject({ broken: 0, findings: [] });
    const log = await product.call(
      listAuditLog,
      { params: acme.params, query: { noun: 'bulk_change' } },
      acme.owner,
    );
    expect(log.results).toEqual([
      expect.objectContaining({
        event: 'bulk_change.undone',
        subject_id: one.id,
        subject_name: 'people.csv',
        count: 1,
        actor: expect.objectContaining({ id: acme.owner.id }),
      }),
    ]);
  });

  it('returns to never chosen, runs actions once, and counts as if nothing had happened', async () => {
    const ada = await buildCustomer(product, acme, 'ada@example.com');
    await buildWebhook(product, acme, { url: 'https://shop.example/hook', event: 'unsubscribed' });
    const [before, counted] = [await state(), await counters()];
    const one = await importFile('email,Offers', 'ada@example.com,yes');
    const checked = await preview(product, acme, one.id);
    expect(checked.undo).toMatchObject({
      counts: { subscribes: 0, unsubscribes: 1 },
      tells: [{ integration_id: null, customers: 1 }],
    });
    await undo(product, acme, one.id);
    expect(await state()).toEqual(before);
    expect(await counters()).toEqual(counted);
    const { results: sent } = await product.call(listDeliveries, { params: acme.params }, acme.owner);
    expect(sent).toHaveLength(1);
    const { results } = await product.call(
      listCustomerEvidence,
      { params: { ...acme.params, id: ada.id } },
      acme.owner,
    );
    expect(results[0]?.lists).toEqual([
      { list_id: acme.offers.id, name: 'Offers', subscribed: false, previous: true, cleared: true },
    ]);
  });

  it('deletes the customers that it created, but not those who came to stay', async () => {
    await buildWebhook(product, acme, { url: 'https://shop.example/hook', event: 'unsubscribed' });
    const [before, counted] = [await state(), await counters()];
    const one = await importFile(
      'email,Offers',
      'new@example.com,yes',
      'stays@example.com,yes',
      'idle@example.com,',
    );
    const { results } = await product.call(listCustomers, { params: acme.params }, acme.owner);
    const stays = results.find(({ email }) => email === 'stays@example.com');
    const gone = results.find(({ email }) => email === 'new@example.com');
    if (stays === undefined || gone === undefined) throw new Error('They were imported');
    await visit(stays, acme.weekly, true);
    const done = await undo(product, acme, one.id);
    expect(done.undo).toMatchObject({ status: 'deleting', counts: { new_customers: 2, deleted: 0 } });
    // The webhook is still on its way.
    await undoOnce(product, acme, one.id);
    expect(Object.keys(await state())).toEqual(['new@example.com', 'stays@example.com']);
    await owner(`update deliveries set status = 'arrived', next_attempt_at = null where site_id = $1`, [
      acme.site.id,
    ]);
    await undoOnce(product, acme, one.id);
    const finished = await product.call(getBulkChange, of(one), acme.owner);
    expect(finished.undo).toMatchObject({ status: 'finished', counts: { new_customers: 2, deleted: 2 } });
    expect(Object.keys(await state())).toEqual(['stays@example.com']);
    expect(before).toEqual({});
    expect(counted).toEqual([]);
    expect(await counters()).toEqual([
      { metric: 'customers', name: null, value: 1 },
      { metric: 'subscribers', name: 'Weekly news', value: 1 },
    ]);
    expect((await product.refuse(getCustomer, of(gone), acme.owner)).status).toBe(404);
    const anchor = { known: null, before: newId() };
    expect(await verifySite(product.services, acme.site.id, { anchor })).toMatchObject({ broken: 0 });
  });

  it('is repeated after a worker died, without a second choice', async () => {
    await buildCustomer(product, acme, 'ada@example.com');
    const one = await importFile('email,Offers', 'ada@example.com,yes');
    await preview(product, acme, one.id);
    await confirmUndo(product, acme, one.id);
    const job = await undoJobOf(product, acme, one.id);
    await Promise.all([handleJob(product.services, job), handleJob(product.services, job)]);
    // Dead before it was recorded that the slice was done.
    await owner(`update bulk_undos set status = 'applying', cursor = null where id = $1`, [one.id]);
    await owner('update bulk_undo_customers set applied_at = null where undo_id = $1', [one.id]);
    await undoOnce(product, acme, one.id);
    const { rows } = await owner(
      `select count(*)::int as made from choices where site_id = $1 and source = 'undo'`,
      [acme.site.id],
    );
    expect(rows).toEqual([{ made: 1 }]);
    expect((await product.call(getBulkChange, of(one), acme.owner)).undo).toMatchObject({
      status: 'finished',
    });
  });

  it('can be started once, by somebody who may edit, after a preview, and by nobody else', async () => {
    await buildCustomer(product, acme, 'ada@example.com');
    const one = await importFile('email,Offers', 'ada@example.com,yes');
    const viewer = await buildMember(product, acme, 'viewer');
    expect((await product.refuse(startUndo, confirming(one), viewer)).status).toBe(403);
    expect((await product.refuse(startUndo, confirming(one), acme.owner)).message).toBe(
      'Preview the undo first, then start it.',
    );
    // A preview changes no customers, so a viewer may have it worked out.
    await product.call(previewUndo, of(one), viewer);
    expect((await product.refuse(startUndo, confirming(one), acme.owner)).message).toContain(
      "isn't ready yet",
    );
    await preview(product, acme, one.id);
    expect(await product.call(getBulkChange, of(one), viewer)).toMatchObject({ kind: 'import' });
    expect((await product.refuse(startUndo, confirming(one), viewer)).status).toBe(403);
    const answers = await Promise.allSettled([
      confirmUndo(product, acme, one.id),
      confirmUndo(product, acme, one.id),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const second = await product.refuse(startUndo, confirming(one), acme.owner);
    expect(second).toMatchObject({ status: 409, message: 'This bulk change is already being undone.' });
    expect((await product.refuse(previewUndo, of(one), acme.owner)).status).toBe(409);
    await undoOnce(product, acme, one.id);
    expect((await product.refuse(startUndo, confirming(one), acme.owner)).message).toBe(
      'This bulk change was already undone.',
    );
    const another = await buildSite(product, world.owner, world.params.organization_id);
    const elsewhere = { params: { ...another.params, id: one.id } };
    for (const route of [getBulkChange, previewUndo, listUndoneCustomers] as const) {
      expect((await product.refuse(route, elsewhere, acme.owner)).status).toBe(404);
    }
    const started = { ...elsewhere, body: { unsubscribes: 0 } };
    expect((await product.refuse(startUndo, started, acme.owner)).status).toBe(404);
  });
});

describe('the undo of an import', () => {
  it('leaves no trace in any figure', async () => {
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map((name) => buildCustomer(product, acme, `${name}@example.com`)),
    );
    if (!ada || !bob) throw new Error('They were built');
    await visit(ada, acme.weekly, true);
    await visit(bob, acme.weekly, true);
    await visit(bob, acme.weekly, false);
    const figures = async () => {
      const [{ until: _, ...dashboard }, lists, reasons] = await Promise.all([
        product.call(getDashboard, { params: acme.params, query: { range: '30d' } }, acme.owner),
        product.call(getListFigures, { params: acme.params }, acme.owner),
        countReasons(product.services, acme.site.id, new Date(0)),
      ]);
      const { rows } = await owner(
        `select metric, list_id, day, sum(value)::int as value from counters where site_id = $1
         group by 1, 2, 3 having sum(value) <> 0 order by 1, 2, 3`,
        [acme.site.id],
      );
      return { dashboard, lists, reasons, rows };
    };
    const before = await figures();
    const one = await importFile(
      'email,Weekly news,Offers,unsubscribed',
      'ada@example.com,no,yes,',
      'bob@example.com,yes,,',
      'new@example.com,yes,yes,',
      'left@example.com,,,yes',
    );
    expect((await figures()).dashboard.joins).not.toEqual(before.dashboard.joins);
    await undo(product, acme, one.id);
    await undoOnce(product, acme, one.id);
    expect((await product.call(getBulkChange, of(one), acme.owner)).undo?.status).toBe('finished');
    expect(await figures()).toEqual(before);
    // The nightly recount counts the same.
    expect(await recountSite(product.services, acme.site.id, new Date(0))).toEqual([]);
    // A day later, part of it is counted from rows.
    await minutesPass(24 * 60);
    const query = { range: '30d' } as const;
    const later = await product.call(getDashboard, { params: acme.params, query }, acme.owner);
    expect(later.choices.now).toBe(before.dashboard.choices.now);
    expect(later.choices.unsent_because.uncovered).toBe(before.dashboard.choices.unsent_because.uncovered);
  });
});

describe('undoing an import in a tool', () => {
  const statusOf = (name: string) =>
    mailchimp.member(mailchimp.audience, `${name}@example.com`)?.status ?? null;

  async function connect(): Promise<void> {
    const { id: integration_id } = await product.call(
      createIntegration,
      { params: acme.params, body: { provider: 'mailchimp', credentials: { ...mailchimp.credentials } } },
      acme.owner,
    );
    for (const [event, operation] of [
      ['subscribed', 'add'],
      ['unsubscribed', 'remove'],
    ] as const) {
      const body = {
        type: 'list' as const,
        name: operation,
        integration_id,
        trigger: { event, list_ids: [acme.weekly.id] },
        operation,
        target: { id: mailchimp.audience, name: 'News' },
      };
      await product.call(createAction, { params: acme.params, body }, acme.owner);
    }
  }

  async function toolIsTold(): Promise<void> {
    await owner('delete from tool_rate_limits');
    const worker = workers.answering(product);
    await untilDone(product, acme.site.id);
    await worker.stop();
    await logInAgain(product, world.owner);
  }

  const outcomes = async () => {
    const { rows } = await owner(
      `select c.email, d.outcome from deliveries d join choices on choices.id = d.choice_id
         join customers c on c.id = d.customer_id
       where d.site_id = $1 and choices.source = 'undo' order by 1`,
      [acme.site.id],
    );
    return rows.map(({ email, outcome }) => `${email.split('@')[0]}: ${outcome}`);
  };

  it('removes whom the import added there, and leaves those who were there, or had left, before', async () => {
    for (const name of ['there', 'out']) {
      mailchimp.addMember(mailchimp.audience, `${name}@example.com`, {
        status: name === 'there' ? 'subscribed' : 'unsubscribed',
      });
    }
    for (const name of ['there', 'added', 'also-added', 'out', 'removed']) {
      await buildCustomer(product, acme, `${name}@example.com`);
    }
    await importFile('email,Weekly news', 'out@example.com,yes', 'removed@example.com,yes');
    mailchimp.addMember(mailchimp.audience, 'removed@example.com', { status: 'subscribed' });
    await connect();
    await minutesPass();
    const one = await importFile(
      'email,Weekly news',
      ...['there', 'added', 'also-added'].map((name) => `${name}@example.com,yes`),
      ...['out', 'removed'].map((name) => `${name}@example.com,no`),
    );
    await toolIsTold();
    expect(['there', 'added', 'also-added', 'out', 'removed'].map(statusOf)).toEqual([
      'subscribed',
      'subscribed',
      'subscribed',
      'unsubscribed',
      'unsubscribed',
    ]);

    const checked = await preview(product, acme, one.id);
    expect(checked.undo?.counts).toMatchObject({ subscribes: 2, unsubscribes: 3 });
    expect(
      checked.undo?.tells.map(({ customers, stays, unknown, unsent }) => [customers, stays, unknown, unsent]),
    )
      // Those who are added again, and those who are removed.
      .toEqual(
        expect.arrayContaining([
          [1, 1, 0, 0],
          [2, 1, 0, 0],
        ]),
      );
    const unconfirmed = await product.refuse(startUndo, confirming(one), acme.owner);
    expect(unconfirmed.status).toBe(422);
    expect(unconfirmed.message).toContain('In the preview, that is 3.');
    await confirmUndo(product, acme, one.id);
    await undoOnce(product, acme, one.id);
    await toolIsTold();
    expect(['there', 'added', 'also-added', 'out', 'removed'].map(statusOf)).toEqual([
      'subscribed',
      'unsubscribed',
      'unsubscribed',
      'unsubscribed',
      'subscribed',
    ]);
    expect(await outcomes()).toEqual([
      'added: confirmed',
      'also-added: confirmed',
      'out: untouched',
      'removed: confirmed',
      'there: untouched',
    ]);
  });

  it('cancels what was not sent to the tool yet, and sends nothing in its place', async () => {
    const names = ['single-there', 'single-new'];
    mailchimp.addMember(mailchimp.audience, 'single-there@example.com', { status: 'subscribed' });
    for (const name of names) await buildCustomer(product, acme, `${name}@example.com`);
    await connect();
    const one = await importFile('email,Weekly news', ...names.map((name) => `${name}@example.com,yes`));
    const checked = await preview(product, acme, one.id);
    expect(checked.undo?.tells).toMatchObject([{ customers: 0, stays: 0, unknown: 0, unsent: 2 }]);
    await confirmUndo(product, acme, one.id);
    await undoOnce(product, acme, one.id);
    const calls = mailchimp.seen.length;
    await toolIsTold();
    expect(mailchimp.seen).toHaveLength(calls);
    expect(names.map(statusOf)).toEqual(['subscribed', null]);
  });
});

describe('bursts of changes', () => {
  const people = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => buildCustomer(product, acme, `p${at}@example.com`)));

  const listed = async () =>
    (await product.call(listBulkChanges, { params: acme.params }, acme.owner)).results;

  it('by an API key can be undone once they are over; a few changes are not a burst', async () => {
    const all = await people(21);
    for (const one of all) await choose(one, true, false);
    // What the team did to set up is a burst of its own.
    await minutesPass();
    const before = await state();
    const key = await product.call(
      createApiKey,
      { params: acme.params, body: { name: 'Shop', scopes: ['customers', 'read', 'write'] } },
      acme.owner,
    );
    const shop = { token: key.key };
    const write = (customer: Customer) =>
      product.call(
        setCustomerLists,
        {
          params: { ...acme.params, id: customer.id },
          body: [{ notification_list_id: acme.weekly.id, subscribed: false }],
        },
        shop,
      );
    for (const one of all.slice(0, 19)) await write(one);
    expect((await listed()).filter(({ actor }) => actor?.kind === 'api_key')).toEqual([]);
    for (const one of all.slice(19)) await write(one);
    const [burst] = await listed();
    if (burst === undefined) throw new Error('There is one');
    expect(burst).toMatchObject({
      kind: 'edit',
      customers: 21,
      is_running: true,
      actor: { kind: 'api_key', name: 'Shop' },
      undo: null,
    });
    expect((await product.refuse(previewUndo, of(burst), acme.owner)).message).toContain(
      'may still be going on',
    );
    await minutesPass();
    const done = await undo(product, acme, burst.id);
    expect(done.undo).toMatchObject({ status: 'finished', counts: { restored: 21, subscribes: 21 } });
    expect(await state()).toEqual(before);
    expect((await listed())[0]).toMatchObject({ id: burst.id, undo: { status: 'finished' } });
  });

  it('are found among the newest choices only, which imports are not part of', async () => {
    const all = await people(20);
    const [first] = all;
    if (first === undefined) throw new Error('There are 20');
    await choose(first, true, false);
    await minutesPass();
    for (const one of all) await choose(one, false, true);
    await minutesPass();
    await importFile('email,Offers', ...all.map(({ email }) => `${email},no`));
    const found = async (lookedAt: number) => {
      const { database, clock } = product.services;
      const bulkChanges = await database.readSite(acme.site.id, (site) =>
        findBulkChanges(site, clock.now(), { lookedAt }),
      );
      return bulkChanges.map(({ about }) => about.kind);
    };
    expect(await found(21)).toEqual(['import', 'edit']);
    expect(await found(20)).toEqual(['import']);
  });

  it('by a tool can be undone, including changes of emails', async () => {
    const integration: Integration = await product.call(
      createIntegration,
      { params: acme.params, body: { provider: 'mailchimp', credentials: { ...mailchimp.credentials } } },
      acme.owner,
    );
    const tool = await product.call(
      updateIntegration,
      { params: { ...acme.params, id: integration.id }, body: { webhook_secret: SECRET } },
      acme.owner,
    );
    await product.call(
      createAction,
      {
        params: acme.params,
        body: {
          type: 'list',
          name: 'Keep both the same',
          integration_id: integration.id,
          trigger: { event: 'unsubscribed', list_ids: [acme.weekly.id] },
          operation: 'remove',
          target: { id: 'a', name: 'Weekly there' },
        },
      },
      acme.owner,
    );
    const all = await people(22);
    for (const one of all) await choose(one, true, true);
    await minutesPass();
    const before = await state();
    for (const [index, { email }] of all.entries()) {
      const at = product.clock.now();
      const told =
        index === 0
          ? mailchimpWebhook(
              'upemail',
              { list_id: 'a', old_email: email, new_email: 'moved@example.com' },
              { at, secret: SECRET },
            )
          : mailchimpWebhook('unsubscribe', { id: `e${index}`, list_id: 'a', email }, { at, secret: SECRET });
      await fetch(tool.webhook_url ?? '', { method: 'POST', headers: told.headers, body: told.body });
    }
    const { rows } = await owner(`select id from inbound_requests where site_id = $1 and state = 'waiting'`, [
      acme.site.id,
    ]);
    for (const { id } of rows) {
      await handleInbound(product.services, { site_id: acme.site.id, id: String(id), round: 0 });
    }
    expect(await state()).not.toEqual(before);
    await minutesPass();
    const burst = (await listed()).find(({ kind }) => kind === 'incoming');
    expect(burst).toMatchObject({ integration_id: tool.id, actor: null, customers: 22 });
    // One of them decides for themselves.
    const [, second] = all;
    if (burst === undefined || second === undefined) throw new Error('There is one');
    const customerId = await openAsProven(product, acme, second);
    const body = [{ notification_list_id: acme.weekly.id, subscribed: true }];
    await product.call(saveLists, { params: { customerId }, body }, acme.visitor);
    const theirs = (await state())[second.email];
    const done = await undo(product, acme, burst.id);
    expect(done.undo).toMatchObject({ counts: { restored: 21, kept: 1 } });
    expect(await state()).toEqual({ ...before, [second.email]: theirs });
  });
});
