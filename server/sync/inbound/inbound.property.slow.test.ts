import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { createIntegration } from '#contract/integrations.ts';
import { getCustomer, getCustomerLists } from '#server/audience/customers/customers.ts';
import { type ChoiceChange, saveChoice } from '#server/choices/choices/choices.ts';
import type { InboundEvent } from '#server/connectors/connector.ts';
import { findConnector } from '#server/connectors/index.ts';
import { createCustomer } from '#server/visit/customers/change-customers.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';
import { handleEvents, type EventOrigin } from './inbound.ts';

const MAX_MS = scaled(20_000);
const RESOURCE = 'weekly-there';

let product: TestProduct;
let fakes: [MailchimpFake, SendgridFake];
let world: World;
/** Both tie the weekly list, one to a list and the other to a suppression group. */
let tools: Pick<EventOrigin, 'integrationId' | 'connector'>[];

beforeAll(async () => {
  fakes = [await startMailchimpFake(), await startSendgridFake()];
  const [mailchimp, sendgrid] = fakes;
  product = await startTestProduct({
    env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url, CONNECTOR_SENDGRID_URL: sendgrid.url },
  });
  world = await buildWorld(product);
  tools = [
    await connect('mailchimp', mailchimp, { type: 'list', operation: 'remove' }),
    await connect('sendgrid', sendgrid, { type: 'suppression_group', operation: 'add' }),
  ];
});

afterAll(async () => {
  await product.stop();
  for (const fake of fakes) await fake.close();
});

async function connect(
  provider: string,
  { credentials }: { credentials: object },
  action: { type: 'list' | 'suppression_group'; operation: string },
) {
  const { params, owner, weekly } = world;
  const body = { provider, credentials: { ...credentials } };
  const { id } = await product.call(createIntegration, { params, body }, owner);
  await product.call(
    createAction,
    {
      params,
      body: {
        ...action,
        name: provider,
        integration_id: id,
        trigger: { event: 'unsubscribed', list_ids: [weekly.id] },
        target: { id: RESOURCE, name: 'Weekly there' },
      },
    },
    owner,
  );
  const connector = findConnector(provider);
  if (connector === undefined) throw new Error(`There is no connector ${provider}`);
  return { integrationId: id, connector };
}

type Save = 'weekly on' | 'weekly off' | 'offers on' | 'offers off' | 'leave' | 'come back';

interface Happening {
  tool: 0 | 1;
  /** After which save it happened. */
  moment: number;
  /** How many saves later it comes in. */
  delay: number;
  /** Where among those that come in at the same time, in one order and in the other. */
  places: [number, number];
  isAboutAll: boolean;
  isTwice: boolean;
}

const save = fc.constantFrom<Save>(
  'weekly on',
  'weekly off',
  'offers on',
  'offers off',
  'leave',
  'come back',
);

const happening: fc.Arbitrary<Happening> = fc.record({
  tool: fc.constantFrom(0, 1),
  moment: fc.nat({ max: 4 }),
  delay: fc.nat({ max: 4 }),
  places: fc.tuple(fc.nat(), fc.nat()),
  isAboutAll: fc.boolean(),
  isTwice: fc.boolean(),
});

function wishOf(wanted: Save): ChoiceChange {
  if (wanted === 'leave' || wanted === 'come back') return { globalUnsubscribe: wanted === 'leave' };
  const list = wanted.startsWith('weekly') ? world.weekly : world.offers;
  return { lists: [{ list_id: list.id, subscribed: wanted.endsWith('on') }] };
}

/** The saves of a person in their order, with what two tools tell of them in between: in one of the two orders. */
class Life {
  readonly id: string;
  readonly #email: string;
  readonly #order: 0 | 1;

  constructor(customer: { id: string; email: string }, order: 0 | 1) {
    this.id = customer.id;
    this.#email = customer.email;
    this.#order = order;
  }

