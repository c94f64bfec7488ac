import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { listInbound } from '#contract/inbound.ts';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  type Integration,
  setUpWebhook,
  updateIntegration,
} from '#contract/integrations.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { mailchimpWebhook } from '#test/harness/tool-webhooks.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { handleJob } from './inbound.jobs.ts';
import { WEBHOOK_CHECKS } from './webhook-registration.ts';

let product: TestProduct;
let tools: FakeTools;
let world: World;
let acme: World;
let tool: FakeTool;
let id: string;

beforeAll(async () => {
  tools = await startFakeTools();
  const env = Object.fromEntries(tools.accounts.map(({ setting, url }) => [setting, url]));
  product = await startTestProduct({ env });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await tools.close();
});

beforeEach(async () => {
  for (const table of ['rate_limits', 'tool_rate_limits', 'scheduled_tasks']) {
    await product.testDatabase.owner.query(`delete from ${table}`);
  }
  await logInAgain(product, world.owner);
});

async function connect(provider: string): Promise<Integration> {
  tool = tools.fakes[provider] ?? expect.unreachable(provider);
  tool.rule(() => null);
  tool.webhooks?.all.splice(0);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  const body = { provider, credentials: { ...tool.credentials } };
  const made = await product.call(createIntegration, { params: acme.params, body }, acme.owner);
  ({ id } = made);
  return made;
}

const params = () => ({ ...acme.params, id });
const read = () => product.call(getIntegration, { params: params() }, acme.owner);
const setUp = () => product.call(setUpWebhook, { params: params() }, acme.owner);
const checkDue = () => WEBHOOK_CHECKS.runDue(product.services);
const registered = () => tool.webhooks?.all ?? [];

async function nightPasses(): Promise<void> {
  product.clock.advance({ hours: 30 });
  await product.testDatabase.owner.query('delete from tool_rate_limits');
  await logInAgain(product, world.owner);
  await checkDue();
}

describe.each(['activecampaign', 'brevo', 'campaign-monitor', 'drip', 'kit', 'mailchimp', 'sendgrid'])(
  'the webhook of %s',
  (provider) => {
    it('is set up after connecting, repaired at night once it is deleted, and taken out with the integration', async () => {
      expect(await connect(provider)).toMatchObject({ webhook_state: 'pending', webhook_checked_at: null });
      await checkDue();
      const integration = await read();
      expect(integration).toMatchObject({ webhook_state: 'registered', webhook_reason: null });
      expect(new Set(registered().map(({ url }) => url))).toEqual(new Set([integration.webhook_url]));
      const { length } = registered();
      expect(length).toBeGreaterThan(0);

      registered().pop();
      await nightPasses();
      expect(registered()).toHaveLength(length);
      const later = await read();
      expect(later.webhook_state).toBe('registered');
      expect(later.webhook_checked_at).not.toBe(integration.webhook_checked_at);

      await product.call(deleteIntegration, { params: params() }, acme.owner);
      expect(registered()).toEqual([]);
    });
  },
);

