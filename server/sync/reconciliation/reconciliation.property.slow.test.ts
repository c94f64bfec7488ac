import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { createIntegration } from '#contract/integrations.ts';
import { getCustomer, getCustomerLists } from '#server/audience/customers/customers.ts';
import { type ChoiceChange, saveChoice } from '#server/choices/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import { createCustomer } from '#server/visit/customers/change-customers.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildSite, buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';
import { RECONCILIATION, REPAIRS } from './reconciliation.jobs.ts';
import { getReconciliation, startReconciliation, startRepair } from './reconciliation.ts';
import { listDiscrepancies } from './discrepancies.ts';

const MAX_MS = scaled(60_000);

let product: TestProduct;
let mailchimp: MailchimpFake;
let world: World;
let topic: { id: string; name: string };
let tag: { id: string; name: string };

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  product = await startTestProduct({ env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url } });
  world = await buildWorld(product);
  const { id, name } = mailchimp.addInterest(mailchimp.audience);
  topic = { id, name };
  const [made] = mailchimp.addResources('tags', 1);
  if (made === undefined) throw new Error('The fake made no tag');
  tag = { id: made.id, name: made.name };
});

afterAll(async () => {
  await product.stop();
  await mailchimp.close();
});

type Save = 'weekly on' | 'weekly off' | 'offers on' | 'offers off' | 'leave' | 'come back';

interface Life {
  /** None of which Mailchimp heard. */
  saves: Save[];
  /** null: not there. */
  there: { status: string; leftByThemselves: boolean; hasTopic: boolean; hasTag: boolean } | null;
}

const life: fc.Arbitrary<Life> = fc.record({
  saves: fc.array(
    fc.constantFrom<Save>('weekly on', 'weekly off', 'offers on', 'offers off', 'leave', 'come back'),
    { maxLength: 4 },
  ),
  there: fc.option(
    fc.record({
      status: fc.constantFrom(
        'subscribed',
        'unsubscribed',
        'cleaned',
        'pending',
        'archived',
        'transactional',
      ),
      leftByThemselves: fc.boolean(),
      hasTopic: fc.boolean(),
      hasTag: fc.boolean(),
    }),
    { freq: 4 },
  ),
});

/** The weekly list is the audience and a tag; the offers are a topic of it; who leaves everything is unsubscribed. */
async function connect(site: World): Promise<string> {
  const { params, owner, weekly, offers } = site;
  const body = { provider: 'mailchimp', credentials: { ...mailchimp.credentials } };
  const { id } = await product.call(createIntegration, { params, body }, owner);
  const audience = { id: mailchimp.audience, name: 'Audience' };
  const tie = (event: ChoiceEvent, rest: object, lists: string[] = []) =>
    product.call(
      createAction,
      {
        params,
        body: {
          name: 'Tell Mailchimp',
          type: 'list',
          integration_id: id,
          trigger: { event, list_ids: lists },
          target: {},
          ...rest,
        },
      },
      owner,
    );
  await tie('subscribed', { target: audience, operation: 'add' }, [weekly.id]);
  await tie('unsubscribed', { target: audience, operation: 'remove' }, [weekly.id]);
  await tie('subscribed', { target: topic, operation: 'add' }, [offers.id]);
  await tie('unsubscribed', { target: topic, operation: 'remove' }, [offers.id]);
  await tie('subscribed', { type: 'tag', target: tag, operation: 'add' }, [weekly.id]);
  await tie('unsubscribed', { type: 'tag', target: tag, operation: 'remove' }, [weekly.id]);
  await tie('global_unsubscribed', { type: 'global_unsubscribe', operation: 'unsubscribe' });
  return id;
}

function wishOf(wanted: Save, { weekly, offers }: World): ChoiceChange {
  if (wanted === 'leave' || wanted === 'come back') return { globalUnsubscribe: wanted === 'leave' };
  const list = wanted.startsWith('weekly') ? weekly : offers;
  return { lists: [{ list_id: list.id, subscribed: wanted.endsWith('on') }] };
}

let count = 0;

