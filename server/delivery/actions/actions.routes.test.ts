import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ACTION_TYPES,
  createAction,
  deleteAction,
  getAction,
  listActions,
  previewAction,
  updateAction,
} from '#contract/actions.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { updateCustomer, setCustomerLists } from '#contract/customers.ts';
import { updateSite } from '#contract/sites.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';

const NOWHERE = '01900000-0000-7000-8000-000000000000';

let product: TestProduct;
let receiver: WebhookReceiver;
let nora: World;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  receiver = await startWebhookReceiver();
  nora = await buildWorld(product, 'nora');
});

beforeEach(async () => {
  receiver.received.length = 0;
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

afterAll(async () => {
  await receiver.close();
  await product.stop();
});

function webhook(event: ChoiceEvent, list_ids: string[] = []) {
  return {
    type: 'webhook' as const,
    name: 'Tell the shop',
    trigger: { event, list_ids },
    target: { url: receiver.url },
  };
}

function create(event: ChoiceEvent = 'unsubscribed', list_ids: string[] = []) {
  return product.call(createAction, { params: acme.params, body: webhook(event, list_ids) }, acme.owner);
}

function rawCreate(body: object) {
  const { organization_id, site_id } = acme.params;
  const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/actions`;
  return rawRequest(product, 'POST', path, { as: acme.owner, body });
}

async function leave(world = acme) {
  const vera = await buildCustomer(product, world);
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await product.call(setCustomerLists, { params: { ...world.params, id: vera.id }, body }, world.owner);
  return vera;
}

describe('a webhook action', () => {
  it('is created with a signing secret that is shown only once: 201', async () => {
    const action = await create('unsubscribed', [acme.weekly.id]);
    expect(action).toEqual({
      id: action.id,
      type: 'webhook',
      name: 'Tell the shop',
      enabled: true,
      integration_id: null,
      trigger: { event: 'unsubscribed', list_ids: [acme.weekly.id] },
      operation: null,
      target: { url: receiver.url },
      disabled_reason: null,
      disabled_because: null,
      target_gone_since: null,
      created_at: action.created_at,
      updated_at: action.updated_at,
      warnings: [],
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    });
    const { signing_secret, ...rest } = action;
    const call = { params: { ...acme.params, id: action.id } };
    expect(await product.call(getAction, call, acme.owner)).toEqual(rest);
    expect(await product.call(listActions, { params: acme.params }, acme.owner)).toEqual({
      results: [rest],
      next: null,
    });
    const { rows } = await product.testDatabase.owner.query<{ dump: string }>(
      'select row_to_json(a)::text as dump from actions a',
    );
    expect(rows.map((row) => row.dump).join()).not.toContain(signing_secret?.slice(6));
  });

  it('runs from its creation until it is switched off or deleted', async () => {
    const action = await create();
    await leave();
    await receiver.waitFor(1);
    const params = { ...acme.params, id: action.id };
    await product.call(updateAction, { params, body: { enabled: false } }, acme.owner);
    await leave();
    await product.call(updateAction, { params, body: { enabled: true } }, acme.owner);
    const vera = await leave();
    const [, second] = await receiver.waitFor(2);
    expect(second?.body).toContain(vera.email);
    await product.call(deleteAction, { params }, acme.owner);
    await leave();
    expect((await product.refuse(getAction, { params }, acme.owner)).status).toBe(404);
    expect((await product.refuse(deleteAction, { params }, acme.owner)).status).toBe(404);
    expect((await product.call(listActions, { params: acme.params }, acme.owner)).results).toEqual([]);
    const { rows } = await product.testDatabase.owner.query('select id from deliveries where site_id = $1', [
      acme.params.site_id,
    ]);
    expect(rows).toHaveLength(2);
  });

  it('can be changed field by field', async () => {
    const action = await create();
    const changed = await product.call(
      updateAction,
      {
        params: { ...acme.params, id: action.id },
        body: {
          name: 'Other',
          trigger: { event: 'subscribed', list_ids: [acme.offers.id] },
          target: { url: 'https://example.com/other' },
        },
      },
      acme.owner,
    );
    expect(changed).toMatchObject({
      name: 'Other',
      trigger: { event: 'subscribed', list_ids: [acme.offers.id] },
      target: { url: 'https://example.com/other' },
    });
    expect(changed).not.toHaveProperty('signing_secret');
  });

  it('cannot overwrite a change by somebody else: 409, and nothing is lost', async () => {
    const action = await create();
    const params = { ...acme.params, id: action.id };
    const { updated_at } = action;
    product.clock.advance({ seconds: 1 });
    const first = await product.call(
      updateAction,
      { params, body: { name: 'First', updated_at } },
      acme.owner,
    );
    const late = { target: { url: 'https://example.com/late' }, updated_at };
    const refused = await product.refuse(updateAction, { params, body: late }, acme.owner);
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'conflict', field: 'updated_at' }] });
    expect(await product.call(getAction, { params }, acme.owner)).toEqual(first);
    const body = { ...late, updated_at: first.updated_at };
    expect(await product.call(updateAction, { params, body }, acme.owner)).toMatchObject({
      name: 'First',
      target: late.target,
    });
  });

  it('signs with both secrets for 24 hours after a rotation, then with the new one alone', async () => {
    const action = await create();
    const params = { ...acme.params, id: action.id };
    const rotated = await product.call(updateAction, { params, body: { rotate_secret: true } }, acme.owner);
    const [old, current] = [action.signing_secret ?? '', rotated.signing_secret ?? ''];
    expect(current).not.toBe(old);
    await leave();
    const [during] = await receiver.waitFor(1);
    expect(during?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [old, current]) {
      expect(() => new Webhook(secret).verify(during?.body ?? '', during?.headers ?? {})).not.toThrow();
    }

    const vera = await leave();
    await receiver.waitFor(2);
    product.clock.advance({ hours: 25 });
    const { owner } = await signedInAgain();
    const preview = await product.call(previewAction, { params, body: { customer_id: vera.id } }, owner);
    expect(preview.calls[0]?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
    product.clock.advance({ hours: -25 });
  });

  it.each(ACTION_TYPES.filter((type) => type !== 'webhook' && type !== 'evidence'))(
    'is the only type that needs no tool: %s without one answers 422',
    async (type) => {
      const answer = await rawCreate({ ...webhook('unsubscribed'), type });
      expect(answer).toMatchObject({ status: 422, codes: ['invalid_field'], fields: ['integration_id'] });
    },
  );

  it.each([
    ['no name', { name: '' }, 'name'],
    ['an unknown type', { type: 'mail' }, 'type'],
    ['an unknown event', { trigger: { event: 'opened' } }, 'trigger.event'],
    ['no trigger', { trigger: undefined }, 'trigger'],
    ['a list of nobody', { trigger: { event: 'subscribed', list_ids: [NOWHERE] } }, 'trigger.list_ids.0'],
    ['an address without a scheme', { target: { url: 'example.com' } }, 'target.url'],
    ['another scheme', { target: { url: 'file:///etc/passwd' } }, 'target.url'],
    ['a password in the address', { target: { url: 'https://a:b@example.com' } }, 'target.url'],
    ['too long an address', { target: { url: `https://example.com/${'x'.repeat(2048)}` } }, 'target.url'],
    ['no address', { target: {} }, 'target.url'],
    ['an integration', { integration_id: NOWHERE }, 'integration_id'],
    ['an operation', { operation: 'add' }, 'operation'],
    ['an unknown field', { secret: 'whsec_x' }, 'secret'],
  ])('with %s answers 422 and is not created', async (_what, wish, field) => {
    const answer = await rawCreate({ ...webhook('unsubscribed'), ...wish });
    expect(answer).toMatchObject({ status: 422, fields: [field] });
    expect((await product.call(listActions, { params: acme.params }, acme.owner)).results).toEqual([]);
  });
});

