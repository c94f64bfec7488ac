import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { createAction, listActions, previewAction } from '#contract/actions.ts';
import { previewChoice } from '#contract/choice-previews.ts';
import { ApiError } from '#contract/client.ts';
import { type Customer, updateCustomer } from '#contract/customers.ts';
import { getDelivery, listDeliveries, replayDelivery } from '#contract/deliveries.ts';
import { listInbound } from '#contract/inbound.ts';
import {
  createIntegration,
  type Integration,
  listIntegrations,
  listToolResources,
  updateIntegration,
  verifyIntegration,
} from '#contract/integrations.ts';
import type { Route, RouteCall, RouteResponse } from '#contract/route.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { createLog } from '#server/platform/log.ts';
import { POLLS } from '#server/sync/inbound/polls.ts';
import { type CanaryProxy, type Mood, startCanaryProxy } from '#test/fakes/canary-proxy.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

/* Secrets that can be recognised go into everything that takes one; then they are looked for everywhere. */

const MOODS: Mood[] = ['well', 'refuses', 'fails', 'garbage', 'echo-400', 'echo-401', 'echo-500'];

let tools: FakeTools;
let product: TestProduct;
let mails: MailServer;
let receiver: WebhookReceiver;
let acme: World;
const proxies = new Map<string, CanaryProxy>();
const integrations: Integration[] = [];
/** What came out, by where: log lines, answers, errors. */
const seen: Record<string, string[]> = { log: [], answers: [], errors: [] };
const ownSecrets: string[] = [];

beforeAll(async () => {
  tools = await startFakeTools();
  for (const connector of CONNECTORS) {
    const fake = tools.fakes[connector.id];
    if (fake !== undefined) proxies.set(connector.id, await startCanaryProxy(connector, fake));
  }
  mails = await startMailServer();
  receiver = await startWebhookReceiver();
  const urls = CONNECTORS.map(({ id, envName }) => [`CONNECTOR_${envName}_URL`, proxies.get(id)?.url ?? '']);
  product = await startTestProduct({
    env: { ...Object.fromEntries(urls), SMTP_URL: mails.url, LOG_LEVEL: 'trace' },
    log: createLog('trace', { write: (line) => void seen['log']?.push(line) }),
  });
  acme = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await receiver.close();
  await mails.close();
  for (const proxy of proxies.values()) await proxy.close();
  await tools.close();
});

const be = (mood: Mood) => proxies.forEach((proxy) => Object.assign(proxy, { mood }));

/** Makes a call as the owner, keeps what was answered, be it a refusal, and gives it where it was none. */
async function ask<R extends Route>(route: R, parts: RouteCall<R>): Promise<RouteResponse<R> | null> {
  try {
    const answer = await product.call(route, parts, acme.owner);
    seen['answers']?.push(JSON.stringify(answer));
    return answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    seen['errors']?.push(JSON.stringify({ ...error, message: error.message }));
    return null;
  }
}

async function connect(connector: Connector, proxy: CanaryProxy): Promise<Integration> {
  const { params } = acme;
  const { credentials } = proxy;
  for (const { name, pattern } of connector.credentials) expect(credentials[name]).toMatch(pattern);
  const made = await ask(createIntegration, { params, body: { provider: connector.id, credentials } });
  if (made === null) throw new Error(`${connector.name} was not connected: ${seen['errors']?.at(-1)}`);
  if (connector.inbound.kind === 'poll') return made;
  const secret = `canary-${randomBytes(20).toString('hex')}`;
  ownSecrets.push(secret);
  await ask(updateIntegration, { params: { ...params, id: made.id }, body: { webhook_secret: secret } });
  return made;
}

async function act(connector: Connector, integration: Integration): Promise<void> {
  const { params } = acme;
  const type = (['global_unsubscribe', 'list', 'tag'] as const).find((one) => connector.actions[one].can);
  const capability = connector.actions[type ?? 'global_unsubscribe'];
  if (type === undefined || !capability.can) throw new Error(`${connector.name} can do nothing`);
  const kind = capability.target;
  const of = { params: { ...params, id: integration.id } };
  const found = kind === null ? null : await ask(listToolResources, { ...of, query: { kind } });
  const target = found?.results[0] ?? {};
  const trigger = { event: 'global_unsubscribed' as const };
  const body = { type, name: connector.name, integration_id: integration.id, trigger, target };
  expect(await ask(createAction, { params, body })).not.toBeNull();
}

/** The answer that makes it shows the secret, and no other ever does. */
async function actOutside(type: 'webhook' | 'evidence', target: { url: string } | { email: string }) {
  const body = { type, name: type, trigger: { event: 'global_unsubscribed' as const }, target };
  const made = await product.call(createAction, { params: acme.params, body }, acme.owner);
  ownSecrets.push(made.signing_secret ?? '');
}

async function waitingOf(customer: Customer): Promise<{ id: string; round: number }[]> {
  const { rows } = await product.testDatabase.owner.query<{ id: string; round: number }>(
    `select id, attempt_count as round from deliveries where customer_id = $1 and status = 'waiting'`,
    [customer.id],
  );
  return rows;
}

