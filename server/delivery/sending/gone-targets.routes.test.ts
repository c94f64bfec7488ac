import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createAction,
  isTargeted,
  listActions,
  TOOL_ACTION_TYPES,
  TOOL_ACTIONS,
  updateAction,
} from '#contract/actions.ts';
import { setCustomerLists } from '#contract/customers.ts';
import { type Delivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration, updateIntegration, verifyIntegration } from '#contract/integrations.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { deliverNow } from './deliveries.jobs.ts';

/* Actions about something that was deleted in the tool, or belongs to another account. */

let product: TestProduct;
let tools: FakeTools;
let world: World;
let acme: World;
let tool: FakeTool;
let integrationId: string;

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

beforeEach(() => logInAgain(product, world.owner));

async function connect(provider: string): Promise<void> {
  await product.testDatabase.owner.query('delete from rate_limits');
  tool = tools.fakes[provider] ?? expect.unreachable(provider);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  const body = { provider, credentials: { ...tool.credentials } };
  integrationId = (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
}

type NewAction = Parameters<typeof product.call<typeof createAction>>[1]['body'];

/** Of an id that looks like this one. */
const unlike = (id: string) => `${id.slice(0, -1)}${id.endsWith('7') ? '8' : '7'}`.replace(/^(?=\d+$)/, '9');

/** Does this to everybody who leaves the weekly list. */
const whenLeaving = (parts: Partial<NewAction>) =>
  product.call(
    createAction,
    {
      params: acme.params,
      body: {
        name: 'Follow',
        integration_id: integrationId,
        trigger: { event: 'unsubscribed', list_ids: [acme.weekly.id] },
        ...parts,
      } as NewAction,
    },
    acme.owner,
  );

/** Somebody whom the tool knows leaves the weekly list. */
async function leave(): Promise<Delivery[]> {
  const { id: customer_id, email } = await buildCustomer(product, acme);
  tool.addContact(email);
  for (const subscribed of [true, false]) {
    const body = [{ notification_list_id: acme.weekly.id, subscribed }];
    await product.call(setCustomerLists, { params: { ...acme.params, id: customer_id }, body }, acme.owner);
  }
  const read = async () =>
    (await product.call(listDeliveries, { params: acme.params, query: { customer_id } }, acme.owner)).results;
  for (const { id, attempt_count: round } of await read()) {
    await product.testDatabase.owner.query('delete from tool_rate_limits');
    await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
  }
  return read();
}

const actions = async () => (await product.call(listActions, { params: acme.params }, acme.owner)).results;

const WITH_TARGETS = CONNECTORS.flatMap((connector) =>
  TOOL_ACTION_TYPES.filter(isTargeted).flatMap((type) => {
    const capability = connector.actions[type];
    if (!capability.can || (type === 'tag' && connector.makesTags === true)) return [];
    return capability.operations.map((operation) => [connector.name, connector.id, type, operation] as const);
  }),
);

describe('what is no longer in a tool', () => {
  it.each(WITH_TARGETS)(
    '%s: %s %s, to %s, fails as not found and marks its action',
    async (_name, id, type, operation) => {
      await connect(id);
      const [made] = tool.addResources(TOOL_ACTIONS[type].target, 1);
      const target = { id: unlike(made?.id ?? ''), name: 'Gone' };
      await whenLeaving({ type, operation, target });
      expect(await leave()).toMatchObject([{ status: 'failed', outcome: 'failed', cause: 'not_found' }]);
      expect(await actions()).toMatchObject([{ target_gone_since: expect.any(String) }]);
    },
  );

  it('Drip makes a tag that nobody has, so taking it off is done', async () => {
    await connect('drip');
    await whenLeaving({ type: 'tag', operation: 'remove', target: { id: 'never used', name: 'Never used' } });
    expect(await leave()).toMatchObject([{ outcome: 'confirmed' }]);
    expect(await actions()).toMatchObject([{ target_gone_since: null }]);
  });

  it('what is still there isn’t marked when there was nothing to take off', async () => {
    await connect('brevo');
    const [target] = tool.addResources('lists', 1);
    await whenLeaving({ type: 'list', operation: 'remove', target: target ?? expect.unreachable() });
    expect(await leave()).toMatchObject([{ outcome: 'confirmed' }]);
    expect(await actions()).toMatchObject([{ target_gone_since: null }]);
  });

  it('a tool that can’t say what it has gets no action marked', async () => {
    await connect('brevo');
    await whenLeaving({ type: 'list', operation: 'remove', target: { id: '990', name: 'Gone' } });
    tool.rule(({ url }) => (url.startsWith('/contacts/lists') ? { status: 500, body: '{}' } : null));
    expect(await leave()).toMatchObject([{ outcome: 'confirmed' }]);
    tool.rule(() => null);
    expect(await actions()).toMatchObject([{ target_gone_since: null }]);
  });

  it('the owners are told once, until they choose another target', async () => {
    await connect('brevo');
    const [list] = tool.addResources('lists', 1);
    const gone = { id: '991', name: 'Gone' };
    const first = await whenLeaving({ type: 'list', operation: 'remove', target: gone });
    await whenLeaving({ type: 'list', operation: 'remove', target: { ...gone, id: '992' } });
    await product.testDatabase.owner.query('delete from outbox_emails');
    await leave();
    await leave();
    const { rows } = await product.testDatabase.owner.query('select subject from outbox_emails');
    expect(rows).toEqual([{ subject: `“Follow” needs a new target · ${acme.site.name}` }]);
    expect(await actions()).toMatchObject([
      { target_gone_since: expect.any(String) },
      { target_gone_since: expect.any(String) },
    ]);
    const params = { ...acme.params, id: first.id };
    const changed = await product.call(updateAction, { params, body: { target: list } }, acme.owner);
    expect(changed.target_gone_since).toBeNull();
  });
});

describe('credentials of another account', () => {
  const OTHER = { account_id: 'other9', account_name: 'Brand Two' };

  /** The tool says from now on that the credentials are of another account. */
  function answerAsOther(): void {
    tool.rule(({ url }) => (url.startsWith('/?') ? { status: 200, body: JSON.stringify(OTHER) } : null));
  }

  const entering = (more: { other_account?: true } = {}) => ({
    params: { ...acme.params, id: integrationId },
    body: { credentials: { ...tool.credentials }, ...more },
  });

  const enter = (more?: { other_account: true }) =>
    product.call(updateIntegration, entering(more), acme.owner);

  beforeEach(async () => {
    await connect('mailchimp');
  });

  it('are refused, with both names, and change nothing', async () => {
    answerAsOther();
    const refusal = await product.refuse(updateIntegration, entering(), acme.owner);
    tool.rule(() => null);
    expect(refusal).toMatchObject({
      status: 409,
      errors: [{ code: 'other_tool_account', field: 'credentials' }],
    });
    expect(refusal.message).toContain(`"Brand Two", not of "${tool.accountName}"`);
    expect(await enter()).toMatchObject({ account_name: tool.accountName });
  });

  it('are taken once the owner agrees, and actions about the old account are marked', async () => {
    const [audience] = tool.addResources('lists', 1);
    await whenLeaving({ type: 'list', operation: 'remove', target: audience ?? expect.unreachable() });
    await whenLeaving({ type: 'list', operation: 'remove', target: { id: 'zz7', name: 'Old' } });
    answerAsOther();
    expect(await enter({ other_account: true })).toMatchObject({ account_name: 'Brand Two' });
    tool.rule(() => null);
    expect(await actions()).toMatchObject([
      { target_gone_since: null },
      { target_gone_since: expect.any(String) },
    ]);
  });

  it('a check of the connection unmarks what is there again', async () => {
    const [audience] = tool.addResources('lists', 1);
    await whenLeaving({ type: 'list', operation: 'remove', target: audience ?? expect.unreachable() });
    await product.testDatabase.owner.query('update actions set target_gone_at = now()');
    await product.call(verifyIntegration, { params: { ...acme.params, id: integrationId } }, acme.owner);
    expect(await actions()).toMatchObject([{ target_gone_since: null }]);
  });

  it('a second integration of the same account says so', async () => {
    const body = { provider: 'mailchimp', credentials: { ...tool.credentials } };
    const second = await product.call(createIntegration, { params: acme.params, body }, acme.owner);
    expect(second.same_account_as).toEqual([integrationId]);
  });
});

describe('two actions that take customers of different lists from one place', () => {
  const follow = (event: 'subscribed' | 'unsubscribed', list: { id: string }, target: object) =>
    whenLeaving({
      type: 'list',
      name: `${event} ${list.id}`,
      operation: event === 'subscribed' ? 'add' : 'remove',
      trigger: { event, list_ids: [list.id] },
      target: target as NewAction['target'],
    });

  it('are warned of, until others put the subscribers of each list there', async () => {
    await connect('brevo');
    const [target] = tool.addResources('lists', 1);
    const { weekly, offers } = acme;
    if (target === undefined) expect.unreachable();
    expect((await follow('unsubscribed', weekly, target)).warnings).toEqual([]);
    const second = await follow('unsubscribed', offers, target);
    expect(second.warnings).toMatchObject([{ code: 'overlap', field: 'target' }]);
    expect(second.warnings[0]?.message).toContain(`"unsubscribed ${weekly.id}" also takes customers`);
    await follow('subscribed', weekly, target);
    await follow('subscribed', offers, target);
    expect((await actions()).flatMap(({ warnings }) => warnings)).toEqual([]);
  });
});
