import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ActionType,
  createAction,
  deleteAction,
  isTargeted,
  listActions,
  TOOL_ACTION_TYPES,
  type ToolActionType,
  updateAction,
} from '#contract/actions.ts';
import { type ActionPlan, previewChoice, type PreviewedChoice } from '#contract/choice-previews.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { type Customer, getCustomer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import { updateList } from '#contract/lists.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { updateSite } from '#contract/sites.ts';
import type { Resource } from '#server/connectors/connector.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { deliveriesWithChoices } from '#server/delivery/deliveries/deliveries.sql.ts';
import { deliverLeased, deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import type { FakeTool, Seen } from '#test/fakes/tools/fake-tool.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { buildCustomer, buildSite, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let receiver: WebhookReceiver;
let tools: FakeTools;
let nora: World;

beforeAll(async () => {
  [receiver, tools] = await Promise.all([startWebhookReceiver(), startFakeTools()]);
  const env = Object.fromEntries(tools.accounts.map(({ setting, url }) => [setting, url]));
  // No worker: the tests make each attempt themselves.
  product = await startTestProduct({ env });
  nora = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await receiver.close();
  await tools.close();
});

const newSite = () => buildSite(product, nora.owner, nora.params.organization_id);

const preview = (site: World, customer: { id: string } | { email: string }, choice: PreviewedChoice) =>
  product.call(previewChoice, { params: site.params, body: { customer, choice } }, site.owner);

type NewAction = Parameters<typeof product.call<typeof createAction>>[1]['body'];

const act = (site: World, type: ActionType, event: ChoiceEvent, parts: Partial<NewAction> = {}) =>
  product.call(
    createAction,
    {
      params: site.params,
      body: { type, name: `${type} ${event}`, trigger: { event }, target: { url: receiver.url }, ...parts },
    },
    site.owner,
  );

/** Makes the attempts of what is waiting for this customer, oldest first. */
async function deliver(site: World, customerId: string): Promise<void> {
  const query = { customer_id: customerId };
  const { results } = await product.call(listDeliveries, { params: site.params, query }, site.owner);
  for (const { id } of results.toReversed()) {
    await product.testDatabase.owner.query('delete from tool_rate_limits');
    const params = { ...site.params, id };
    const { attempt_count: round, status } = await product.call(getDelivery, { params }, site.owner);
    if (status !== 'waiting') continue;
    await deliverNow(product.services, { site_id: site.params.site_id, id, round });
  }
}

/** As the owner would, with what tools are told being the same. */
async function makeChoice(site: World, { id }: Customer, choice: PreviewedChoice): Promise<void> {
  const params = { ...site.params, id };
  if ('lists' in choice) {
    await product.call(setCustomerLists, { params, body: choice.lists }, site.owner);
  } else if ('email' in choice || 'global_unsubscribe' in choice) {
    await product.call(updateCustomer, { params, body: choice }, site.owner);
  }
}

interface Call {
  method: string;
  path: string;
  body: unknown;
}

/** What a tool got that changes something there; logging in is none of it. */
function writesIn(seen: readonly Seen[]): Call[] {
  return seen
    .filter(({ method, url }) => method !== 'GET' && !/\/(?:search|read)(?:[/?]|$)|oauth|token/.test(url))
    .map(({ method, url, body }) => ({ method, path: url, body }));
}

function callsOf({ calls }: ActionPlan, fake: FakeTool): Call[] {
  return calls.map(({ method, url, headers, body }) => ({
    method,
    path: url.slice(new URL(fake.url).origin.length),
    body: bodyOf(headers['content-type'], body),
  }));
}

function bodyOf(type: string | undefined, body: string | null): unknown {
  if (body === null || body === '') return null;
  return type === 'application/json' ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

const EVENT_OF: Record<ToolActionType, ChoiceEvent> = {
  global_unsubscribe: 'global_unsubscribed',
  suppression_group: 'unsubscribed',
  switch_email: 'email_changed',
  tag: 'subscribed',
  funnel: 'subscribed',
  list: 'subscribed',
  automation: 'subscribed',
};

/** Their connectors read the tool after a write, and would write again where it does not show. */
const READS_BACK = new Set(['sendgrid', 'kit', 'campaign-monitor', 'sendlane', 'salesforce']);

describe.each(CONNECTORS.map((connector) => ({ name: connector.name, connector })))(
  'the preview for $name',
  ({ connector }) => {
    let site: World;
    let integration_id: string;
    let count = 0;
    const fakeTool = () => tools.fakes[connector.id] as FakeTool;

    beforeAll(async () => {
      site = await newSite();
      const body = { provider: connector.id, credentials: fakeTool().credentials };
      integration_id = (await product.call(createIntegration, { params: site.params, body }, site.owner)).id;
    });

    const types = TOOL_ACTION_TYPES.filter((type) => connector.actions[type].can);
    // Of somebody unknown there, one will do: what is different then is the same for all.
    const stranger = types.find((type) => type === 'tag' || type === 'list') ?? 'global_unsubscribe';
    const cases: { type: ToolActionType; isKnown: boolean }[] = [
      ...types.map((type) => ({ type, isKnown: true })),
      { type: stranger, isKnown: false },
    ];

    it.each(cases)('by $type is what it then receives (known there: $isKnown)', async ({ type, isKnown }) => {
      const fake = fakeTool();
      const email = `person-${(count += 1)}@example.com`;
      if (isKnown) fake.addContact(email);
      const customer = await buildCustomer(product, site, email);
      const only = (subscribed: boolean) => ({
        lists: [{ notification_list_id: site.weekly.id, subscribed }],
      });
      const event = EVENT_OF[type];
      if (event === 'unsubscribed') await makeChoice(site, customer, only(true));
      const capability = connector.actions[type];
      const kind = capability.can ? capability.target : null;
      const [target] = isTargeted(type) && kind !== null ? fake.addResources(kind, 1) : [{}];
      const action = await act(site, type, event, {
        integration_id,
        target: target ?? {},
        operation: capability.can ? (capability.operations[0] ?? null) : null,
      });
      const choice: PreviewedChoice =
        event === 'global_unsubscribed'
          ? { global_unsubscribe: true }
          : event === 'email_changed'
            ? { email: `new-${email}` }
            : only(event === 'subscribed');

      try {
        const start = fake.seen.length;
        const { choices } = await preview(site, { id: customer.id }, choice);
        expect(writesIn(fake.seen.slice(start))).toEqual([]);
        const plan = choices[0]?.actions.find((one) => one.action_id === action.id);
        if (plan === undefined) throw new Error('The action has no plan');

        const before = fake.seen.length;
        await makeChoice(site, customer, choice);
        await deliver(site, customer.id);
        const told = writesIn(fake.seen.slice(before));
        const planned = callsOf(plan, fake);
        expect(told.slice(0, planned.length)).toEqual(planned);
        if (plan.is_exact) expect(planned).toEqual(told);
        const isSure = isKnown && type !== 'switch_email' && !READS_BACK.has(connector.id);
        if (isSure) expect(plan).toMatchObject({ is_exact: true });
        const shown = JSON.stringify(choices);
        for (const { name } of connector.credentials.filter(({ secret }) => secret)) {
          expect(shown).not.toContain(fake.credentials[name]);
        }
      } finally {
        await product.call(deleteAction, { params: { ...site.params, id: action.id } }, site.owner);
      }
    });
  },
);

/** By which action a tool hears of an event; one, so that no call depends on another one's answer. */
const TOLD_BY: readonly [ChoiceEvent, readonly ToolActionType[], string][] = [
  ['subscribed', ['list', 'tag', 'funnel', 'automation'], 'add'],
  ['unsubscribed', ['list', 'tag', 'suppression_group'], 'remove'],
  ['email_changed', ['switch_email'], 'switch'],
  ['global_unsubscribed', ['global_unsubscribe'], 'unsubscribe'],
];

describe('all ten tools at once', () => {
  let site: World;
  const nameOf = new Map<string, string>();
  let people: [Customer, Customer, Customer];

  const connectAndTie = async (id: string) => {
    const fake = tools.fakes[id] as FakeTool;
    const connect = { provider: id, credentials: fake.credentials };
    const made = await product.call(createIntegration, { params: site.params, body: connect }, site.owner);
    nameOf.set(made.id, id);
    const { actions } = CONNECTORS.find((one) => one.id === id) ?? {};
    const chosen = new Map<string, Resource>();
    for (const [event, types, operation] of TOLD_BY) {
      const type = types.find((one) => actions?.[one].can);
      const capability = type === undefined ? undefined : actions?.[type];
      if (type === undefined || capability?.can !== true) continue;
      const kind = capability.target;
      const target = kind === null ? undefined : (chosen.get(kind) ?? fake.addResources(kind, 1)[0]);
      if (kind !== null && target !== undefined) chosen.set(kind, target);
      await act(site, type, event, {
        integration_id: made.id,
        // Leaving everything leaves the other list, too, which is nothing to this action.
        ...(event === 'unsubscribed' && { trigger: { event, list_ids: [site.weekly.id] } }),
        target: target ?? {},
        operation: capability.operations.find((one) => one === operation) ?? capability.operations[0] ?? null,
      });
    }
  };

  beforeAll(async () => {
    site = await newSite();
    for (const { id } of CONNECTORS) await connectAndTie(id);
    const emails = ['una@example.com', 'dva@example.com', 'tri@example.com'];
    for (const { id } of CONNECTORS) for (const email of emails) tools.fakes[id]?.addContact(email);
    const [una, dva, tri] = await Promise.all(emails.map((email) => buildCustomer(product, site, email)));
    if (una === undefined || dva === undefined || tri === undefined) throw new Error('There is nobody');
    people = [una, dva, tri];
  });

  /** Makes all that waits, as a worker that has leased what each receiver is to be told. */
  async function deliverLikeAWorker(): Promise<void> {
    const siteId = site.params.site_id;
    for (;;) {
      await product.testDatabase.owner.query('delete from tool_rate_limits');
      const query = { status: 'waiting' as const, limit: 100 };
      const { results } = await product.call(listDeliveries, { params: site.params, query }, site.owner);
      if (results.length === 0) return;
      const rows = await product.services.database.readOnce(siteId, (db) =>
        deliveriesWithChoices(
          db,
          siteId,
          results.map(({ id }) => id),
        ),
      );
      const { results: actions } = await product.call(listActions, { params: site.params }, site.owner);
      const toolOf = new Map(actions.map((action) => [action.id, action.integration_id ?? '']));
      const order = new Map(people.map(({ id }, at) => [id, at]));
      const byTool = Map.groupBy(rows, (row) => toolOf.get(row.action_id) ?? '');
      const leasedAt = performance.now();
      for (const [receiver, all] of byTool) {
        const inOrder = all.toSorted(
          (one, other) => (order.get(one.customer_id) ?? 0) - (order.get(other.customer_id) ?? 0),
        );
        const leased = inOrder.map((row) => ({ siteId, receiver, isTool: true, row, leasedAt }));
        await deliverLeased(product.services, leased);
      }
    }
  }

  const only = (subscribed: boolean): PreviewedChoice => ({
    lists: [{ notification_list_id: site.weekly.id, subscribed }],
  });

  /** What each tool would be told, by the tool; in order. */
  async function plansFor(customer: Customer, choice: PreviewedChoice, together: Customer[] = []) {
    const together_with = together.length === 0 ? undefined : together.map(({ id }) => id);
    const body = { customer: { id: customer.id }, choice, together_with };
    const { choices } = await product.call(previewChoice, { params: site.params, body }, site.owner);
    expect(choices).toHaveLength(1);
    return new Map(
      (choices[0]?.actions ?? []).flatMap((plan) => {
        const id = nameOf.get(plan.integration_id ?? '') ?? '';
        const calls = callsOf(plan, tools.fakes[id] as FakeTool);
        const isMeant = !['other_event', 'other_lists'].includes(plan.no_calls_because ?? '');
        return isMeant ? [[id, { plan, calls }] as const] : [];
      }),
    );
  }

  const seenNow = () => new Map(CONNECTORS.map(({ id }) => [id, tools.fakes[id]?.seen.length ?? 0]));
  const writesSince = (id: string, before: ReadonlyMap<string, number>) =>
    writesIn(tools.fakes[id]?.seen.slice(before.get(id) ?? 0) ?? []);
  const sorted = (calls: readonly Call[]) => calls.map((call) => JSON.stringify(call)).toSorted();

  it('receive for one person what was shown: method, path and body of every call', async () => {
    const [una] = people;
    const told = new Set<string>();
    const moved: PreviewedChoice = { email: 'una.new@example.com' };
    const choices = [only(true), only(false), moved, { global_unsubscribe: true }];
    for (const choice of choices) {
      const start = seenNow();
      const plans = await plansFor(una, choice);
      for (const { id } of CONNECTORS) expect(writesSince(id, start), id).toEqual([]);
      const before = seenNow();
      await makeChoice(site, una, choice);
      await deliverLikeAWorker();
      for (const { id } of CONNECTORS) {
        const { plan, calls = [] } = plans.get(id) ?? {};
        const writes = writesSince(id, before);
        expect(writes.slice(0, calls.length), `${id}: ${JSON.stringify(choice)}`).toEqual(calls);
        if (plan?.is_exact !== false) expect(calls, id).toEqual(writes);
        if (calls.length > 0) told.add(id);
      }
    }
    expect([...told].toSorted()).toEqual(CONNECTORS.map(({ id }) => id).toSorted());
    await makeChoice(site, una, { email: 'una@example.com' });
    await deliverLikeAWorker();
    await makeChoice(site, una, { global_unsubscribe: false });
    await deliverLikeAWorker();
  });

  it('receive for several people the calls that were shown as shared', async () => {
    const [una, dva, tri] = people;
    const shared = new Set<string>();
    for (const choice of [only(true), only(false), { global_unsubscribe: true }]) {
      const own = await Promise.all(people.map((one) => plansFor(one, choice)));
      const together = await plansFor(una, choice, [dva, tri]);
      const before = seenNow();
      for (const one of people) await makeChoice(site, one, choice);
      await deliverLikeAWorker();
      // SendGrid takes people out a second time while it may still store them (decision 073).
      await product.testDatabase.owner.query(
        'update deliveries set confirmed_at = now() where confirmed_at is null',
      );
      for (const { id } of CONNECTORS) {
        const writes = writesSince(id, before);
        const { calls = [] } = together.get(id) ?? {};
        const alone = own[0]?.get(id)?.calls ?? [];
        const what = `${id}: ${JSON.stringify(choice)}`;
        if (JSON.stringify(calls) === JSON.stringify(alone)) {
          const each = own.flatMap((plans) => plans.get(id)?.calls ?? []);
          const isExact = own.every((plans) => plans.get(id)?.plan.is_exact !== false);
          if (isExact) expect(sorted(writes), what).toEqual(sorted(each));
          else expect(sorted(writes), what).toEqual(expect.arrayContaining(sorted(each)));
          continue;
        }
        shared.add(id);
        expect(writes.slice(0, calls.length), what).toEqual(calls);
        // One call for three people.
        expect(writes.length, what).toBeLessThan(people.length);
      }
    }
    const canShare = CONNECTORS.filter(({ applyMany }) => applyMany !== undefined).map(({ id }) => id);
    expect([...shared].toSorted()).toEqual(canShare.toSorted());
  });
});

describe('what the business receives', () => {
  const weekly = (site: World, subscribed: boolean) => ({
    lists: [{ notification_list_id: site.weekly.id, subscribed }],
  });

  it('is what the preview showed, except for what only a save can know', async () => {
    const site = await newSite();
    await act(site, 'webhook', 'subscribed');
    await act(site, 'evidence', 'subscribed');
    const vera = await buildCustomer(product, site);
    const { choices, customer } = await preview(site, { email: vera.email }, weekly(site, true));
    expect(customer).toEqual({ id: vera.id, email: vera.email });
    expect(receiver.received).toEqual([]);
    const planned = choices[0]?.actions ?? [];
    expect(planned.map(({ is_exact, no_calls_because: why }) => [is_exact, why])).toEqual([
      [true, null],
      [true, null],
    ]);

    const customerId = await openAsProven(product, site, vera);
    await product.call(saveLists, { params: { customerId }, body: weekly(site, true).lists }, site.visitor);
    await deliver(site, vera.id);
    const contentOf = (body: string | null | undefined) => JSON.parse(body ?? '') as { data: object };
    const [hook, evidence] = receiver.received.map(({ body }) => contentOf(body));
    const [plannedHook, plannedEvidence] = planned.map(({ calls }) => contentOf(calls[0]?.body));
    expect({ ...plannedHook, timestamp: '' }).toEqual({ ...hook, timestamp: '' });
    expect(plannedEvidence?.data).toMatchObject({ email: vera.email, events: ['subscribed'] });
    expect(Object.keys(plannedEvidence?.data ?? {})).toEqual(Object.keys(evidence?.data ?? {}));
    for (const { calls } of planned) {
      expect(calls[0]).toMatchObject({
        method: 'POST',
        url: receiver.url,
        headers: { 'webhook-signature': '[hidden]' },
      });
    }
    receiver.received.length = 0;
  });

  it('about somebody new comes in two steps, and neither is stored', async () => {
    const site = await newSite();
    await act(site, 'webhook', 'customer_created');
    await act(site, 'webhook', 'global_unsubscribed');
    const rows = () => readRows(product.testDatabase.owner);
    const before = await rows();
    const found = await preview(site, { email: 'new@example.com' }, { global_unsubscribe: true });
    const { 'public.rate_limits': _, ...after } = await rows();
    expect(before).toMatchObject(after);
    expect(found.customer).toEqual({ id: null, email: 'new@example.com' });
    expect(found.choices.map(({ events, actions }) => [events, actions[0]?.event])).toEqual([
      [['customer_created'], 'customer_created'],
      [expect.arrayContaining(['global_unsubscribed']), 'global_unsubscribed'],
    ]);
    expect(receiver.received).toEqual([]);
  });

  it('names what sends nothing, and why', async () => {
    const site = await newSite();
    const off = await act(site, 'webhook', 'subscribed');
    const params = { ...site.params, id: off.id };
    await product.call(updateAction, { params, body: { enabled: false } }, site.owner);
    const other = await act(site, 'webhook', 'subscribed', {
      trigger: { event: 'subscribed', list_ids: [site.offers.id] },
    });
    const leaving = await act(site, 'webhook', 'unsubscribed');
    const on = await act(site, 'webhook', 'subscribed');
    const vera = await buildCustomer(product, site);
    const reasons = async () => {
      const { choices } = await preview(site, { id: vera.id }, weekly(site, true));
      const why = choices[0]?.actions.map(({ action_id: id, no_calls_because: one }) => [id, one]);
      return Object.fromEntries(why ?? []) as Record<string, unknown>;
    };
    const expected = {
      [on.id]: null,
      [off.id]: 'disabled',
      [other.id]: 'other_lists',
      [leaving.id]: 'other_event',
    };
    expect(await reasons()).toEqual(expected);
    await product.call(updateSite, { params: site.params, body: { test_emails: [vera.email] } }, site.owner);
    expect(await reasons()).toEqual({ ...expected, [on.id]: 'test' });
  });

  it('comes last, and as confirmed, for a list with double opt-in', async () => {
    const site = await newSite();
    await act(site, 'webhook', 'subscribed');
    const params = { ...site.params, id: site.weekly.id };
    await product.call(
      updateList,
      { params, body: { double_opt_in: true, subscription_default_state: false } },
      site.owner,
    );
    const vera = await buildCustomer(product, site);
    const lists = [site.weekly, site.offers].map(({ id }) => ({
      notification_list_id: id,
      subscribed: true,
    }));
    const { choices } = await preview(site, { id: vera.id }, { lists });
    const changes = choices.map((one) => [one.needs_confirmation, one.lists.map(({ list_id: id }) => id)]);
    expect(changes).toEqual([
      [false, [site.offers.id]],
      [true, [site.weekly.id]],
    ]);
    const sent = choices.map(({ actions }) => JSON.parse(actions[0]?.calls[0]?.body ?? '{}') as unknown);
    expect(sent).toMatchObject([{ data: { source: 'page' } }, { data: { source: 'confirm_link' } }]);
    await makeChoice(site, vera, { lists });
    const moved = await preview(site, { id: vera.id }, { email: 'moved@example.com' });
    expect(moved.choices.map((one) => [one.needs_confirmation, one.events])).toEqual([
      [true, ['email_changed']],
    ]);
  });

  it('is nothing where the choice changes nothing', async () => {
    const site = await newSite();
    const vera = await buildCustomer(product, site);
    await makeChoice(site, vera, { global_unsubscribe: true });
    const same = await preview(site, { id: vera.id }, { global_unsubscribe: true });
    expect(same.choices).toEqual([]);
    const pause = await preview(site, { id: vera.id }, { pause_days: 30 });
    expect(pause.choices).toEqual([]);
  });

  it('about a pause has its end, as the page would set it', async () => {
    const site = await newSite();
    const vera = await buildCustomer(product, site);
    const { choices } = await preview(site, { id: vera.id }, { pause_days: 30 });
    expect(choices).toMatchObject([{ global_unsubscribe: true }]);
    expect(choices[0]?.events).toContain('global_unsubscribed');
    const days = (Date.parse(choices[0]?.paused_until ?? '') - product.clock.now().getTime()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const now = await product.call(getCustomer, { params: { ...site.params, id: vera.id } }, site.owner);
    expect(now).toMatchObject({ global_unsubscribe: false, paused_until: null });
  });

  it('cannot be previewed for a taken email, another site’s list, or an unknown customer: 409, 422, 404', async () => {
    const site = await newSite();
    const other = await newSite();
    const vera = await buildCustomer(product, site);
    const ben = await buildCustomer(product, site);
    const refuse = (customer: { id: string }, choice: PreviewedChoice) =>
      product.refuse(previewChoice, { params: site.params, body: { customer, choice } }, site.owner);
    expect(await refuse({ id: vera.id }, { email: ben.email })).toMatchObject({
      status: 409,
      errors: [{ code: 'error_exists' }],
    });
    expect(await refuse({ id: vera.id }, weekly(other, true))).toMatchObject({ status: 422 });
    expect(await refuse({ id: site.weekly.id }, { global_unsubscribe: true })).toMatchObject({
      status: 404,
    });
  });
});

it('the preview says when a tool cannot be read, and is not exact for the second call to a tool', async () => {
  const site = await newSite();
  const fake = tools.fakes['brevo'] as FakeTool;
  const connect = { provider: 'brevo', credentials: fake.credentials };
  const { id: integration_id } = await product.call(
    createIntegration,
    { params: site.params, body: connect },
    site.owner,
  );
  const [one, two] = fake.addResources('lists', 2);
  for (const target of [one, two]) {
    await act(site, 'list', 'subscribed', { integration_id, target: target ?? {}, operation: 'add' });
  }
  const choice = { lists: [{ notification_list_id: site.weekly.id, subscribed: true }] };
  const first = await preview(site, { email: 'twice@example.com' }, choice);
  expect(first.choices[1]?.actions.map(({ is_exact }) => is_exact)).toEqual([true, false]);
  fake.trouble({ status: 503, body: '{}' }, 2);
  const { choices } = await preview(site, { email: 'twice@example.com' }, choice);
  fake.calm();
  expect(choices[1]?.actions).toMatchObject([
    { calls: [], no_calls_because: 'unreadable', is_exact: false, error: expect.stringContaining('503') },
    { calls: [], no_calls_because: 'unreadable', changes: [{ email: 'twice@example.com' }] },
  ]);
});
