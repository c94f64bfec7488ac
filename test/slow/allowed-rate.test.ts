import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { createIntegration } from '#contract/integrations.ts';
import { activecampaign } from '#server/connectors/activecampaign/index.ts';
import { brevo } from '#server/connectors/brevo/index.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { startActivecampaignFake } from '#test/fakes/tools/activecampaign.ts';
import { startBrevoFake } from '#test/fakes/tools/brevo.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { TestClock } from '#test/harness/clock.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';
import { insertPeople } from '#test/load/bench-site.ts';
import { median } from '#test/load/measure.ts';

/*
 * While many people wait for a tool, its account is used to nine tenths of what it allows, and never beyond. One tool is
 * called for each person (ActiveCampaign, 5 a second), one for many (Brevo, 10 a second).
 */

/** Enough for some to wait to the end, however long it takes to save for all of them. */
const PEOPLE = 600;
/** The first batches find out what a call for many may hold. */
const WARM_UP_MS = 3000;
/** Of each window in the middle of the busy time, the usual one counts: the machine has other work, too. */
const WINDOWS = 5;
const WINDOW_SECONDS = 6;
const USED_AT_LEAST = 0.9;

interface Tool {
  connector: Connector;
  fake: FakeTool;
  callTimes: number[];
}

let product: TestProduct;
const tools: Tool[] = [];

beforeAll(async () => {
  const [oneByOne, inBatches] = await Promise.all([startActivecampaignFake(), startBrevoFake()]);
  tools.push(
    { connector: activecampaign, fake: oneByOne, callTimes: [] },
    { connector: brevo, fake: inBatches, callTimes: [] },
  );
  product = await startTestProduct({
    worker: true,
    clock: new RealClock(),
    env: { CONNECTOR_ACTIVECAMPAIGN_URL: oneByOne.url, CONNECTOR_BREVO_URL: inBatches.url },
  });
});

afterAll(async () => {
  await product.stop();
  for (const { fake } of tools) await fake.close();
});

/** Waits take their time, as the pace of calls is what is measured. */
class RealClock extends TestClock {
  override async wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds);
  }
}

/** Who joins the list is to join a list of the tool. */
async function connect({ params, owner, weekly }: World, { connector, fake }: Tool) {
  const body = { provider: connector.id, credentials: { ...fake.credentials } };
  const { id } = await product.call(createIntegration, { params, body }, owner);
  const [list] = fake.addResources('lists', 1);
  if (list === undefined) throw new Error('The tool has no list');
  for (let index = 1; index <= PEOPLE; index += 1) fake.addContact(`person-${index}@example.com`);
  const action = {
    type: 'list' as const,
    name: connector.name,
    integration_id: id,
    trigger: { event: 'subscribed' as const, list_ids: [weekly.id] },
    operation: 'add' as const,
    target: { id: list.id, name: list.name },
  };
  await product.call(createAction, { params, body: action }, owner);
}

it('a site’s deliveries use nine tenths of what an account allows while people wait, and no more than all of it', async (context) => {
  const world = await buildWorld(product);
  for (const tool of tools) await connect(world, tool);
  const ids = await insertPeople(product.testDatabase.owner, world.site.id, PEOPLE);
  for (const { fake, callTimes } of tools) {
    fake.rule(() => {
      callTimes.push(performance.now());
      return null;
    });
  }
  const wish = { lists: [{ list_id: world.weekly.id, subscribed: true }] };
  await Promise.all(ids.map((id) => saveChoice(product.services, world.site.id, id, wish, ON_THE_PAGE)));
  await sleep(WARM_UP_MS);
  const from = performance.now();
  await sleep(WINDOWS * WINDOW_SECONDS * 1000);
  const { rows } = await product.testDatabase.owner.query(
    `select distinct action_id from deliveries where status = 'waiting'`,
  );
  expect(rows, 'tools for which somebody still waits').toHaveLength(tools.length);
  for (const { connector, callTimes } of tools) {
    const { requests = 0, perSeconds = 1 } = connector.limits[0] ?? {};
    const callsIn = (window: number) => {
      const start = from + window * WINDOW_SECONDS * 1000;
      return callTimes.filter((at) => at >= start && at < start + WINDOW_SECONDS * 1000).length;
    };
    const calls = Array.from({ length: WINDOWS }, (_, window) => callsIn(window));
    const used = median(calls) / WINDOW_SECONDS / (requests / perSeconds);
    await context.annotate(`${connector.name}: ${(used * 100).toFixed(1)} % of the allowed rate`);
    expect(used, connector.name).toBeGreaterThanOrEqual(USED_AT_LEAST);
    expect(used, connector.name).toBeLessThanOrEqual(1);
  }
});
