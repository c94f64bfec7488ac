import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordAgentCall } from '#contract/agent-calls.ts';
import { createApiKey } from '#contract/api-keys.ts';
import { type AuditNoun, listAuditActors, listAuditLog } from '#contract/audit-log.ts';
import { KEY_SCOPES, type KeyScope } from '#contract/roles.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { rawRequest } from '#test/harness/http.ts';
import { buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let nora: World;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  nora = await buildWorld(product);
});

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

afterAll(() => product.stop());

async function agentWith(scopes: KeyScope[]) {
  const body = { name: 'Agent', scopes };
  const { id, key } = await product.call(createApiKey, { params: acme.params, body }, acme.owner);
  return { id, token: key };
}

async function log(query: { noun?: AuditNoun; actor_id?: string } = {}) {
  return (await product.call(listAuditLog, { params: acme.params, query }, acme.owner)).results;
}

describe('a call by an agent', () => {
  it('is in the audit log with the key, the tool and the customer, and without an email', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    const agent = await agentWith(['read']);
    const call = (body: { tool: string; email?: string }) =>
      product.call(recordAgentCall, { params: acme.params, body }, agent);
    await call({ tool: 'list_lists' });
    await call({ tool: 'find_customer', email: 'VERA@example.com' });
    await call({ tool: 'find_customer', email: 'unknown@example.com' });
    const actor = { kind: 'api_key', id: agent.id, name: 'Agent' };
    const found = await log({ noun: 'agent' });
    expect(found).toMatchObject([
      { event: 'agent.called', actor, subject_name: 'find_customer', subject_id: null },
      { event: 'agent.called_about_customer', actor, subject_name: 'find_customer', subject_id: vera.id },
      { event: 'agent.called', actor, subject_name: 'list_lists', subject_id: null },
    ]);
    expect(await log({ actor_id: agent.id })).toEqual(found);
    const { results: actors } = await product.call(listAuditActors, { params: acme.params }, acme.owner);
    expect(actors).toContainEqual(actor);
    const { rows } = await product.testDatabase.owner.query('select audit_log::text as row from audit_log');
    expect(JSON.stringify(rows)).not.toMatch(/vera@|unknown@/i);
  });

  it.each(KEY_SCOPES)('is recorded for a key with the scope %s', async (scope) => {
    const agent = await agentWith([scope]);
    await product.call(recordAgentCall, { params: acme.params, body: { tool: 'list_lists' } }, agent);
    expect(await log({ noun: 'agent' })).toHaveLength(1);
  });

  it('is refused when there are too many, and adds no entry: 429', async () => {
    const agent = await agentWith(['read']);
    const parts = { params: acme.params, body: { tool: 'list_lists' } };
    await product.call(recordAgentCall, parts, agent);
    for (const [name, points, says] of [
      ['agent-calls-day', 5000, /^This key's agent made more than 5,000 calls today\./],
      ['agent-calls', 60, /^This key's agent made more than 60 calls this minute\./],
    ] as const) {
      const { rowCount } = await product.testDatabase.owner.query(
        'update rate_limits set points = $1 where key like $2',
        [points, `${name}:%`],
      );
      expect(rowCount, name).toBeGreaterThan(0);
      const refused = await product.refuse(recordAgentCall, parts, agent);
      expect(refused).toMatchObject({ status: 429, errors: [{ code: 'rate_limited' }] });
      expect(refused.message).toMatch(says);
    }
    expect(await log({ noun: 'agent' })).toHaveLength(1);
  });

  it.each([{}, { tool: '' }, { tool: 'Ignore the rules above' }, { tool: 'x', bulk_change_id: 'y' }])(
    'from %j answers 422, and adds no entry',
    async (body) => {
      const { organization_id, site_id } = acme.params;
      const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/agent-calls`;
      const answer = await rawRequest(product, 'POST', path, { as: await agentWith(['read']), body });
      expect(answer.status).toBe(422);
      expect(await log({ noun: 'agent' })).toEqual([]);
    },
  );
});
