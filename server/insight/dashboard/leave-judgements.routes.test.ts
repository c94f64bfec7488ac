import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { getEvidence, listCustomerEvidence, listEvidence } from '#contract/choices.ts';
import { type Customer, deleteCustomer, getCustomer, updateCustomer } from '#contract/customers.ts';
import { getDashboard, getLeaveJudgements } from '#contract/dashboard.ts';
import { recordReason } from '#server/audience/evidence/reasons.ts';
import { buildLeaveLink, pressTogether } from '#test/harness/leave-link.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import { buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let home: World;
let world: World;

beforeAll(async () => {
  product = await startTestProduct({ env: { TRUST_PROXY: '1' } });
  home = await buildWorld(product);
});

beforeEach(async () => {
  world = await buildSite(product, home.owner, home.params.organization_id);
});

afterAll(() => product.stop());

const judgements = () => product.call(getLeaveJudgements, { params: world.params, query: {} }, world.owner);

async function pressed(how: Parameters<Awaited<ReturnType<typeof buildLeaveLink>>['press']>[0] = {}) {
  const { press } = await buildLeaveLink(product, world);
  return press(how);
}

async function leaveOf({ id }: Customer) {
  const call = { params: { ...world.params, id }, query: {} };
  const { results } = await product.call(listCustomerEvidence, call, world.owner);
  const left = results.find(({ events }) => events.includes('global_unsubscribed'));
  if (left === undefined) throw new Error('The customer left');
  return left;
}

const idsOf = async (query: Record<string, string | number>) => {
  const { results, next } = await product.call(listEvidence, { params: world.params, query }, world.owner);
  return { customers: results.map((one) => one.customer_id), next };
};

it('a quote after a challenge counts as copied with its link, and elsewhere as a scanner’s', async () => {
  const copied = await pressed({ query: `?utm_source=mail&amp;challenge=${'x'.repeat(96)}%22` });
  const scrambled = await pressed({ query: `?challenge=${'x'.repeat(96)}&utm_source=mail%22` });
  expect((await leaveOf(copied)).judgement?.reasons).not.toContain('changed_link');
  expect((await leaveOf(scrambled)).judgement?.reasons).toContain('changed_link');
});

it('unsubscribes and reasons are split without a write, and each stays an unsubscribe', async () => {
  const burst = await pressTogether(product, world, ['40.107.218.12', '40.107.218.12', '40.107.218.40']);
  const script = await pressed({
    ip: '81.2.3.4',
    userAgent: 'python-requests/2.31.0',
  });
  const scrambled = await pressed({ ip: '81.2.5.4', query: '?utm_source=mail%27' });
  const person = await pressed({ ip: '81.2.69.142' });
  const nearby = await pressed();
  const byTeam = await buildCustomer(product, world);
  await product.call(
    updateCustomer,
    { params: { ...world.params, id: byTeam.id }, body: { global_unsubscribe: true } },
    world.owner,
  );
  for (const [customer, reason] of [
    [script, 'other'],
    [person, 'other'],
    [burst[0], 'too_many'],
  ] as const) {
    if (customer === undefined) throw new Error('There is one');
    const { id } = await leaveOf(customer);
    await recordReason(
      product.services,
      world.params.site_id,
      { customerId: customer.id, choiceId: id },
      reason,
    );
  }

  const changes = await changesBy(product.testDatabase.owner, async () => {
    expect(await judgements()).toMatchObject({
      leaves: { likely_machine: 5, unclear: 0, likely_person: 1, unknown: 1, others: 1 },
      is_partial: false,
    });
  });
  expect(changes).toEqual([]);
  const figures = await product.call(getDashboard, { params: world.params, query: {} }, world.owner);
  expect(figures.leaves.now).toBe(8);
  const { reasons } = await judgements();
  const machines = reasons.map((one) => [one.reason, one.likely_machine, one.likely_person]);
  expect(Object.fromEntries(machines.map(([reason, ...counts]) => [reason, counts]))).toEqual({
    other: [1, 1],
    too_many: [1, 0],
  });

  expect((await leaveOf(script)).judgement).toEqual({
    verdict: 'likely_machine',
    confidence: 90,
    reasons: ['script_user_agent', 'link_of_same_day'],
  });
  expect((await leaveOf(scrambled)).judgement?.reasons).toContain('changed_link');
  expect((await leaveOf(nearby)).judgement).toMatchObject({ verdict: 'unknown', confidence: null });
  expect((await leaveOf(byTeam)).judgement).toBeNull();
  const one = await leaveOf(person);
  const params = { ...world.params, id: one.id };
  expect(await product.call(getEvidence, { params }, world.owner)).toEqual(one);
  expect(one.judgement).toMatchObject({ verdict: 'likely_person', confidence: 20 });

  for (const customer of [...burst, script, scrambled]) {
    const call = { params: { ...world.params, id: customer.id } };
    expect(await product.call(getCustomer, call, world.owner)).toMatchObject({ global_unsubscribe: true });
  }

  const wanted = [...burst, script, scrambled].map(({ id }) => id);
  const first = await idsOf({ verdict: 'likely_machine', move: 'left', limit: 2 });
  expect(first.customers).toEqual([scrambled.id, script.id]);
  const rest = await idsOf({ verdict: 'likely_machine', move: 'left', cursor: first.next ?? '' });
  expect(new Set([...first.customers, ...rest.customers])).toEqual(new Set(wanted));
  expect(rest).toMatchObject({ customers: { length: 3 }, next: null });
  expect((await idsOf({ verdict: 'unclear' })).customers).toEqual([]);
});

it('an erased customer’s choice is not judged, nor is a one-click by the program that sends it', async () => {
  const person = await pressed({ ip: '81.2.69.142' });
  const provider = { ip: '74.125.1.1', userAgent: 'Go-http-client/2.0', body: 'List-Unsubscribe=One-Click' };
  const byProvider = await pressed(provider);
  for (let n = 0; n < 3; n += 1) await pressed(provider);
  expect((await leaveOf(byProvider)).judgement).toMatchObject({ verdict: 'likely_person' });
  await product.call(deleteCustomer, { params: { ...world.params, id: person.id } }, world.owner);
  const { results } = await product.call(listEvidence, { params: world.params, query: {} }, world.owner);
  const erased = results.find((one) => one.customer_id === person.id && one.source === 'leave_link');
  expect(erased).toMatchObject({ user_agent: null, judgement: { verdict: 'unknown', confidence: null } });
});