describe('a webhook', () => {
  it('of Mailchimp is verified with the secret that only the answer to its registration tells', async () => {
    await connect('mailchimp');
    const customer = await buildCustomer(product, acme);
    const { webhook_url: url, webhook_state, has_webhook_secret } = await setUp();
    expect([webhook_state, has_webhook_secret]).toEqual(['registered', true]);
    for (const { place, secret } of registered()) {
      const told = { list_id: place, email: customer.email, id: `${place}-1` };
      const event = mailchimpWebhook('unsubscribe', told, { at: product.clock.now(), secret });
      const post = async (headers: Record<string, string>) =>
        (await fetch(url ?? '', { method: 'POST', headers, body: event.body })).status;
      const { 'x-mailchimp-signature': _, ...unsigned } = event.headers;
      expect([await post(unsigned), await post(event.headers)]).toEqual([401, 200]);
    }
    const { rows } = await product.testDatabase.owner.query<{ id: string }>(
      `select id from inbound_requests where site_id = $1 and state = 'waiting' order by id`,
      [acme.params.site_id],
    );
    for (const row of rows) {
      await handleJob(product.services, { site_id: acme.params.site_id, id: row.id, round: 0 });
    }
    const { results } = await product.call(listInbound, { params: params() }, acme.owner);
    expect(results.map(({ kind, email }) => [kind, email])).toEqual(
      registered().map(() => ['list_unsubscribed', customer.email]),
    );
  });

  it('that the tool refuses leaves the way by hand, with what the tool said, until its first call comes', async () => {
    await connect('sendgrid');
    tool.rule(({ url }) =>
      url.includes('/webhooks/')
        ? { status: 403, body: JSON.stringify({ errors: [{ field: null, message: 'access forbidden' }] }) }
        : null,
    );
    await checkDue();
    const missing = await read();
    expect(missing).toMatchObject({
      status: 'connected',
      webhook_state: 'missing',
      webhook_reason: 'SendGrid takes no webhook from us (403): access forbidden',
    });
    expect(missing.webhook_setup).toContain('Event Webhooks');
    expect(await setUp()).toMatchObject({ webhook_state: 'missing' });
    await connect('drip');
    tool.rule(({ url }) => (url.includes('/webhooks') ? { status: 403, body: '{}' } : null));
    await checkDue();
    const { webhook_url: url } = await read();
    const call = { event: 'subscriber.bounced', data: { subscriber: { id: '1', email: 'x@example.com' } } };
    const headers = { 'content-type': 'application/json' };
    await fetch(url ?? '', { method: 'POST', headers, body: JSON.stringify(call) });
    expect((await read()).webhook_state).toBe('by_hand');
    await nightPasses();
    expect((await read()).webhook_state).toBe('by_hand');
  });

  it('that is gone and refused is missing, even if it called before', async () => {
    await connect('brevo');
    await checkDue();
    registered().pop();
    tool.rule(({ method }) =>
      method === 'POST'
        ? { status: 400, body: JSON.stringify({ code: 'out_of_range', message: 'Webhook limit reached' }) }
        : null,
    );
    await nightPasses();
    expect(await read()).toMatchObject({
      webhook_state: 'missing',
      webhook_reason: 'Brevo takes no webhook from us (400): Webhook limit reached',
    });
    tool.rule(() => null);
    expect(await setUp()).toMatchObject({ webhook_state: 'registered', webhook_reason: null });
  });

  it('stays registered while the tool is away, and is looked for again within the hour', async () => {
    await connect('drip');
    await checkDue();
    tool.rule(() => ({ status: 503, body: '' }));
    await nightPasses();
    expect(await read()).toMatchObject({ webhook_state: 'registered' });
    tool.rule(() => null);
    registered().pop();
    product.clock.advance({ minutes: 61 });
    await checkDue();
    expect(registered()).toHaveLength(1);
  });

  it('is taken out only once nothing uses the integration, and never keeps it connected', async () => {
    await connect('drip');
    await checkDue();
    const action = {
      name: 'Stop',
      type: 'global_unsubscribe' as const,
      integration_id: id,
      trigger: { event: 'global_unsubscribed' as const },
      operation: 'unsubscribe',
      target: {},
    };
    await product.call(createAction, { params: acme.params, body: action }, acme.owner);
    await product.refuse(deleteIntegration, { params: params() }, acme.owner);
    expect(registered()).toHaveLength(1);
    await connect('kit');
    await checkDue();
    tool.rule(() => ({ status: 500, body: '' }));
    await product.call(deleteIntegration, { params: params() }, acme.owner);
    await expect(read()).rejects.toMatchObject({ status: 404 });
  });

  it('that no worker set up is missing after ten minutes, and checked at night once an owner has', async () => {
    await connect('drip');
    await product.testDatabase.owner.query('delete from scheduled_tasks');
    product.clock.advance({ minutes: 11 });
    await logInAgain(product, world.owner);
    expect(await read()).toMatchObject({ webhook_state: 'missing', webhook_reason: null });
    expect(await setUp()).toMatchObject({ webhook_state: 'registered' });
    registered().pop();
    await nightPasses();
    expect(registered()).toHaveLength(1);
  });

  it('is not there for a tool that we poll', async () => {
    expect(await connect('hubspot')).toMatchObject({ webhook_state: null, webhook_reason: null });
    expect(await product.refuse(setUpWebhook, { params: params() }, acme.owner)).toMatchObject({
      status: 409,
      errors: [{ code: 'conflict' }],
    });
    const renamed = await product.call(
      updateIntegration,
      { params: params(), body: { name: 'Hub' } },
      acme.owner,
    );
    expect(renamed.webhook_state).toBeNull();
  });
});

it('a tool on the internet is not asked to call an address that only this machine has', async () => {
  const alone = await startTestProduct({ beside: product });
  try {
    await connect('brevo');
    // Without its stand-in, the calls would go to Brevo itself.
    await WEBHOOK_CHECKS.runDue(alone.services);
    const { webhook_state, webhook_reason } = await read();
    expect(webhook_state).toBe('missing');
    expect(webhook_reason).toMatch(
      /^Brevo can't reach http:\/\/localhost:\d+: it isn't an address on the internet/,
    );
    expect(registered()).toEqual([]);
  } finally {
    await alone.stop();
  }
});