async function runScenario(mood: Mood): Promise<void> {
  const { params } = acme;
  const siteId = params.site_id;
  await product.testDatabase.owner.query('delete from rate_limits');
  const customer = await buildCustomer(product, acme);
  for (const fake of Object.values(tools.fakes)) fake.addContact(customer.email);
  const of = { ...params, id: customer.id };
  await ask(updateCustomer, { params: of, body: { global_unsubscribe: true } });
  be(mood);
  for (const { id, round } of await waitingOf(customer)) {
    await deliverNow(product.services, { site_id: siteId, id, round });
  }
  await product.testDatabase.owner.query(
    `update scheduled_tasks set due_at = now() - interval '1 day', lease = null`,
  );
  await POLLS.runDue(product.services);
  for (const { id, provider, webhook_url: url } of integrations) {
    const integration = { ...params, id };
    await ask(verifyIntegration, { params: integration });
    await ask(listToolResources, { params: integration, query: { kind: 'lists' } });
    const credentials = proxies.get(provider)?.credentials ?? {};
    await ask(updateIntegration, { params: integration, body: { credentials } });
    await ask(createIntegration, { params, body: { provider, credentials: { ...credentials, more: 'x' } } });
    if (url !== null) await fetch(url, { method: 'POST', body: `secret=${ownSecrets.join()}` });
    await ask(listInbound, { params: integration, query: {} });
  }
  const actions = (await ask(listActions, { params }))?.results ?? [];
  for (const { id } of actions) {
    await ask(previewAction, { params: { ...params, id }, body: { customer_id: customer.id } });
  }
  const choice = { global_unsubscribe: true };
  await ask(previewChoice, { params, body: { customer: { id: customer.id }, choice } });
  await ask(listIntegrations, { params });
  const { results = [] } = (await ask(listDeliveries, { params, query: { customer_id: customer.id } })) ?? {};
  expect(results.length).toBeGreaterThan(10);
  for (const { id } of results) {
    await ask(getDelivery, { params: { ...params, id } });
    await ask(replayDelivery, { params: { ...params, id } });
  }
  be('well');
  for (const { id } of integrations) await ask(verifyIntegration, { params: { ...params, id } });
}

/** Every column of every table as text; `bytea` shows as hex. */
async function dump(): Promise<string[]> {
  const { owner } = product.testDatabase;
  const tables = await owner.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const lines: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await owner.query<{ row: string }>(`select t::text as row from ${name} t`);
    lines.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return lines;
}

/** As itself, in hex, in addresses, and in base64 wherever it begins. */
function formsOf(secret: string): string[] {
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.from('x'.repeat(shift) + secret).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...shifted];
}

function findingsIn(texts: readonly string[], secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) =>
    formsOf(secret).flatMap((form) =>
      texts
        .filter((text) => text.includes(form))
        .map((text) => {
          const at = text.indexOf(form);
          return text.slice(Math.max(0, at - 120), at + form.length + 20);
        }),
    ),
  );
}

it('no secret is stored anywhere unsealed, whatever the tools answer', async () => {
  await actOutside('webhook', { url: receiver.url });
  await actOutside('evidence', { url: receiver.url });
  await actOutside('evidence', { email: 'archive@example.com' });
  for (const connector of CONNECTORS) {
    const proxy = proxies.get(connector.id);
    if (proxy === undefined) throw new Error(`${connector.name} has no canary`);
    const integration = await connect(connector, proxy);
    integrations.push(integration);
    await act(connector, integration);
  }
  for (const mood of MOODS) await runScenario(mood);

  const secrets = [...[...proxies.values()].flatMap((proxy) => proxy.secrets), ...ownSecrets];
  expect(secrets.length).toBeGreaterThan(CONNECTORS.length * 2);
  expect(secrets.every((secret) => secret.length >= 16)).toBe(true);
  const places = {
    ...seen,
    rows: await dump(),
    mails: mails.mails.map((mail) => JSON.stringify(mail)),
    webhooks: receiver.received.map((one) => JSON.stringify(one)),
    metrics: [await (await fetch(`${product.url}/metrics`)).text()],
  };
  for (const [place, texts] of Object.entries(places)) {
    expect(texts.length, place).toBeGreaterThan(0);
    expect(findingsIn(texts, secrets).slice(0, 5), place).toEqual([]);
  }
  expect(places.rows.some((row) => row.includes('[hidden]'))).toBe(true);
}, 240_000);

it('the search finds a secret in each of its forms', () => {
  const secret = 'canary-0123456789abcdef';
  const basic = Buffer.from(`user:${secret}:x`).toString('base64');
  for (const text of [secret, basic, Buffer.from(secret).toString('hex')]) {
    expect(findingsIn([`before ${text} after`], [secret]).length).toBeGreaterThan(0);
  }
  expect(findingsIn(['nothing'], [secret])).toEqual([]);
});
