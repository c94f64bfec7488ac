import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifySite } from '#server/audience/evidence-checks/verify-site.ts';
import { AppError } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildWebhook, buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';
import { addCustomer } from './add-customer.ts';
import { type ChoiceResult, type ChoiceChange, type Precondition, saveChoice } from './choices.ts';

/*
 * Saves that share transactions end as the same saves made one by one: the same answers, the same state, the same
 * evidence and the same deliveries, whatever is refused, repeated or fails between them.
 */

const MAX_MS = scaled(30_000);
const PEOPLE = 5;

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  for (const event of ['subscribed', 'unsubscribed', 'global_unsubscribed'] as const) {
    await buildWebhook(product, world, { url: 'https://shop.example/hook', event });
  }
});

afterAll(() => product.stop());

/** `unknown list` and `stale` are refused, `throws` fails in our code, `breaks` fails in the database. */
const kinds = [
  'weekly on',
  'weekly off',
  'offers on',
  'leave',
  'come back',
  'pause',
  'own address',
  'unknown list',
  'stale',
  'throws',
  'breaks',
] as const;

interface Step {
  person: number;
  kind: (typeof kinds)[number];
  /** null: without a save id. The same number again repeats a save, or claims another's id. */
  save: number | null;
}

const step: fc.Arbitrary<Step> = fc.record({
  person: fc.nat(PEOPLE - 1),
  kind: fc.constantFrom(...kinds),
  save: fc.option(fc.nat(3)),
});

const story = fc.record({
  steps: fc.array(step, { minLength: 2, maxLength: 40 }),
  /** Who wants the same address at the end; one gets it. */
  rivals: fc.uniqueArray(fc.nat(PEOPLE - 1)),
});

interface Person {
  id: string;
  name: string;
}

let count = 0;

async function addPeople(): Promise<Person[]> {
  count += 1;
  const people: Person[] = [];
  for (let index = 0; index < PEOPLE; index += 1) {
    const name = `person-${count}-${index}`;
    const added = await addCustomer(product.services, world.site.id, `${name}@example.com`, ON_THE_PAGE);
    if (added === null) throw new Error('Each of them is new');
    people.push({ id: added.id, name });
  }
  return people;
}

function wishOf({ kind }: Step, { name }: Person): ChoiceChange {
  switch (kind) {
    case 'leave':
    case 'come back':
      return { globalUnsubscribe: kind === 'leave' };
    case 'pause':
      return { pauseUntil: new Date('2099-01-01T00:00:00Z') };
    case 'own address':
      return { email: `moved-${name}@example.com` };
    case 'unknown list':
      return { lists: [{ list_id: newId(), subscribed: true }] };
    case 'weekly off':
      return { lists: [{ list_id: world.weekly.id, subscribed: false }] };
    case 'offers on':
      return { lists: [{ list_id: world.offers.id, subscribed: true }] };
    case 'weekly on':
    case 'stale':
    case 'throws':
    case 'breaks':
      return { lists: [{ list_id: world.weekly.id, subscribed: true }] };
  }
}

/** Without what differs between two people and two moments. */
function answerOf(result: ChoiceResult, { name }: Person): object {
  const {
    choiceId,
    customerId: _id,
    at,
    before: _before,
    pausedUntil,
    subscriptions,
    email,
    ...rest
  } = result;
  return {
    ...rest,
    email: email.replace(name, 'NAME'),
    isChoice: choiceId !== null,
    isMadeNow: at !== null,
    pausedUntil: pausedUntil?.getTime() ?? null,
    lists: [...subscriptions].toSorted(),
  };
}

