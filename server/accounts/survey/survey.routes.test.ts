import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIENCE_BUCKETS, listSurveys, submitSurvey, TOOL_OPTIONS } from '#contract/survey.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, type Owner } from '#test/harness/world.ts';

const DATA = {
  name: 'Acme',
  domain: 'acme',
  integrations: ['Mailchimp', 'My own tool'],
  contacts: 5000 as const,
};

let product: TestProduct;
let nora: Owner;

beforeAll(async () => {
  product = await startTestProduct();
  nora = await buildOwner(product);
});

afterAll(() => product.stop());

function send(body: object) {
  return rawRequest(product, 'POST', `/api/core/v1/users/${nora.id}/surveys`, { as: nora, body });
}

describe('the answers of the survey', () => {
  it('are stored: 201', async () => {
    const body = { version: 1 as const, data: DATA };
    const survey = await product.call(submitSurvey, { params: { id: nora.id }, body }, nora);
    expect(survey).toMatchObject(body);
    const { rows } = await product.testDatabase.owner.query(
      'select user_id, data from surveys where id = $1',
      [survey.id],
    );
    expect(rows).toEqual([{ user_id: nora.id, data: DATA }]);
  });

  it('can be read back by their author, newest first, and by nobody else', async () => {
    const vera = await buildOwner(product);
    const params = { id: vera.id };
    const answers = () => product.call(listSurveys, { params }, vera);
    expect(await answers()).toEqual({ results: [], next: null });
    const body = { version: 1 as const, data: DATA };
    await product.call(submitSurvey, { params, body }, vera);
    const last = await product.call(
      submitSurvey,
      { params, body: { version: 1, data: { ...DATA, integrations: ['Brevo'] } } },
      vera,
    );
    expect((await answers()).results).toMatchObject([last, body]);
    expect((await product.refuse(listSurveys, { params }, nora)).status).toBe(404);
  });

  it.each(AUDIENCE_BUCKETS.map((bucket) => bucket.value))(
    'accept the audience %i (spec 110)',
    async (contacts) => {
      expect((await send({ version: 1, data: { ...DATA, contacts } })).status).toBe(201);
    },
  );

  it('accept every tool at once, and none (spec 110)', async () => {
    for (const integrations of [[...TOOL_OPTIONS], []]) {
      expect((await send({ version: 1, data: { ...DATA, integrations } })).status).toBe(201);
    }
  });

  it.each([
    ['another version', { version: 2, data: DATA }, 'version'],
    [
      'a number of contacts that is no bucket',
      { version: 1, data: { ...DATA, contacts: 2 } },
      'data.contacts',
    ],
    ['a bucket as text', { version: 1, data: { ...DATA, contacts: '1' } }, 'data.contacts'],
    ['no name', { version: 1, data: { ...DATA, name: '' } }, 'data.name'],
    ['a tool without a name', { version: 1, data: { ...DATA, integrations: [''] } }, 'data.integrations.0'],
    ['an unknown answer', { version: 1, data: { ...DATA, age: 7 } }, 'data.age'],
  ])('with %s answer 422', async (_what, body, field) => {
    expect(await send(body)).toMatchObject({ status: 422, fields: [field] });
  });

  it("for somebody else's account answer 404", async () => {
    const stranger = await buildOwner(product);
    const refused = await product.refuse(
      submitSurvey,
      { params: { id: stranger.id }, body: { version: 1, data: DATA } },
      nora,
    );
    expect(refused.status).toBe(404);
  });
});
