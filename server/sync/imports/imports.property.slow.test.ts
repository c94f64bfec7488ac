import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyImport, cancelImport } from '#contract/imports.ts';
import { type ChoiceChange, saveChoice } from '#server/choices/choices/choices.ts';
import { createCustomer } from '#server/visit/customers/change-customers.ts';
import { csv, jobOf, uploadAndCheck } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';
import { handleJob } from './imports.jobs.ts';

const MAX_MS = scaled(25_000);

let product: TestProduct;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product);
});

afterAll(() => product.stop());

type Save = 'weekly on' | 'weekly off' | 'offers on' | 'offers off' | 'leave' | 'come back' | 'pause';

const saves = fc.array(
  fc.constantFrom<Save>('weekly on', 'weekly off', 'offers on', 'offers off', 'leave', 'come back', 'pause'),
  { maxLength: 3 },
);

const cell = fc.constantFrom('yes', 'no', '');

/** Somebody, what the file says of them, and what they choose before the check, before and during the applying. */
const life = fc.record({
  before: saves,
  between: saves,
  during: saves,
  weekly: cell,
  offers: cell,
  all: cell,
});

function wishOf(wanted: Save): ChoiceChange {
  if (wanted === 'pause') return { pauseUntil: new Date(Date.now() + 86_400_000) };
  if (wanted === 'leave' || wanted === 'come back') return { globalUnsubscribe: wanted === 'leave' };
  const list = wanted.startsWith('weekly') ? acme.weekly : acme.offers;
  return { lists: [{ list_id: list.id, subscribed: wanted.endsWith('on') }] };
}

async function choose(customerId: string, wanted: readonly Save[]): Promise<void> {
  for (const one of wanted) {
    await saveChoice(product.services, acme.site.id, customerId, wishOf(one), ON_THE_PAGE);
  }
}

interface Made {
  email: string;
  events: string[];
  lists: { name: string; subscribed: boolean; previous: boolean | null }[];
}

async function importChoices(importId: string): Promise<Made[]> {
  const { rows } = await product.testDatabase.owner.query<Made>(
    `select c.email, h.events, h.lists from choices h join customers c on c.site_id = h.site_id and c.id = h.customer_id
     where h.site_id = $1 and h.save_id like $2`,
    [acme.site.id, `import:${importId}:%`],
  );
  return rows;
}

let count = 0;

it(
  'an import resubscribes nobody unless it may, whatever people choose meanwhile, and loses no opt-out',
  { timeout: 4 * MAX_MS },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 6 }), async (lives) => {
        const people = await Promise.all(
          lives.map(async (one) => {
            count += 1;
            const email = `person-${count}@example.com`;
            return { ...one, email, id: (await createCustomer(product.services, acme.site.id, email)).id };
          }),
        );
        await Promise.all(people.map(({ id, before }) => choose(id, before)));
        const rows = people.map(({ email, weekly, offers, all }) => [email, weekly, offers, all].join());
        const one = await uploadAndCheck(product, acme, csv('email,Weekly news,Offers,opted out', ...rows));
        await Promise.all(people.map(({ id, between }) => choose(id, between)));
        await product.call(applyImport, { params: { ...acme.params, id: one.id } }, acme.owner);
        const job = await jobOf(product, acme, one.id);
        // Two workers have the same job, as when one of them was slow to show that it lives.
        await Promise.all([
          handleJob(product.services, job),
          handleJob(product.services, job),
          ...people.map(({ id, during }) => choose(id, during)),
        ]);
        const made = await importChoices(one.id);
        for (const { events, lists } of made) {
          expect(events).not.toContain('global_resubscribed');
          for (const list of lists) if (list.subscribed) expect(list.previous).toBeNull();
        }
        for (const { email, id, weekly, all, during } of people) {
          expect(made.filter((choice) => choice.email === email).length).toBeLessThanOrEqual(1);
          if (during.length > 0) continue;
          const { rows: now } = await product.testDatabase.owner.query<{
            left: boolean;
            weekly: boolean | null;
          }>(
            `select global_unsubscribe as left, (select subscribed from subscriptions s
               where s.site_id = c.site_id and s.customer_id = c.id and s.list_id = $2) as weekly
             from customers c where id = $1`,
            [id, acme.weekly.id],
          );
          if (all === 'yes') expect(now[0]?.left).toBe(true);
          if (weekly === 'no') expect(now[0]?.weekly).toBe(false);
        }
        await product
          .call(cancelImport, { params: { ...acme.params, id: one.id } }, acme.owner)
          .catch(() => {});
      }),
      { numRuns: scaled(30), interruptAfterTimeLimit: MAX_MS },
    );
  },
);