describe('an evidence action', () => {
  const evidence = (target: object) => ({ ...webhook('unsubscribed'), type: 'evidence' as const, target });

  it.each([{ url: 'https://shop.example/evidence' }, { email: 'archive@shop.example' }])(
    'to %j is created with a signing secret that is shown only once, and can be rotated',
    async (target) => {
      const body = { ...webhook('unsubscribed'), type: 'evidence' as const, target };
      const made = await product.call(createAction, { params: acme.params, body }, acme.owner);
      expect(made).toMatchObject({ type: 'evidence', target, integration_id: null, operation: null });
      expect(made.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const params = { ...acme.params, id: made.id };
      expect(await product.call(getAction, { params }, acme.owner)).not.toHaveProperty('signing_secret');
      const rotated = await product.call(updateAction, { params, body: { rotate_secret: true } }, acme.owner);
      expect(rotated.signing_secret).toMatch(/^whsec_/);
      expect(rotated.signing_secret).not.toBe(made.signing_secret);
    },
  );

  it.each([
    ['no target', { target: {} }, 'target'],
    ['a thing of a tool', { target: { id: '1', name: 'A tag' } }, 'target'],
    ['an address of the web without a scheme', { target: { url: 'shop.example' } }, 'target.url'],
    ['a password in it', { target: { url: 'https://a:b@shop.example' } }, 'target.url'],
    ['no mail address', { target: { email: 'archive' } }, 'target.email'],
    ['two mail addresses', { target: { email: 'a@shop.example, b@shop.example' } }, 'target.email'],
    ['both', { target: { url: 'https://shop.example', email: 'a@shop.example' } }, 'target'],
    ['an integration', { integration_id: NOWHERE }, 'integration_id'],
    ['an operation', { operation: 'add' }, 'operation'],
  ])('with %s answers 422 and is not created', async (_what, wish, field) => {
    const answer = await rawCreate({ ...evidence({ email: 'archive@shop.example' }), ...wish });
    expect(answer.status).toBe(422);
    expect(answer.fields.map((one) => one?.slice(0, field.length))).toContain(field);
    expect((await product.call(listActions, { params: acme.params }, acme.owner)).results).toEqual([]);
  });

  it('can move between a URL and a mailbox; a webhook cannot', async () => {
    const body = { ...webhook('unsubscribed'), type: 'evidence' as const };
    const made = await product.call(createAction, { params: acme.params, body }, acme.owner);
    const target = { email: 'archive@shop.example' };
    const params = { ...acme.params, id: made.id };
    const moved = await product.call(updateAction, { params, body: { target } }, acme.owner);
    expect(moved.target).toEqual(target);
    const none = await product.refuse(updateAction, { params, body: { target: {} } }, acme.owner);
    expect(none).toMatchObject({ status: 422, errors: [{ field: 'target' }] });
    const hook = await create();
    const refused = await product.refuse(
      updateAction,
      { params: { ...acme.params, id: hook.id }, body: { target } },
      acme.owner,
    );
    expect(refused).toMatchObject({ status: 422, errors: [{ field: 'target.url' }] });
  });

  it('runs for each choice that it is set for, and for no other', async () => {
    const body = { ...webhook('unsubscribed', [acme.weekly.id]), type: 'evidence' as const };
    await product.call(createAction, { params: acme.params, body }, acme.owner);
    const vera = await buildCustomer(product, acme);
    for (const list of [acme.offers, acme.weekly]) {
      await product.call(
        setCustomerLists,
        {
          params: { ...acme.params, id: vera.id },
          body: [{ notification_list_id: list.id, subscribed: false }],
        },
        acme.owner,
      );
    }
    const [sent, ...others] = await receiver.waitFor(1);
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      type: 'evidence',
      data: { email: vera.email, lists: [{ list_id: acme.weekly.id }] },
    });
    expect(others).toEqual([]);
  });
});

