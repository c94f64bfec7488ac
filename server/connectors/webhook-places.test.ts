import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import { startActivecampaignFake } from '#test/fakes/tools/activecampaign.ts';
import { startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startCampaignMonitorFake } from '#test/fakes/tools/campaign-monitor.ts';
import { startDripFake } from '#test/fakes/tools/drip.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { startKitFake } from '#test/fakes/tools/kit.ts';
import { startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { mailchimpWebhook } from '#test/harness/tool-webhooks.ts';
import type { Connector, InboundRequest, OwnWebhook } from './connector.ts';
import { CONNECTORS } from './index.ts';
import { openToolApi } from './tool-api.ts';
import { registerWebhook, removeWebhook } from './webhook-places.ts';

interface Tool {
  id: string;
  start: () => Promise<FakeTool>;
  events: string[];
  /** It has one for each of its lists, and so many of them here. */
  places?: number;
  /** It proves its calls with what registering has told or made. */
  hasSecret?: true;
}

const TOOLS: Tool[] = [
  { id: 'activecampaign', start: startActivecampaignFake, events: ['bounce', 'subscribe', 'unsubscribe'] },
  {
    id: 'brevo',
    start: startBrevoFake,
    events: ['contactUpdated', 'hardBounce', 'listAddition', 'spam', 'unsubscribed'],
    hasSecret: true,
  },
  {
    id: 'campaign-monitor',
    start: startCampaignMonitorFake,
    events: ['Deactivate', 'Subscribe', 'Update'],
    places: 3,
  },
  {
    id: 'drip',
    start: startDripFake,
    events: [
      'subscriber.bounced',
      'subscriber.complained',
      'subscriber.marked_as_undeliverable',
      'subscriber.reactivated',
      'subscriber.subscribed_to_campaign',
      'subscriber.subscribed_to_email_marketing',
      'subscriber.unsubscribed_all',
      'subscriber.unsubscribed_from_campaign',
      'subscriber.updated_email_address',
    ],
  },
  {
    id: 'kit',
    start: startKitFake,
    events: ['subscriber.bounced', 'subscriber.complained', 'subscriber.unsubscribed'],
    hasSecret: true,
  },
  {
    id: 'mailchimp',
    start: startMailchimpFake,
    events: ['cleaned', 'subscribe', 'unsubscribe', 'upemail'],
    places: 3,
    hasSecret: true,
  },
  {
    id: 'sendgrid',
    start: startSendgridFake,
    events: ['bounce', 'group_resubscribe', 'group_unsubscribe', 'spam_report', 'unsubscribe'],
    hasSecret: true,
  },
];

const NOW = new Date('2026-11-21T10:00:00Z');
const URL = 'https://sayso.example/hooks/one/secret';
const OTHER = 'https://elsewhere.example/hook';

let outbound: Outbound;

beforeAll(() => {
  outbound = createOutbound({ allowPrivateTargets: true });
});

afterAll(() => outbound.close());

function connectorOf(id: string): Connector {
  const connector = CONNECTORS.find((one) => one.id === id);
  if (connector === undefined) throw new Error(`There is no ${id}`);
  return connector;
}

it('every tool that calls us has its webhook set up by us', () => {
  const called = CONNECTORS.filter(({ inbound }) => inbound.kind === 'webhook').map(({ id }) => id);
  expect(called.toSorted()).toEqual(TOOLS.map(({ id }) => id).toSorted());
});

describe.each(TOOLS)('a webhook in $id', ({ id, start, events, places = 1, hasSecret = false }) => {
  const connector = connectorOf(id);
  let fake: FakeTool;
  let secret: string;

  beforeAll(async () => {
    fake = await start();
    if (places > 1) fake.addResources('lists', id === 'mailchimp' ? 4 : places - 1);
  });

  beforeEach(() => {
    secret = '';
    fake.webhooks?.all.splice(0);
    fake.rule(() => null);
  });

  afterAll(() => fake.close());

  const all = () => fake.webhooks?.all ?? [];
  const ours = () => all().filter(({ url }) => url === URL);
  const writes = () => fake.seen.filter(({ method }) => method !== 'GET').length;

  async function placesOf() {
    const { inbound } = connector;
    if (inbound.kind !== 'webhook' || inbound.places === undefined) throw new Error('It has none');
    const api = openToolApi(connector, fake.credentials, {
      outbound,
      clock: { now: () => NOW },
      baseUrl: fake.url,
      wait: async () => {},
    });
    const own: OwnWebhook = {
      url: URL,
      secret: () => secret,
      keep: async (next) => void (secret = next),
    };
    return inbound.places(api, own);
  }

  const register = async () => registerWebhook(await placesOf(), URL);

  it('is there once at each place after it was registered twice, for what we read, and is not written again', async () => {
    expect(await register()).toBeNull();
    const before = writes();
    const kept = secret;
    expect(await register()).toBeNull();
    expect([writes(), secret]).toEqual([before, kept]);
    expect(ours().map((one) => [one.events, one.isOff])).toEqual(
      Array.from({ length: places }, () => [events, false]),
    );
    expect(new Set(ours().map(({ place }) => place)).size).toBe(places);
    expect(secret !== '').toBe(hasSecret);
    expect(fake.violations ?? []).toEqual([]);
  });

  it('that was deleted, changed, or made by hand is brought to what we need', async () => {
    await register();
    const [first] = ours();
    if (first === undefined) throw new Error('It is not there');
    fake.webhooks?.remove(first.id, first.place);
    await register();
    expect(ours()).toHaveLength(places);
    for (const one of ours()) {
      one.events = events.slice(0, 1);
      if (id === 'mailchimp') one.told = { events: {}, sources: {} };
    }
    await register();
    expect(ours().map((one) => one.events)).toEqual(Array.from({ length: places }, () => events));
    // As an owner makes it, whose secret we were never told.
    secret = '';
    await register();
    expect(ours()).toHaveLength(places);
    expect(secret !== '').toBe(hasSecret);
  });

  it('whose URL is from before a new secret key makes way for the present one', async () => {
    await register();
    for (const one of ours()) one.url = URL.replace(/secret$/, 'earlier');
    await register();
    expect(all().map(({ url }) => url)).toEqual(Array.from({ length: places }, () => URL));
  });

  it('of others stays, and ours is gone once it is removed', async () => {
    const told = { type: 'marketing', PayloadFormat: 'Json', name: '', description: '', sources: [] };
    const theirs = fake.webhooks?.add({ url: OTHER, events, told: id === 'mailchimp' ? {} : told });
    await register();
    expect(all()).toHaveLength(places + 1);
    await removeWebhook(await placesOf(), URL);
    await removeWebhook(await placesOf(), URL);
    expect(all()).toEqual([theirs]);
  });

  it('that the tool refuses to make is told in its words', async () => {
    const body =
      id === 'campaign-monitor' ? { Code: 1, Message: 'Not on your plan' } : { message: 'Not on your plan' };
    fake.rule(({ method }) => (method === 'POST' ? { status: 403, body: JSON.stringify(body) } : null));
    expect(await register()).toMatchObject({
      kind: 'refused',
      message: `${connector.name} takes no webhook from us (403): Not on your plan`,
    });
    expect(ours()).toEqual([]);
  });

  it('is not called missing by a tool that does not answer', async () => {
    fake.rule(() => ({ status: 503, body: '' }));
    await expect(register()).rejects.toMatchObject({ isFinal: false });
    fake.rule(({ method }) => (method === 'POST' ? { status: 503, body: '' } : null));
    await expect(register()).rejects.toMatchObject({ isFinal: false });
  });
});

describe('the secrets of Mailchimp, one for each audience', () => {
  const { inbound } = connectorOf('mailchimp');

  function isGenuine(request: { body: string; headers: Record<string, string> }, kept: string): boolean {
    if (inbound.kind !== 'webhook') throw new Error('Mailchimp has webhooks');
    const told: InboundRequest = { headers: request.headers, rawBody: Buffer.from(request.body) };
    return inbound.isGenuine(told, kept, NOW);
  }

  const told = (secret: string | null) =>
    mailchimpWebhook('unsubscribe', { list_id: 'a', email: 'x@example.com' }, { at: NOW, secret });

  const kept = 'a/w1\tfirst\nb/w2\tsecond';

  it('each verify a call, and nothing else does', () => {
    expect(['first', 'second', 'third', null].map((secret) => isGenuine(told(secret), kept))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('that Mailchimp told none of leave the secret URL to tell, and that an owner entered counts as before', () => {
    expect(isGenuine(told(null), 'a/w1\t\nb/w2\tsecond')).toBe(true);
    expect(isGenuine(told('third'), 'a/w1\t\nb/w2\tsecond')).toBe(false);
    expect(isGenuine(told(null), '')).toBe(true);
    expect([isGenuine(told('entered'), 'entered'), isGenuine(told(null), 'entered')]).toEqual([true, false]);
  });
});