async function take(one: Step, people: readonly Person[]): Promise<object> {
  const person = people[one.person] as Person;
  const precondition: Precondition = one.kind === 'stale' ? { sequence: 0 } : {};
  const saveId = one.save === null ? null : `save-${one.save}`;
  try {
    const result = await saveChoice(
      product.services,
      world.site.id,
      person.id,
      wishOf(one, person),
      { ...ON_THE_PAGE, saveId, ...(saveId === null ? {} : { saveBody: one.kind }) },
      precondition,
      async () => {
        if (one.kind === 'throws') throw new Error('thrown');
        return one.kind === 'breaks' ? [{ sql: 'select 1 / 0', parameters: [] }] : [];
      },
    );
    return answerOf(result, person);
  } catch (error) {
    if (error instanceof AppError) return { refused: error.code };
    return { failed: (error as Error).message };
  }
}

async function claim(email: string, { id }: Person): Promise<string> {
  try {
    await saveChoice(product.services, world.site.id, id, { email }, ON_THE_PAGE);
    return 'got it';
  } catch (error) {
    return error instanceof AppError ? error.code : (error as Error).message;
  }
}

/** What the database holds of somebody, without ids, hashes and times. */
async function recordsOf({ id, name }: Person): Promise<object> {
  const { owner } = product.testDatabase;
  const rows = async (statement: string) => (await owner.query(statement, [id])).rows as object[];
  const [customer] = await rows(
    'select email, global_unsubscribe, paused_until, sequence from customers where id = $1',
  );
  return {
    customer: JSON.parse(JSON.stringify(customer).replace(name, 'NAME')) as object,
    subscriptions: await rows(
      'select list_id, subscribed from subscriptions where customer_id = $1 order by list_id',
    ),
    choices: await rows(
      `select sequence, save_id, events, lists, global_unsubscribe, paused_until,
         (select array_agg((list_id, joined)::text order by list_id) from subscription_changes where choice_id = choices.id) as moves,
         (select array_agg(event order by event) from deliveries where choice_id = choices.id) as deliveries
       from choices where customer_id = $1 order by sequence`,
    ),
  };
}

it('saves that share transactions end as if they were made one by one', { timeout: 4 * MAX_MS }, async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ steps, rivals }) => {
      const together = await addPeople();
      const alone = await addPeople();
      const answers = await Promise.all(steps.map((one) => take(one, together)));
      const expected: object[] = [];
      for (const one of steps) expected.push(await take(one, alone));
      expect(answers).toEqual(expected);
      expect(await Promise.all(together.map(recordsOf))).toEqual(await Promise.all(alone.map(recordsOf)));

      const wanted = `wanted-${count}@example.com`;
      const claims = await Promise.all(rivals.map((person) => claim(wanted, together[person] as Person)));
      expect(claims.toSorted()).toEqual(
        rivals.map((_, index) => (index === rivals.length - 1 ? 'got it' : 'error_exists')),
      );
    }),
    { numRuns: scaled(40), interruptAfterTimeLimit: MAX_MS },
  );
  const anchor = { known: null, before: newId() };
  const verified = await verifySite(product.services, world.site.id, { anchor });
  expect(verified).toMatchObject({ broken: 0, findings: [] });
  expect(verified.chains).toBeGreaterThan(2 * PEOPLE);
});

it('a connection lost midway fails its saves, and repeating them gives the right result', async () => {
  const people = await addPeople();
  const wish = (person: Person, round: number) =>
    saveChoice(
      product.services,
      world.site.id,
      person.id,
      { lists: [{ list_id: world.weekly.id, subscribed: round % 2 === 0 }] },
      { ...ON_THE_PAGE, saveId: `round-${round}` },
    );
  let lost = 0;
  for (let round = 0; round < 20; round += 1) {
    const saves = people.map(async (person) => {
      for (;;) {
        try {
          return await wish(person, round);
        } catch {
          lost += 1;
        }
      }
    });
    const ended = product.testDatabase.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and usename like 'sayso_app_%' and state <> 'idle'`,
    );
    await Promise.all([...saves, ended]);
  }
  for (const person of people) {
    const { rows } = await product.testDatabase.owner.query(
      'select count(*)::int as made, max(sequence) as last from choices where customer_id = $1',
      [person.id],
    );
    // That they were created, and each round once.
    expect(rows[0]).toEqual({ made: 21, last: 21 });
  }
  expect(lost).toBeGreaterThan(0);
});