  async save(wanted: Save): Promise<void> {
    await saveChoice(product.services, world.params.site_id, this.id, wishOf(wanted), ON_THE_PAGE);
  }

  async hear(happenings: readonly Happening[], moments: readonly Date[]): Promise<void> {
    const inOrder = happenings.toSorted((one, other) => one.places[this.#order] - other.places[this.#order]);
    for (const one of inOrder) {
      // In one life everything comes in once.
      for (let times = one.isTwice && this.#order === 1 ? 2 : 1; times > 0; times -= 1) {
        await this.#hearOne(one, moments[one.moment] ?? null);
      }
    }
  }

  async #hearOne({ tool, isAboutAll, moment, places }: Happening, at: Date | null): Promise<void> {
    const teller = tools[tool];
    if (teller === undefined) throw new Error('There are two tools');
    const listKind = tool === 0 ? 'list_unsubscribed' : 'group_suppressed';
    const event: InboundEvent = {
      id: `${this.id}:${tool}:${moment}:${places.join(':')}:${isAboutAll}`,
      at,
      email: this.#email,
      ...(isAboutAll ? { kind: 'unsubscribed' } : { kind: listKind, resource: RESOURCE }),
    };
    const receivedAt = product.clock.now();
    await handleEvents(product.services, { ...teller, siteId: world.params.site_id, receivedAt }, [event]);
  }

  async state() {
    const siteId = world.params.site_id;
    const { global_unsubscribe: hasLeft } = await getCustomer(product.services, siteId, this.id);
    const { results: lists } = await getCustomerLists(product.services, siteId, this.id);
    return {
      hasLeft,
      weekly: lists.find((one) => one.notification_list_id === world.weekly.id)?.subscribed ?? null,
      offers: lists.find((one) => one.notification_list_id === world.offers.id)?.subscribed ?? null,
    };
  }
}

let count = 0;

async function born(order: 0 | 1): Promise<Life> {
  count += 1;
  const email = `person-${count}@example.com`;
  return new Life(await createCustomer(product.services, world.params.site_id, email), order);
}

async function live(saves: readonly Save[], happenings: readonly Happening[]) {
  const lives = [await born(0), await born(1)];
  const last = saves.length - 1;
  const moments: Date[] = [];
  for (const [index, wanted] of saves.entries()) {
    product.clock.advance({ seconds: 10 });
    for (const life of lives) await life.save(wanted);
    // What happened at this moment happened after the save, if in the same second.
    moments.push(product.clock.now());
    const arrived = happenings.filter(({ moment, delay }) => Math.min(moment + delay, last) === index);
    for (const life of lives) await life.hear(arrived, moments);
  }
  return Promise.all(lives.map((life) => life.state()));
}

it(
  'inbound events end in the same state in any order, and lose no opt-out, whatever two tools and the person do',
  { timeout: 4 * MAX_MS },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(save, { minLength: 2, maxLength: 5 }),
        fc.array(happening, { maxLength: 5 }),
        async (saves, all) => {
          const happenings = all.filter(({ moment }) => moment < saves.length);
          const [one, other] = await live(saves, happenings);
          expect(other).toEqual(one);
          const chosenAfter = (moment: number, ...wanted: Save[]) =>
            saves.some((what, index) => index > moment && wanted.includes(what));
          for (const { isAboutAll, moment } of happenings) {
            if (isAboutAll && one?.hasLeft === false) {
              expect(chosenAfter(moment, 'come back', 'weekly on', 'offers on')).toBe(true);
            }
            if (!isAboutAll && one?.weekly !== false) expect(chosenAfter(moment, 'weekly on')).toBe(true);
          }
          // No tool ever brings anybody back.
          if (one?.weekly === true) expect(saves).toContain('weekly on');
          if (one?.offers === true) expect(saves).toContain('offers on');
        },
      ),
      { numRuns: scaled(60), interruptAfterTimeLimit: MAX_MS },
    );
  },
);
