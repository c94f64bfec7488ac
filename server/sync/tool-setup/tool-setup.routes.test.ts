import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACTION_TYPES, createAction, TOOL_ACTION_TYPES } from '#contract/actions.ts';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  type Integration,
  listConnectors,
  listIntegrations,
  listToolResources,
  updateIntegration,
  verifyIntegration,
} from '#contract/integrations.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';

const CANARY = 'canary0123456789canary0123456789canary0123456789canary0123456789';

let product: TestProduct;
let brevo: BrevoFake;
let world: World;
let fresh: World;

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({ env: { CONNECTOR_BREVO_URL: brevo.url } });
  world = await buildWorld(product);
});

beforeEach(async () => {
  fresh = await buildSite(product, world.owner, world.params.organization_id);
  await product.testDatabase.owner.query('delete from rate_limits');
});

afterAll(async () => {
  await product.stop();
  await brevo.close();
});

const connect = (body: object = {}) =>
  product.call(
    createIntegration,
    { params: fresh.params, body: { provider: 'brevo', credentials: brevo.credentials, ...body } },
    fresh.owner,
  );

const refusal = (body: object) =>
  product.refuse(
    createIntegration,
    { params: fresh.params, body: { provider: 'brevo', credentials: brevo.credentials, ...body } },
    fresh.owner,
  );

const all = async () => (await product.call(listIntegrations, { params: fresh.params }, fresh.owner)).results;

const of = ({ id }: Integration) => ({ ...fresh.params, id });

describe('the catalog of tools', () => {
  it('lists the ten tools of the specification, then any other, with what each can do, or why it cannot', async () => {
    const { results } = await product.call(listConnectors, {}, fresh.owner);
    expect(results).toHaveLength(CONNECTORS.length);
    const sources = results.map((one) => [one.name, one.webhook_secret, one.webhook_secret_source]);
    expect(sources).toContainEqual(['Brevo', 'needed', 'you']);
    expect(sources).toContainEqual(['SendGrid', 'needed', 'tool']);
    expect(sources).toContainEqual(['HubSpot', 'none', null]);
    expect(results.slice(0, 10).map(({ name }) => name)).toEqual([
      'ActiveCampaign',
      'SendGrid',
      'ConvertKit',
      'Campaign Monitor',
      'Brevo',
      'HubSpot',
      'Mailchimp',
      'Sendlane',
      'Drip',
      'Salesforce',
    ]);
    for (const tool of results) {
      expect(Object.keys(tool.actions).toSorted()).toEqual([...ACTION_TYPES].toSorted());
      expect(tool.credentials.length).toBeGreaterThan(0);
    }
  });

  it('says which webhooks need a secret, without which only these accept nothing', () => {
    const unsigned = { headers: {}, rawBody: Buffer.from('') };
    const found = CONNECTORS.flatMap(({ id, inbound }) =>
      inbound.kind === 'webhook' ? [{ id, inbound }] : [],
    );
    for (const { id, inbound } of found) {
      const isTaken = inbound.isGenuine(unsigned, '', product.clock.now());
      expect({ id, isTaken }).toEqual({ id, isTaken: inbound.secret !== 'needed' });
    }
    const taken = found.filter(({ inbound: { isGenuine } }) =>
      isGenuine(unsigned, 'a secret', product.clock.now()),
    );
    const unproven = found.filter(({ inbound }) => inbound.secret === 'none').map(({ id }) => id);
    expect(unproven).toEqual(expect.arrayContaining(['activecampaign', 'campaign-monitor', 'drip']));
    expect(taken.map(({ id }) => id)).toEqual(unproven);
  });

  it('contains the matrix: all tools and all types that act in them, possible or impossible with the reason', () => {
    const rows = CONNECTORS.flatMap(({ name, actions }) =>
      Object.entries(actions).map(([type, capability]) => {
        const cell = capability.can ? `done (${capability.operations.join(', ')})` : capability.reason;
        return `${name} | ${type} | ${cell}`;
      }),
    );
    console.log(rows.join('\n'));
    expect(rows).toHaveLength(CONNECTORS.length * TOOL_ACTION_TYPES.length);
    expect(new Set(CONNECTORS.map(({ id }) => id)).size).toBe(CONNECTORS.length);
    expect(new Set(CONNECTORS.map(({ envName }) => envName)).size).toBe(CONNECTORS.length);
  });
});

