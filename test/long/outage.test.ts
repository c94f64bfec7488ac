import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { createIntegration } from '#contract/integrations.ts';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { newId } from '#server/platform/ids.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import type { FakeTool, Seen, Trouble } from '#test/fakes/tools/fake-tool.ts';
import { type HubspotFake, startHubspotFake } from '#test/fakes/tools/hubspot.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { SimulatedClock } from '#test/harness/simulated-clock.ts';
import { workOff } from '#test/harness/simulated-worker.ts';
import { buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';

/*
 * People leave everything, ten thousand in four hours. Brevo is away for six hours, SendGrid takes five calls a second and
 * no more, HubSpot is well. The clock is simulated: what takes hours takes no time here. All ten thousand take a
 * quarter of an hour of work (`TEST_SCALE=100`), so each run of all tests has some of them.
 */

const CHOICES = scaled(100);
const ARRIVE_WITHIN_SECONDS = 4 * 3600 * (CHOICES / 10_000);
const AWAY_HOURS = 6;
const CALLS_A_SECOND = 5;

// A call that queues for the tool's limit is idle in simulated time, as one that waits for a timer is.
vi.mock(import('#server/platform/concurrency-limit.ts'), async (original) => {
  const { withConcurrencyLimit } = await original();
  return {
    withConcurrencyLimit: (limit, key, work) =>
      clock.until(withConcurrencyLimit(limit, key, () => clock.work(work))),
  };
});

let clock: SimulatedClock;
let product: TestProduct;
let world: World;
let brevo: BrevoFake;
let sendgrid: SendgridFake;
let hubspot: HubspotFake;

beforeAll(async () => {
  [brevo, sendgrid, hubspot] = await Promise.all([startBrevoFake(), startSendgridFake(), startHubspotFake()]);
  clock = new SimulatedClock();
  product = await startTestProduct({
    clock,
    env: {
      CONNECTOR_BREVO_URL: brevo.url,
      CONNECTOR_SENDGRID_URL: sendgrid.url,
      CONNECTOR_HUBSPOT_URL: hubspot.url,
    },
  });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await Promise.all([brevo.close(), sendgrid.close(), hubspot.close()]);
});

async function connect(provider: string, { credentials }: FakeTool): Promise<string> {
  const { params, owner } = world;
  const body = { provider, credentials: { ...credentials } };
  const { id } = await product.call(createIntegration, { params, body }, owner);
  const action = {
    type: 'global_unsubscribe' as const,
    name: provider,
    integration_id: id,
    trigger: { event: 'global_unsubscribed' as const },
    target: {},
  };
  await product.call(createAction, { params, body: action }, owner);
  return id;
}

/** Straight into the table: how people come in is no part of this. */
async function makePeople(): Promise<{ id: string; email: string }[]> {
  const now = clock.now();
  const people = Array.from({ length: CHOICES }, (_, index) => ({
    id: newId(),
    email: `person-${index}@example.com`,
  }));
  for (const { id, email } of people) {
    await product.testDatabase.owner.query(
      `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, person_salt, created_at, updated_at)
       values ($1, $2, $3, $3, false, 0, $4, $5, $5)`,
      [world.params.site_id, id, email, randomBytes(16), now],
    );
    for (const tool of [brevo, sendgrid, hubspot]) tool.addContact(email);
  }
  return people;
}

/** Keeps what a tool really took, and fails the others. */
function govern(tool: FakeTool, failing: (seen: Seen) => Trouble | null): { taken: Seen[]; failed: number } {
  const kept = { taken: [] as Seen[], failed: 0 };
  tool.rule((seen) => {
    const trouble = failing(seen);
    if (trouble === null) kept.taken.push(seen);
    else kept.failed += 1;
    return trouble;
  });
  return kept;
}

/** In no second more than so many, whatever the calls are. */
function fiveASecond(): () => Trouble | null {
  let second = 0;
  let calls = 0;
  return () => {
    const now = Math.floor(clock.now().getTime() / 1000);
    if (now !== second) [second, calls] = [now, 0];
    calls += 1;
    return calls <= CALLS_A_SECOND ? null : { status: 429, headers: { 'retry-after': '1' }, body: '{}' };
  };
}

function mostInASecond(seen: readonly Date[]): number {
  const counts = new Map<number, number>();
  for (const at of seen) {
    const second = Math.floor(at.getTime() / 1000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

it(
  'an outage loses nothing, repeats nothing and delays no healthy tool while one is unavailable and another is slow',
  { timeout: 600_000 + CHOICES * 300 },
  async () => {
    const connected = {
      brevo: await connect('brevo', brevo),
      sendgrid: await connect('sendgrid', sendgrid),
      hubspot: await connect('hubspot', hubspot),
    };
    const people = await makePeople();
    await product.testDatabase.owner.query('delete from tool_rate_limits');
    const began = clock.now().getTime();
    const backAt = began + AWAY_HOURS * 3_600_000;
    const away = govern(brevo, () => (clock.now().getTime() < backAt ? { status: 503, body: '{}' } : null));
    const slow = govern(sendgrid, fiveASecond());
    const callsOfHubspot: Date[] = [];
    const well = govern(hubspot, () => {
      callsOfHubspot.push(clock.now());
      return null;
    });

    let left = 0;
    async function leave(): Promise<void> {
      for (const { id } of people) {
        await clock.wait((ARRIVE_WITHIN_SECONDS * 1000) / CHOICES);
        await saveChoice(
          product.services,
          world.params.site_id,
          id,
          { globalUnsubscribe: true },
          ON_THE_PAGE,
        );
        left += 1;
      }
    }
    const realStart = performance.now();
    const { services, testDatabase } = product;
    await Promise.all([
      clock.work(leave),
      workOff({ services, owner: testDatabase.owner, clock }, () => left === CHOICES),
    ]);

    interface Summary {
      arrived: number;
      confirmed: number;
      seconds: number;
      last: Date;
    }
    const summaryOf = async (integrationId: string): Promise<Summary> => {
      const { rows } = await testDatabase.owner.query<Summary>(
        `select count(*)::int as arrived, count(confirmed_at)::int as confirmed, max(finished_at) as last,
         percentile_cont(0.99) within group (order by extract(epoch from finished_at - deliveries.created_at))::float as seconds
       from deliveries join actions on actions.id = action_id
       where deliveries.status = 'arrived' and integration_id = $1`,
        [integrationId],
      );
      return rows[0] as Summary;
    };
    const summaries = {
      brevo: await summaryOf(connected.brevo),
      sendgrid: await summaryOf(connected.sendgrid),
      hubspot: await summaryOf(connected.hubspot),
    };
    console.log(
      JSON.stringify({
        choices: CHOICES,
        summaries,
        failedCalls: { brevo: away.failed, sendgrid: slow.failed },
        calls: { brevo: away.taken.length, sendgrid: slow.taken.length, hubspot: well.taken.length },
        realSeconds: Math.round((performance.now() - realStart) / 1000),
      }),
    );

    // All confirmed, none lost.
    for (const summary of Object.values(summaries)) {
      expect(summary).toMatchObject({ arrived: CHOICES, confirmed: CHOICES });
    }
    for (const { email } of people) {
      for (const tool of [brevo, sendgrid, hubspot]) expect(tool.holds(email)?.unsubscribed).toBe(true);
    }
    // None twice: each tool took each person's change once.
    for (const { taken } of [away, slow, well]) {
      const writes = taken.filter(({ method, url }) => method !== 'GET' && !url.includes('search'));
      expect(writes.length).toBe(CHOICES);
    }
    // The healthy one is not delayed, nor called more often than it allows.
    expect(summaries.hubspot.seconds).toBeLessThan(10);
    expect(mostInASecond(callsOfHubspot)).toBeLessThanOrEqual(30);
    // The one that was away was left alone but for a try now and then, and has caught up within hours.
    expect(away.failed).toBeLessThan(200);
    expect(summaries.brevo.last.getTime() - backAt).toBeLessThan(3 * 3_600_000);
    // The slow one hears little more than it takes.
    expect(slow.failed).toBeLessThan(slow.taken.length / 5);
  },
);