/** The test clock ends access tokens. */
async function signedInAgain() {
  const { refreshTokens } = await import('#contract/accounts.ts');
  const tokens = await product.call(refreshTokens, { body: { refresh_token: nora.owner.refreshToken } });
  return { owner: { ...nora.owner, token: tokens.access_token } };
}

describe('the preview', () => {
  const events: [ChoiceEvent, object][] = [
    ['unsubscribed', { lists: false }],
    ['subscribed', { lists: true }],
    ['global_unsubscribed', { global_unsubscribe: true }],
    ['global_resubscribed', { global_unsubscribe: false }],
    ['email_changed', { email: 'moved@example.com' }],
  ];

  it.each(events)('of %s shows what is later sent, and sends nothing', async (event, wish) => {
    const vera = await buildCustomer(product, acme);
    const customer = { ...acme.params, id: vera.id };
    const setWeekly = (subscribed: boolean) =>
      product.call(
        setCustomerLists,
        { params: customer, body: [{ notification_list_id: acme.weekly.id, subscribed }] },
        acme.owner,
      );
    await setWeekly(event !== 'subscribed');
    if (event === 'global_resubscribed') {
      await product.call(
        updateCustomer,
        { params: customer, body: { global_unsubscribe: true } },
        acme.owner,
      );
    }
    const action = await create(event);
    const preview = await product.call(
      previewAction,
      { params: { ...acme.params, id: action.id }, body: { customer_id: vera.id } },
      acme.owner,
    );
    expect(receiver.received).toEqual([]);

    if ('lists' in wish) await setWeekly(wish.lists === true);
    else
      await product.call(updateCustomer, { params: customer, body: wish as { email: string } }, acme.owner);
    const [sent] = await receiver.waitFor(1);
    const [call] = preview.calls;
    expect(call).toMatchObject({ method: 'POST', url: receiver.url });
    expect(Object.keys(call?.headers ?? {}).filter((name) => !(name in (sent?.headers ?? {})))).toEqual([]);
    const [shown, real] = [messageOf(call?.body), messageOf(sent?.body)];
    if (event === 'email_changed') shown.data.customer.email = 'moved@example.com';
    expect({ ...shown, timestamp: '' }).toEqual({
      ...real,
      timestamp: '',
      data: { ...real.data, source: 'page' },
    });
    expect(() =>
      new Webhook(action.signing_secret ?? '').verify(call?.body ?? '', call?.headers ?? {}),
    ).not.toThrow();
  });

  it('of a test customer shows no calls, because nothing is ever sent for them', async () => {
    const vera = await buildCustomer(product, acme);
    const action = await create('unsubscribed');
    const preview = () =>
      product.call(
        previewAction,
        { params: { ...acme.params, id: action.id }, body: { customer_id: vera.id } },
        acme.owner,
      );
    expect(await preview()).toMatchObject({ calls: [{ url: receiver.url }], nothing_because: null });
    await product.call(updateSite, { params: acme.params, body: { test_emails: [vera.email] } }, acme.owner);
    expect(await preview()).toEqual({ calls: [], changes: [], nothing_because: 'test' });
  });
});

interface Message {
  timestamp: string;
  data: { source: string; customer: { id: string; email: string } };
}

function messageOf(body: string | null | undefined): Message {
  return JSON.parse(body ?? '') as Message;
}
