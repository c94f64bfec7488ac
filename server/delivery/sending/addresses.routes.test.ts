import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Customer } from '#contract/customers.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import { isPlace, PeopleInTools, PLACES } from '#test/harness/people-in-tools.ts';
import { deliverNow } from './deliveries.jobs.ts';

/* What a tool holds of somebody whose address changes, whatever it refuses and however late it is. */

let people: PeopleInTools;

beforeAll(async () => {
  people = await PeopleInTools.start();
});

afterAll(() => people.stop());

const newAddressOf = ({ email }: Customer) => `new-${email}`;

const isWrite = ({ method }: { method: string }) => method !== 'GET';

describe.each(CONNECTORS.map((connector) => [connector.name, connector] as const))(
  '%s',
  (_name, connector) => {
    beforeEach(async () => {
      await people.connect(connector);
    });

    it('that fails while the address changes gets no opt-out undone by the move that comes late', async () => {
      await people.tie(people.acme.weekly);
      await people.followMoves();
      const vera = await people.reader();
      await people.change(vera, { email: newAddressOf(vera) });
      people.tool.rule(() => ({ status: 503, body: '{}' }));
      await people.runAll(vera);
      people.tool.rule(() => null);
      await people.choose(vera, people.acme.weekly, false);
      const leaving = (await people.deliveriesOf(vera)).at(-1) ?? expect.unreachable();
      await people.product.testDatabase.owner.query('delete from tool_rate_limits');
      await people.forgetOutage();
      await deliverNow(people.product.services, {
        site_id: people.acme.params.site_id,
        id: leaving.id,
        round: 0,
      });
      expect(people.receives(vera.email)).toBe(false);
      await people.runAll(vera);
      expect([vera.email, newAddressOf(vera)].filter((email) => people.receives(email))).toEqual([]);
    });

    it('that refuses the new address sends nothing to the old one, before or after the person leaves', async () => {
      await people.tie(people.acme.weekly);
      await people.followMoves();
      await people.followLeaves();
      const vera = await people.reader();
      const email = newAddressOf(vera);
      people.tool.rule((seen) =>
        isWrite(seen) && JSON.stringify(seen).includes(email.split('@')[0] ?? '')
          ? { status: 400, body: '{}' }
          : null,
      );
      await people.change(vera, { email });
      await people.runAll(vera);
      people.tool.rule(() => null);
      expect(people.receives(vera.email)).toBe(false);
      await people.change(vera, { global_unsubscribe: true });
      await people.runAll(vera);
      expect([vera.email, email].filter((email) => people.receives(email))).toEqual([]);
    });

    it('that is never told of a new address loses the old one, too, when the person leaves', async () => {
      await people.tie(people.acme.weekly);
      await people.followLeaves();
      const vera = await people.reader();
      await people.change(vera, { email: newAddressOf(vera) });
      await people.runAll(vera);
      await people.change(vera, { global_unsubscribe: true });
      const done = await people.runAll(vera);
      expect([vera.email, newAddressOf(vera)].filter((email) => people.receives(email))).toEqual([]);
      expect(done.filter(({ status }) => status !== 'arrived')).toEqual([]);
    });

    it('has somebody in what they chose at a new address that it knows already', async () => {
      await people.tie(people.acme.weekly);
      await people.followMoves();
      const vera = await people.reader();
      const email = newAddressOf(vera);
      people.tool.addContact(email);
      await people.change(vera, { email });
      await people.runAll(vera);
      expect([vera.email, email].filter((email) => people.receives(email))).toEqual([email]);
    });

    it('keeps somebody in what two lists feed until they leave both', async () => {
      await people.tie(people.acme.weekly, people.acme.offers);
      const vera = await people.reader();
      await people.choose(vera, people.acme.offers, true);
      await people.choose(vera, people.acme.weekly, false);
      await people.runAll(vera);
      expect(people.receives(vera.email)).toBe(true);
      await people.choose(vera, people.acme.offers, false);
      await people.runAll(vera);
      expect(people.receives(vera.email)).toBe(false);
    });
  },
);

it('a move that was given up after an attempt leaves the old address open', async () => {
  await people.connect(CONNECTORS.find(({ id }) => id === 'brevo') ?? expect.unreachable());
  await people.followMoves();
  await people.followLeaves();
  await people.tie(people.acme.weekly);
  const vera = await people.reader();
  await people.change(vera, { email: newAddressOf(vera) });
  await people.product.testDatabase.owner.query(
    `update deliveries set status = 'arrived', outcome = 'overtaken', attempt_count = 1, next_attempt_at = null
     where site_id = $1 and status = 'waiting'`,
    [people.acme.params.site_id],
  );
  await people.change(vera, { global_unsubscribe: true });
  await people.runAll(vera);
  expect(people.receives(vera.email)).toBe(false);
});

it.each([
  // Mailchimp asks the person by mail: they may have unsubscribed before they were archived.
  ['archived', { becomes: 'pending', delivery: 'arrived' }],
  ['transactional', { becomes: 'subscribed', delivery: 'arrived' }],
  ['cleaned', { becomes: 'cleaned', delivery: 'failed' }],
])(
  'a new address that is %s in Mailchimp gets what the person chose, or the delivery fails',
  async (status, then) => {
    await people.connect(CONNECTORS.find(({ id }) => id === 'mailchimp') ?? expect.unreachable());
    await people.tie(people.acme.weekly);
    await people.followMoves();
    const vera = await people.reader();
    const email = newAddressOf(vera);
    const member = people.tools.mailchimp.addMember(people.target.id, email, { status });
    await people.change(vera, { email });
    const moved = (await people.runAll(vera)).at(-1);
    expect({ becomes: member.status, delivery: moved?.status }).toEqual(then);
    expect(moved?.last_error === null).toBe(then.delivery === 'arrived');
    expect(people.receives(vera.email)).toBe(false);
  },
);

describe('someone who left everything and comes back to one list', () => {
  const PLACES_OF_TOOLS = CONNECTORS.flatMap((connector) =>
    PLACES.filter((type) => isPlace(connector, type)).map(
      (type) => [connector.name, type, connector] as const,
    ),
  );

  it.each(PLACES_OF_TOOLS)(
    '%s, %s: nothing counts as done that the tool doesn’t send',
    async (_name, type, connector) => {
      await people.connect(connector, type);
      await people.tie(people.acme.weekly);
      await people.followLeaves();
      const vera = await people.reader();
      await people.change(vera, { global_unsubscribe: true });
      await people.runAll(vera);
      expect(people.receives(vera.email)).toBe(false);
      await people.change(vera, { global_unsubscribe: false });
      await people.choose(vera, people.acme.weekly, true);
      const last = (await people.runAll(vera)).at(-1);
      expect([last?.outcome, people.receives(vera.email)]).toBeOneOf([
        ['confirmed', true],
        ['awaits_person', false],
        ['blocked', false],
        ['failed', false],
      ]);
    },
  );

  it('Brevo, which keeps its block, is said to send them nothing', async () => {
    const [brevo] = CONNECTORS.filter(({ id }) => id === 'brevo');
    await people.connect(brevo ?? expect.unreachable());
    await people.tie(people.acme.weekly);
    await people.followLeaves();
    const vera = await people.reader();
    await people.change(vera, { global_unsubscribe: true });
    await people.runAll(vera);
    await people.change(vera, { global_unsubscribe: false });
    await people.choose(vera, people.acme.weekly, true);
    expect((await people.runAll(vera)).at(-1)).toMatchObject({ outcome: 'blocked', confirmed_at: null });
  });
});
