import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Customer } from '#contract/customers.ts';
import type { DeliveryDetail } from '#contract/deliveries.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { PeopleInTools } from '#test/harness/people-in-tools.ts';
import { logInAgain } from '#test/harness/world.ts';

/*
 * Whatever people choose and wherever they move, and whatever their tool refuses or misses meanwhile: once it answers again,
 * it sends nothing that they don't want to any address that they ever had, and all that they want, or a delivery says what
 * it doesn't. What it can't do because the account isn't the same any more is never confirmed.
 */

const RUNS = 20;
const SEED = 41;
/** More than a delivery can need once its tool answers, three minutes after each other: SendGrid may store contacts for ten. */
const ROUNDS = 4;

type Step =
  | { does: 'choose'; list: 'weekly' | 'offers'; subscribed: boolean }
  | { does: 'leave' | 'return' | 'move' | 'move to a blocked address' | 'deliver' | 'deliver what is new' }
  /** The credentials are another account's, which has other ids. */
  | { does: 'other account' }
  /** In the tool itself, by the address that they have now or by their first. */
  | { does: 'opt out there'; by: 'present' | 'first' }
  | { does: 'tool'; answers: 'well' | 'unavailable' | 'refuses moves' };

const choosing = fc.record({
  does: fc.constant('choose' as const),
  list: fc.constantFrom('weekly' as const, 'offers' as const),
  subscribed: fc.boolean(),
});
const doing = <Does extends Step['does']>(...does: Does[]) => fc.record({ does: fc.constantFrom(...does) });
const optingOut = fc.record({
  does: fc.constant('opt out there' as const),
  by: fc.constantFrom('present' as const, 'first' as const),
});
const answering = fc.record({
  does: fc.constant('tool' as const),
  answers: fc.constantFrom('well' as const, 'unavailable' as const, 'refuses moves' as const),
});

const stories = fc.array(
  fc.oneof(
    { arbitrary: choosing, weight: 3 },
    { arbitrary: doing('leave', 'return'), weight: 2 },
    { arbitrary: doing('move'), weight: 2 },
    { arbitrary: doing('move to a blocked address'), weight: 1 },
    { arbitrary: optingOut, weight: 1 },
    { arbitrary: doing('other account'), weight: 1 },
    { arbitrary: doing('deliver', 'deliver what is new'), weight: 4 },
    { arbitrary: answering, weight: 2 },
  ),
  { minLength: 4, maxLength: 12 },
);

/** Stories that went wrong once. */
const KNOWN: Step[][] = [
  // Both lists feed one thing in the tool.
  [
    { does: 'choose', list: 'offers', subscribed: true },
    { does: 'deliver' },
    { does: 'choose', list: 'weekly', subscribed: false },
  ],
  // One failed call, and the opt-out overtakes the new address.
  ...[
    { does: 'leave' as const },
    { does: 'choose' as const, list: 'weekly' as const, subscribed: false },
  ].map((leaving): Step[] => [
    { does: 'tool', answers: 'unavailable' },
    { does: 'move' },
    { does: 'deliver' },
    { does: 'tool', answers: 'well' },
    leaving,
    { does: 'deliver what is new' },
  ]),
  [{ does: 'tool', answers: 'refuses moves' }, { does: 'move' }, { does: 'deliver' }, { does: 'leave' }],
  [{ does: 'move to a blocked address' }, { does: 'deliver' }],
  [{ does: 'other account' }, { does: 'choose', list: 'weekly', subscribed: false }, { does: 'deliver' }],
  [{ does: 'opt out there', by: 'present' }, { does: 'move' }, { does: 'deliver' }],
  // The tool keeps its block.
  [
    { does: 'leave' },
    { does: 'deliver' },
    { does: 'choose', list: 'offers', subscribed: true },
    { does: 'deliver' },
  ],
];

let people: PeopleInTools;

beforeAll(async () => {
  people = await PeopleInTools.start();
});

afterAll(() => people.stop());

/** Somebody in a tool, who chooses and moves. */
class Story {
  readonly #customer: Customer;
  /** How many deliveries there were when the account became another one; null: it is the same. */
  toldBefore: number | null = null;
  #answers: 'well' | 'unavailable' | 'refuses moves' = 'well';
  /** All that they ever had; the present one is the last. */
  readonly emails: string[];

  constructor(customer: Customer) {
    this.#customer = customer;
    this.emails = [customer.email];
  }

