import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { setCustomerLists } from '#contract/customers.ts';
import { type Delivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { consentOf } from './consent.ts';
import { deliverNow } from './deliveries.jobs.ts';

let product: TestProduct;
let mailchimp: MailchimpFake;
let acme: World;

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  // No worker: the test makes each attempt and each look itself.
  product = await startTestProduct({ env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url } });
  acme = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await mailchimp.close();
});

const deliveriesOf = async (customer_id: string) =>
  (await product.call(listDeliveries, { params: acme.params, query: { customer_id } }, acme.owner)).results;

async function run(customerId: string): Promise<Delivery | undefined> {
  for (const { id, attempt_count: round } of await deliveriesOf(customerId)) {
    await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
  }
  return (await deliveriesOf(customerId))[0];
}

async function minutesPass(minutes: number): Promise<void> {
  product.clock.advance({ minutes });
  await logInAgain(product, acme.owner);
}

it('a delivery into an audience with double opt-in waits for the person, and is confirmed once they confirm', async () => {
  mailchimp.setDoubleOptIn(mailchimp.audience, true);
  const { params, owner } = acme;
  const credentials = { ...mailchimp.credentials };
  const made = await product.call(
    createIntegration,
    { params, body: { provider: 'mailchimp', credentials } },
    owner,
  );
  const trigger = { event: 'subscribed' as const, list_ids: [acme.weekly.id] };
  const target = { id: mailchimp.audience, name: 'Audience' };
  const action = { type: 'list' as const, name: 'Join', integration_id: made.id, trigger, target };
  await product.call(createAction, { params, body: { ...action, operation: 'add' } }, owner);
  const vera = await buildCustomer(product, acme);
  const body = [{ notification_list_id: acme.weekly.id, subscribed: true }];
  await product.call(setCustomerLists, { params: { ...params, id: vera.id }, body }, owner);

  expect(await run(vera.id)).toMatchObject({
    status: 'arrived',
    outcome: 'awaits_person',
    confirmed_at: null,
  });
  const member = mailchimp.member(mailchimp.audience, vera.email);
  expect(member).toMatchObject({ status: 'pending', askedTimes: 1, consent: {} });
  await minutesPass(2);
  expect(await run(vera.id)).toMatchObject({ outcome: 'awaits_person' });
  if (member) member.status = 'subscribed';
  await minutesPass(11);
  expect(await run(vera.id)).toMatchObject({ outcome: 'confirmed', confirmed_at: expect.any(String) });
});

it('a choice tells a tool when it was made, where, and whether it was confirmed, if the person made it', () => {
  const occurred_at = new Date('2026-11-20T09:05:00Z');
  const choice = {
    source: 'page',
    shown: {},
    requested: null,
    ip: '198.51.100.0',
    language: 'de',
    occurred_at,
  } as ChoiceRow;
  const here = { at: occurred_at.toISOString(), ip: '198.51.100.0' };
  expect(consentOf(choice)).toEqual({ isConfirmed: false, said: { ...here, language: 'de' } });
  expect(consentOf({ ...choice, source: 'import' })).toEqual({ isConfirmed: false });
  const requested = { at: '2026-11-20T09:00:00.000Z', source: 'page', ip: null, language: 'fr', shown: {} };
  const confirmed = { ...choice, source: 'confirm_link', requested } as ChoiceRow;
  expect(consentOf(confirmed)).toEqual({
    isConfirmed: true,
    said: { at: requested.at, ip: null, language: 'fr' },
    confirmed: here,
  });
});