async function live(site: World, { saves, there }: Life): Promise<{ id: string; email: string }> {
  count += 1;
  const siteId = site.params.site_id;
  const customer = await createCustomer(product.services, siteId, `person-${count}@example.com`);
  for (const one of saves) {
    await saveChoice(product.services, siteId, customer.id, wishOf(one, site), ON_THE_PAGE);
  }
  await product.testDatabase.owner.query(`update deliveries set status = 'failed' where status = 'waiting'`);
  if (there !== null) {
    const { status, leftByThemselves, hasTopic, hasTag } = there;
    mailchimp.addMember(mailchimp.audience, customer.email, {
      status,
      leftByThemselves,
      interests: { [topic.id.split('/')[1] ?? '']: hasTopic },
      tags: new Set(hasTag ? [Number(tag.id.split('/')[1])] : []),
    });
  }
  return customer;
}

async function stateHere({ params, weekly, offers }: World, id: string) {
  const { global_unsubscribe: hasLeft } = await getCustomer(product.services, params.site_id, id);
  const { results } = await getCustomerLists(product.services, params.site_id, id);
  const of = (listId: string) =>
    results.find((one) => one.notification_list_id === listId)?.subscribed ?? null;
  return { hasLeft, weekly: of(weekly.id), offers: of(offers.id) };
}

const statusThere = (email: string) => mailchimp.member(mailchimp.audience, email)?.status ?? null;

/** A turn that meets a busy machine is taken again some minutes later, as the worker would take it. */
async function finish(siteId: string, id: string, runId: string) {
  for (;;) {
    await RECONCILIATION.runDue(product.services);
    await REPAIRS.runDue(product.services);
    const run = await getReconciliation(product.services, siteId, id, runId);
    if (run.status !== 'running') return run;
    product.clock.advance({ minutes: 6 });
  }
}

/** What the nightly run began ends first. */
async function begin(start: () => Promise<{ id: string }>): Promise<{ id: string }> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
      product.clock.advance({ minutes: 6 });
      await RECONCILIATION.runDue(product.services);
      await REPAIRS.runDue(product.services);
    }
  }
}

async function compare(siteId: string, id: string) {
  const by = world.owner.id;
  const started = await begin(() => startReconciliation(product.services, siteId, id, by));
  return finish(siteId, id, started.id);
}

async function mendAll(siteId: string, id: string): Promise<void> {
  const by = world.owner.id;
  const started = await begin(() => startRepair(product.services, siteId, id, {}, by));
  await finish(siteId, id, started.id);
}

/** Those that Mailchimp did not carry out, such as a subscription that the person has to confirm there, stay open. */
async function openOnes(siteId: string, id: string) {
  const { results } = await listDiscrepancies(product.services, siteId, id, { status: 'open', limit: 100 });
  return results;
}

it(
  'a comparison finds nothing more once all is fixed, and undoes no opt-out, neither here nor there',
  { timeout: 3 * MAX_MS },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 5 }), async (lives) => {
        const site = await buildSite(product, world.owner, world.params.organization_id);
        const siteId = site.params.site_id;
        const id = await connect(site);
        const people: { id: string; email: string }[] = [];
        for (const one of lives) people.push(await live(site, one));
        const before = await Promise.all(people.map((one) => stateHere(site, one.id)));
        const statusBefore = people.map(({ email }) => statusThere(email));
        await compare(siteId, id);
        await mendAll(siteId, id);
        // What was taken over is itself carried out there by the next comparison.
        await compare(siteId, id);
        await mendAll(siteId, id);
        const last = await compare(siteId, id);
        expect(last).toMatchObject({ status: 'finished', counts: { mended: 0 } });
        expect((await openOnes(siteId, id)).filter(({ error }) => error === null)).toEqual([]);
        for (const [index, { id: customerId, email }] of people.entries()) {
          const was = before[index];
          const is = await stateHere(site, customerId);
          const there = statusThere(email);
          if (was?.hasLeft === true) expect(is.hasLeft).toBe(true);
          if (was?.weekly !== true) expect(is.weekly).toBe(was?.weekly);
          if (was?.offers !== true) expect(is.offers).toBe(was?.offers);
          const status = statusBefore[index] ?? null;
          // Only who says so there leaves here; not being there, or not yet, says nothing.
          if (status !== 'unsubscribed' && status !== 'cleaned') expect(is).toEqual(was);
          if (status === 'unsubscribed' || status === 'cleaned') expect(there).toBe(status);
          if (is.hasLeft && there !== null) {
            expect(['unsubscribed', 'cleaned', 'archived']).toContain(there);
          }
          if (is.weekly === false) expect(there).not.toBe('subscribed');
        }
      }),
      { numRuns: scaled(10), interruptAfterTimeLimit: MAX_MS },
    );
  },
);