  /** Do they receive anything, as the product has it? */
  async wants(): Promise<boolean> {
    const { rows } = await people.product.testDatabase.owner.query<{ wants: boolean }>(
      `select not global_unsubscribe and exists (
         select from subscriptions where subscriptions.customer_id = customers.id and subscribed) as wants
       from customers where id = $1`,
      [this.#customer.id],
    );
    return rows[0]?.wants === true;
  }

  async tell(step: Step): Promise<void> {
    const customer = this.#customer;
    switch (step.does) {
      case 'choose':
        return people.choose(customer, people.acme[step.list], step.subscribed);
      case 'leave':
        return people.change(customer, { global_unsubscribe: true });
      case 'return':
        return people.change(customer, { global_unsubscribe: false });
      case 'move':
      case 'move to a blocked address':
        this.emails.push(`${this.emails.length}-${customer.email}`);
        if (step.does !== 'move') await this.#untroubled(() => people.blockInTool(this.#present()));
        return people.change(customer, { email: this.#present() });
      case 'other account':
        this.toldBefore ??= (await people.deliveriesOf(customer)).length;
        return people.nameOther(true);
      case 'opt out there':
        return this.#untroubled(() =>
          people.optOutInTool(step.by === 'first' ? customer.email : this.#present()),
        );
      case 'deliver':
      case 'deliver what is new':
        await people.runAll(customer, step.does === 'deliver what is new');
        return;
      case 'tool':
        return this.#answer(step.answers);
    }
  }

  #present(): string {
    return this.emails.at(-1) ?? '';
  }

  /** The tool takes from others what it may refuse from us. */
  async #untroubled(work: () => Promise<void>): Promise<void> {
    people.tool.rule(() => null);
    await work();
    this.#answer(this.#answers);
  }

  #answer(how: 'well' | 'unavailable' | 'refuses moves'): void {
    this.#answers = how;
    const moved = ({ method, ...seen }: { method: string }) =>
      method !== 'GET' && /\d-vera/.test(JSON.stringify(seen));
    people.tool.rule((seen) => {
      if (how === 'unavailable') return { status: 503, body: '{}' };
      return how === 'refuses moves' && moved(seen) ? { status: 400, body: '{}' } : null;
    });
  }

  /** Everything is delivered that a tool that answers can be told. */
  async end(): Promise<DeliveryDetail[]> {
    people.tool.rule(() => null);
    for (let round = 0; round < ROUNDS; round += 1) {
      people.product.clock.advance({ minutes: 3 });
      await logInAgain(people.product, people.world.owner);
      await people.forgetOutage();
      await people.runAll(this.#customer);
    }
    return people.deliveriesOf(this.#customer);
  }
}

/** Outcomes that say that the tool doesn't send what was chosen. */
const SAYS_SO = ['failed', 'blocked', 'awaits_person', 'unconfirmed', 'checking'];

const ABOUT_A_PLACE: DeliveryDetail['event'][] = ['subscribed', 'unsubscribed'];

async function setUp(connector: Connector, followsMoves: boolean): Promise<void> {
  await people.connect(connector);
  await people.tie(people.acme.weekly);
  await people.tie(people.acme.offers);
  await people.followLeaves();
  if (followsMoves) await people.followMoves();
}

async function endsWell(steps: readonly Step[], followsMoves: boolean): Promise<void> {
  await logInAgain(people.product, people.world.owner);
  const story = new Story(await people.reader());
  for (const step of steps) {
    // Within a few seconds of our own call, an event counts as its echo.
    people.product.clock.advance({ seconds: 10 });
    await story.tell(step);
  }
  const deliveries = await story.end();
  expect(deliveries.filter(({ status }) => status === 'waiting')).toEqual([]);
  if (story.toldBefore !== null) {
    await people.nameOther(false);
    const later = deliveries.slice(story.toldBefore).filter(({ event }) => ABOUT_A_PLACE.includes(event));
    // Taking off a tag that nobody has is done in a tool that makes tags as they are given.
    const isTold = people.kind !== 'tag' || people.connector.makesTags !== true;
    for (const { outcome } of isTold ? later : []) expect(['confirmed', 'accepted']).not.toContain(outcome);
    return;
  }
  const getting = story.emails.filter((email) => people.receives(email));
  const present = story.emails.at(-1) ?? '';
  if (!(await story.wants())) {
    expect(getting).toEqual([]);
    return;
  }
  const last = deliveries.findLast(({ event }) => event === 'subscribed' || event === 'email_changed');
  const isTold = followsMoves || story.emails.length === 1;
  if (isTold && !SAYS_SO.includes(last?.outcome ?? 'failed')) expect(getting).toEqual([present]);
}

it.each(
  CONNECTORS.flatMap((connector) =>
    [true, false].map((follows) => [connector.name, follows ? 'told' : 'not told', connector] as const),
  ),
)(
  '%s, %s of new addresses, holds what people chose last, wherever they were',
  async (_name, told, connector) => {
    const followsMoves = told === 'told';
    await setUp(connector, followsMoves);
    await fc.assert(
      fc.asyncProperty(stories, (steps) => endsWell(steps, followsMoves)),
      { numRuns: RUNS, seed: SEED, endOnFailure: true, examples: KNOWN.map((steps) => [steps]) },
    );
  },
);
