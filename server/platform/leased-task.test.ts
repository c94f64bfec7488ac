import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EVIDENCE_CHECKS } from '#server/audience/evidence-checks/evidence-checks.jobs.ts';
import { RETENTION } from '#server/delivery/retention/retention.jobs.ts';
import { POLLS } from '#server/sync/inbound/polls.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

const DAY_MS = 86_400_000;

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  await product.testDatabase.owner.query(
    `insert into scheduled_tasks (site_id, integration_id, kind, due_at) values ($1, $1, 'poll', now())`,
    [world.site.id],
  );
});

beforeEach(async () => {
  await RETENTION.runDue(product.services);
  await EVIDENCE_CHECKS.runDue(product.services);
});

afterAll(() => product.stop());

const inDays = (days: number) => new Date(product.clock.now().getTime() + days * DAY_MS);

async function dueAt(table: string): Promise<Date | undefined> {
  const { rows } = await product.testDatabase.owner.query<{ due_at: Date }>(
    `select due_at from ${table} where site_id = $1`,
    [world.site.id],
  );
  return rows[0]?.due_at;
}

async function setDue(table: string, at: Date): Promise<void> {
  await product.testDatabase.owner.query(`update ${table} set due_at = $2, lease = null where site_id = $1`, [
    world.site.id,
    at,
  ]);
}

describe.each([
  ['retention_tasks', RETENTION],
  ['evidence_check_tasks', EVIDENCE_CHECKS],
  ['scheduled_tasks', POLLS],
] as const)('a time in %s', (table, task) => {
  it('that a clock wrote when it was years ahead is due at once, and the next one is within a day', async () => {
    await setDue(table, inDays(4000));
    await task.runDue(product.services);
    const next = await dueAt(table);
    expect(next?.getTime()).toBeGreaterThan(product.clock.now().getTime());
    expect(next?.getTime()).toBeLessThanOrEqual(inDays(1).getTime());
  });

  it('of the coming night stays', async () => {
    const night = inDays(1);
    await setDue(table, night);
    await task.runDue(product.services);
    expect(await dueAt(table)).toEqual(night);
  });
});
