import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TOOL_ACTIONS, type TargetedActionType, createAction } from '#contract/actions.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { type Customer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import type { Connector, Resource } from '#server/connectors/connector.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import type { FakeTool, Held } from '#test/fakes/tools/fake-tool.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { deliverNow } from './deliveries.jobs.ts';

/* What a tool holds of somebody whose address changes, whatever it refuses and however late it is. */

let product: TestProduct;
let tools: FakeTools;
let world: World;
let acme: World;
let tool: FakeTool;
let integrationId: string;
let target: Resource;
let kind: TargetedActionType;

beforeAll(async () => {
  tools = await startFakeTools();
  const env = Object.fromEntries(tools.accounts.map(({ setting, url }) => [setting, url]));
  // No worker: the tests make each attempt themselves.
  product = await startTestProduct({ env });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await tools.close();
});

/** The types of actions that put people into something and take them out again, the likeliest first. */
const PLACES: readonly TargetedActionType[] = ['list', 'suppression_group', 'tag'];

const isPlace = ({ actions }: Connector, type: TargetedActionType) => {
  const capability = actions[type];
  return capability.can && capability.operations.length === 2;
};

async function connect(connector: Connector, place?: TargetedActionType): Promise<void> {
  tool = tools.fakes[connector.id] ?? expect.unreachable(connector.id);
  kind = place ?? PLACES.find((type) => isPlace(connector, type)) ?? expect.unreachable(connector.id);
  const [made] = tool.addResources(TOOL_ACTIONS[kind].target, 1);
  target = made ?? expect.unreachable(kind);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  const body = { provider: connector.id, credentials: { ...tool.credentials } };
  integrationId = (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
}

type NewAction = Parameters<typeof product.call<typeof createAction>>[1]['body'];

const act = (event: ChoiceEvent, list_ids: string[], parts: Partial<NewAction>) =>
  product.call(
    createAction,
    {
      params: acme.params,
      body: {
        type: 'global_unsubscribe',
        name: 'Follow',
        integration_id: integrationId,
        trigger: { event, list_ids },
        target: {},
        ...parts,
      } as NewAction,
    },
    acme.owner,
  );

/** Ties lists to the target: a person who receives one of them is in it. */
async function tie(...lists: { id: string }[]): Promise<void> {
  const ids = lists.map(({ id }) => id);
  const [forward, back] = TOOL_ACTIONS[kind].operations;
  const [on, off] = kind === 'suppression_group' ? [back, forward] : [forward, back];
  await act('subscribed', ids, { type: kind, target, operation: on });
  await act('unsubscribed', ids, { type: kind, target, operation: off });
}

const followMoves = () => act('email_changed', [], { type: 'switch_email', target: {} });
const followLeaves = () => act('global_unsubscribed', [], {});

const choose = ({ id }: Customer, list: { id: string }, subscribed: boolean) =>
  product.call(
    setCustomerLists,
    { params: { ...acme.params, id }, body: [{ notification_list_id: list.id, subscribed }] },
    acme.owner,
  );

const change = ({ id }: Customer, body: { email: string } | { global_unsubscribe: boolean }) =>
  product.call(updateCustomer, { params: { ...acme.params, id }, body }, acme.owner);

/** Oldest first. */
async function deliveriesOf({ id: customer_id }: Customer): Promise<DeliveryDetail[]> {
  const { results } = await product.call(
    listDeliveries,
    { params: acme.params, query: { customer_id } },
    acme.owner,
  );
  return Promise.all(
    results
      .toReversed()
      .map(({ id }) => product.call(getDelivery, { params: { ...acme.params, id } }, acme.owner)),
  );
}

/** One attempt at each delivery that waits. */
async function runAll(customer: Customer): Promise<DeliveryDetail[]> {
  for (const { id, status, attempt_count: round } of await deliveriesOf(customer)) {
    if (status !== 'waiting') continue;
    await product.testDatabase.owner.query('delete from tool_rate_limits');
    await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
  }
  return deliveriesOf(customer);
}

function isIn({ unsubscribed, ...held }: Held): boolean {
  const ids = held[TOOL_ACTIONS[kind].target] ?? [];
  return !unsubscribed && ids.includes(target.id) === (kind !== 'suppression_group');
}

/** Does the tool still send this address what the target stands for? */
function receives(email: string): boolean {
  const held = tool.holds(email);
  return held !== null && isIn(held);
}

/** Somebody who receives the weekly list, here and in the tool. */
async function reader(): Promise<Customer> {
  const customer = await buildCustomer(product, acme);
  tool.addContact(customer.email);
  await choose(customer, acme.weekly, true);
  await runAll(customer);
  expect(receives(customer.email)).toBe(true);
  return customer;
}

const newAddressOf = ({ email }: Customer) => `new-${email}`;

const isWrite = ({ method }: { method: string }) => method !== 'GET';

beforeEach(() => logInAgain(product, world.owner));

describe.each(CONNECTORS.map((connector) => [connector.name, connector] as const))(
  '%s',
  (_name, connector) => {
    beforeEach(async () => {
      await product.testDatabase.owner.query('delete from rate_limits');
      await connect(connector);
    });

    it('that fails while the address changes gets no opt-out undone by the move that comes late', async () => {
      await tie(acme.weekly);
      await followMoves();
      const vera = await reader();
      await change(vera, { email: newAddressOf(vera) });
      tool.rule(() => ({ status: 503, body: '{}' }));
      await runAll(vera);
      tool.rule(() => null);
      await choose(vera, acme.weekly, false);
      const leaving = (await deliveriesOf(vera)).at(-1) ?? expect.unreachable();
      await product.testDatabase.owner.query('delete from tool_rate_limits');
      await product.testDatabase.owner.query(
        'update integrations set consecutive_failures = 0, rests_until = null',
      );
      await deliverNow(product.services, { site_id: acme.params.site_id, id: leaving.id, round: 0 });
      expect(receives(vera.email)).toBe(false);
      await runAll(vera);
      expect([vera.email, newAddressOf(vera)].filter(receives)).toEqual([]);
    });

    it('that refuses the new address sends nothing to the old one, before or after the person leaves', async () => {
      await tie(acme.weekly);
      await followMoves();
      await followLeaves();
      const vera = await reader();
      const email = newAddressOf(vera);
      tool.rule((seen) =>
        isWrite(seen) && JSON.stringify(seen).includes(email.split('@')[0] ?? '')
          ? { status: 400, body: '{}' }
          : null,
      );
      await change(vera, { email });
      await runAll(vera);
      tool.rule(() => null);
      expect(receives(vera.email)).toBe(false);
      await change(vera, { global_unsubscribe: true });
      await runAll(vera);
      expect([vera.email, email].filter(receives)).toEqual([]);
    });

    it('that is never told of a new address loses the old one, too, when the person leaves', async () => {
      await tie(acme.weekly);
      await followLeaves();
      const vera = await reader();
      await change(vera, { email: newAddressOf(vera) });
      await runAll(vera);
      await change(vera, { global_unsubscribe: true });
      const done = await runAll(vera);
      expect([vera.email, newAddressOf(vera)].filter(receives)).toEqual([]);
      expect(done.filter(({ status }) => status !== 'arrived')).toEqual([]);
    });

    it('has somebody in what they chose at a new address that it knows already', async () => {
      await tie(acme.weekly);
      await followMoves();
      const vera = await reader();
      const email = newAddressOf(vera);
      tool.addContact(email);
      await change(vera, { email });
      await runAll(vera);
      expect([vera.email, email].filter(receives)).toEqual([email]);
    });

    it('keeps somebody in what two lists feed until they leave both', async () => {
      await tie(acme.weekly, acme.offers);
      const vera = await reader();
      await choose(vera, acme.offers, true);
      await choose(vera, acme.weekly, false);
      await runAll(vera);
      expect(receives(vera.email)).toBe(true);
      await choose(vera, acme.offers, false);
      await runAll(vera);
      expect(receives(vera.email)).toBe(false);
    });
  },
);

it('a move that was given up after an attempt leaves the old address open', async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  await connect(CONNECTORS.find(({ id }) => id === 'brevo') ?? expect.unreachable());
  await followMoves();
  await followLeaves();
  await tie(acme.weekly);
  const vera = await reader();
  await change(vera, { email: newAddressOf(vera) });
  await product.testDatabase.owner.query(
    `update deliveries set status = 'arrived', outcome = 'overtaken', attempt_count = 1, next_attempt_at = null
     where site_id = $1 and status = 'waiting'`,
    [acme.params.site_id],
  );
  await change(vera, { global_unsubscribe: true });
  await runAll(vera);
  expect(receives(vera.email)).toBe(false);
});