describe('an integration', () => {
  it('is created with credentials that the tool accepts, and named by its account', async () => {
    const made = await connect();
    expect(made).toMatchObject({
      provider: 'brevo',
      name: 'Brevo',
      account_name: brevo.accountName,
      status: 'connected',
      failing_since: null,
    });
    expect(await all()).toEqual([made]);
    expect(await product.call(getIntegration, { params: of(made) }, fresh.owner)).toEqual(made);
  });

  it('is not created with credentials that the tool rejects', async () => {
    const answer = await refusal({ credentials: brevo.wrongCredentials });
    expect(answer).toMatchObject({
      status: 422,
      errors: [{ code: 'credentials_refused', field: 'credentials' }],
    });
    expect(await all()).toEqual([]);
  });

  it('is not created while the tool is unavailable', async () => {
    brevo.trouble({ status: 503, body: '{}' });
    expect(await refusal({})).toMatchObject({ status: 503, errors: [{ code: 'unavailable' }] });
    brevo.trouble('cut');
    expect(await refusal({})).toMatchObject({ status: 503 });
    expect(await all()).toEqual([]);
  });

  it.each([
    [{ provider: 'pigeon-post' }, 'provider'],
    [{ credentials: {} }, 'credentials.api_key'],
    [{ credentials: { api_key: 'short' } }, 'credentials.api_key'],
    [{ credentials: { api_key: CANARY, more: 'x' } }, 'credentials'],
  ])('is rejected with %j, naming the field', async (body, field) => {
    const answer = await refusal(body);
    expect(answer).toMatchObject({ status: 422, errors: [{ code: 'invalid_field', field }] });
    expect(JSON.stringify(answer)).not.toContain(CANARY);
  });

  it('keeps its credentials sealed, bound to its row, and reveals them to nobody', async () => {
    const made = await connect();
    const secret = Object.values(brevo.credentials)[0] ?? '';
    const { rows } = await product.testDatabase.owner.query<{ id: string; row: string; sealed: string }>(
      'select id, integrations::text as row, credentials_sealed as sealed from integrations',
    );
    expect(rows.map(({ row }) => row).join()).not.toContain(secret);
    expect(JSON.stringify(await all())).not.toContain(secret);
    const other = await connect({ name: 'Second' });
    const { sealed } = rows.find(({ id }) => id === made.id) ?? { sealed: '' };
    await product.testDatabase.owner.query('update integrations set credentials_sealed = $1 where id = $2', [
      sealed,
      other.id,
    ]);
    const moved = await product.call(verifyIntegration, { params: of(other) }, fresh.owner);
    expect(moved.status).toBe('credentials_refused');
    expect((await product.call(verifyIntegration, { params: of(made) }, fresh.owner)).status).toBe(
      'connected',
    );
  });

  it('accepts new credentials only when the tool accepts them', async () => {
    const made = await connect();
    const body = { credentials: brevo.wrongCredentials };
    const answer = await product.refuse(updateIntegration, { params: of(made), body }, fresh.owner);
    expect(answer.status).toBe(422);
    const renamed = await product.call(
      updateIntegration,
      { params: of(made), body: { name: 'Newsletters', credentials: brevo.credentials } },
      fresh.owner,
    );
    expect(renamed).toMatchObject({ name: 'Newsletters', status: 'connected' });
  });

  it('that is used cannot be disconnected; one that is not used can be, and its credentials are deleted', async () => {
    const made = await connect();
    const action = {
      type: 'global_unsubscribe' as const,
      name: 'Block',
      integration_id: made.id,
      trigger: { event: 'global_unsubscribed' as const },
      target: {},
    };
    await product.call(createAction, { params: fresh.params, body: action }, fresh.owner);
    const answer = await product.refuse(deleteIntegration, { params: of(made) }, fresh.owner);
    expect(answer).toMatchObject({ status: 409, errors: [{ code: 'conflict' }] });
    const spare = await connect({ name: 'Spare' });
    await product.call(deleteIntegration, { params: of(spare) }, fresh.owner);
    expect((await all()).map(({ id }) => id)).toEqual([made.id]);
    const { rows } = await product.testDatabase.owner.query<{ sealed: string }>(
      'select credentials_sealed as sealed from integrations where id = $1',
      [spare.id],
    );
    expect(rows).toEqual([{ sealed: '' }]);
  });

  it('shows what exists in the tool, by name', async () => {
    const made = await connect();
    const lists = brevo.addResources('lists', 60);
    const { results } = await product.call(
      listToolResources,
      { params: of(made), query: { kind: 'lists' } },
      fresh.owner,
    );
    expect(results).toEqual(expect.arrayContaining(lists));
    const names = results.map(({ name }) => name);
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, 'en')));
  });
});

describe('an action on a tool', () => {
  const body = (made: Integration, parts: object) => ({
    type: 'list' as const,
    name: 'Take off',
    integration_id: made.id,
    trigger: { event: 'unsubscribed' as const },
    target: { id: '1', name: 'Weekly' },
    operation: 'remove',
    ...parts,
  });

  it('is stored with what it does there', async () => {
    const made = await connect();
    const action = await product.call(
      createAction,
      { params: fresh.params, body: body(made, {}) },
      fresh.owner,
    );
    expect(action).toMatchObject({
      type: 'list',
      integration_id: made.id,
      operation: 'remove',
      target: { id: '1', name: 'Weekly' },
    });
    expect(action.signing_secret).toBeUndefined();
  });

  it.each([
    [{ integration_id: null }, 'invalid_field', 'integration_id'],
    [{ integration_id: '01900000-0000-7000-8000-000000000000' }, 'invalid_field', 'integration_id'],
    [{ type: 'tag' }, 'action_type_unavailable', 'type'],
    [{ operation: 'explode' }, 'invalid_field', 'operation'],
    [{ target: {} }, 'invalid_field', 'target'],
    [{ type: 'global_unsubscribe', operation: null }, 'invalid_field', 'target'],
  ])('is rejected with %j', async (parts, code, field) => {
    const made = await connect();
    const call = { params: fresh.params, body: body(made, parts) as ReturnType<typeof body> };
    const answer = await product.refuse(createAction, call, fresh.owner);
    expect(answer).toMatchObject({ status: 422, errors: [{ code, field }] });
  });

  it('cannot be created with the integration of another site', async () => {
    const made = await connect();
    const other = await buildSite(product, world.owner, world.params.organization_id);
    const answer = await product.refuse(
      createAction,
      { params: other.params, body: body(made, {}) },
      other.owner,
    );
    expect(answer).toMatchObject({ status: 422, errors: [{ field: 'integration_id' }] });
  });
});