it.each([
  // Mailchimp asks the person by mail: they may have unsubscribed before they were archived.
  ['archived', { becomes: 'pending', delivery: 'arrived' }],
  ['transactional', { becomes: 'subscribed', delivery: 'arrived' }],
  ['cleaned', { becomes: 'cleaned', delivery: 'failed' }],
])(
  'a new address that is %s in Mailchimp gets what the person chose, or the delivery fails',
  async (status, then) => {
    await product.testDatabase.owner.query('delete from rate_limits');
    await connect(CONNECTORS.find(({ id }) => id === 'mailchimp') ?? expect.unreachable());
    await tie(acme.weekly);
    await followMoves();
    const vera = await reader();
    const email = newAddressOf(vera);
    const member = tools.mailchimp.addMember(target.id, email, { status });
    await change(vera, { email });
    const moved = (await runAll(vera)).at(-1);
    expect({ becomes: member.status, delivery: moved?.status }).toEqual(then);
    expect(moved?.last_error === null).toBe(then.delivery === 'arrived');
    expect(receives(vera.email)).toBe(false);
  },
);

describe('someone who left everything and comes back to one list', () => {
  const PLACES_OF_TOOLS = CONNECTORS.flatMap((connector) =>
    PLACES.filter((type) => isPlace(connector, type)).map(
      (type) => [connector.name, type, connector] as const,
    ),
  );

  it.each(PLACES_OF_TOOLS)(
    '%s, %s: nothing counts as done that the tool doesn’t send',
    async (_name, type, connector) => {
      await product.testDatabase.owner.query('delete from rate_limits');
      await connect(connector, type);
      await tie(acme.weekly);
      await followLeaves();
      const vera = await reader();
      await change(vera, { global_unsubscribe: true });
      await runAll(vera);
      expect(receives(vera.email)).toBe(false);
      await change(vera, { global_unsubscribe: false });
      await choose(vera, acme.weekly, true);
      const last = (await runAll(vera)).at(-1);
      expect([last?.outcome, receives(vera.email)]).toBeOneOf([
        ['confirmed', true],
        ['awaits_person', false],
        ['blocked', false],
        ['failed', false],
      ]);
    },
  );

  it('Brevo, which keeps its block, is said to send them nothing', async () => {
    const [brevo] = CONNECTORS.filter(({ id }) => id === 'brevo');
    await connect(brevo ?? expect.unreachable());
    await tie(acme.weekly);
    await followLeaves();
    const vera = await reader();
    await change(vera, { global_unsubscribe: true });
    await runAll(vera);
    await change(vera, { global_unsubscribe: false });
    await choose(vera, acme.weekly, true);
    expect((await runAll(vera)).at(-1)).toMatchObject({ outcome: 'blocked', confirmed_at: null });
  });
});
