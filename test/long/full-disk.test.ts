import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_PREFIX } from '#contract/route.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { scaled } from '#test/harness/scale.ts';
import { makeSmallDisk, type SmallDisk } from '#test/harness/small-disk.ts';
import { findLosses, inDatabase, openShop, type Shop, workOff } from './saves.ts';

/** The embedded PostgreSQL with its first segments of the log, and little more. */
const DISK_MEGABYTES = 128;

const SAVES = scaled(300);

let disk: SmallDisk;
let product: ProductProcess | null = null;

beforeEach(() => {
  disk = makeSmallDisk(DISK_MEGABYTES);
});

afterEach(async () => {
  await product?.stop();
  product = null;
  disk.remove();
});

interface Answer {
  status: number;
  text: string;
  key: string;
}

/** Saves with the person's own words, so that rows grow; says what each was answered. */
async function saveOnce(shop: Shop, number: number): Promise<Answer> {
  const index = number % shop.customers.length;
  const key = `save-${index}-${Math.floor(number / shop.customers.length)}`;
  const { sealed = '' } = shop.customers[index] ?? {};
  const response = await fetch(
    `${shop.product.url}${API_PREFIX}${saveLists.path.replace('{customerId}', sealed)}`,
    {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        'x-site-domain': shop.world.site.domain_name,
        'idempotency-key': key,
      },
      body: JSON.stringify([
        {
          notification_list_id: shop.world.weekly.id,
          subscribed: Math.floor(number / shop.customers.length) % 2 === 0,
        },
      ]),
      signal: AbortSignal.timeout(15_000),
    },
  );
  const text = await response.text();
  if (response.status === 200) {
    shop.acknowledged.set(key, (JSON.parse(text) as { choice_id: string }).choice_id);
  }
  return { status: response.status, text, key };
}

async function saveAll(shop: Shop, first: number, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let number = first; number < first + count; number += 8) {
    const numbers = Array.from(
      { length: Math.min(8, first + count - number) },
      (_, offset) => number + offset,
    );
    answers.push(...(await Promise.all(numbers.map((one) => saveOnce(shop, one)))));
  }
  return answers;
}

const readiness = async (url: string) => (await fetch(`${url}/readyz`)).status;

function countByStatus(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('a full disk', () => {
  it('while the product runs is 503 and never 500, is reported at /readyz and in the log, and is over once there is space', async (context) => {
    product = await startProductProcess({ dataDir: disk.path });
    await product.untilReady();
    const shop = await openShop(product);
    await saveAll(shop, 0, shop.customers.length);
    disk.fill(0);
    const full = await saveAll(shop, shop.customers.length, SAVES);
    const counts = countByStatus(full);
    await context.annotate(`With a full disk: ${JSON.stringify(counts)}`);
    expect(Object.keys(counts).filter((status) => status !== '200' && status !== '503')).toEqual([]);
    expect(counts[503]).toBeGreaterThan(0);
    for (const { status, text } of full) {
      if (status === 503)
        expect(JSON.parse(text)).toMatchObject({ meta: { errors: [{ code: 'unavailable' }] } });
    }
    expect(await readiness(product.url)).toBe(503);
    expect(product.output()).toContain("The database's disk is full");

    const freedAt = performance.now();
    disk.free();
    await product.untilReady(30_000);
    const after = await saveAll(shop, shop.customers.length, SAVES);
    await context.annotate(
      `Ready again ${((performance.now() - freedAt) / 1000).toFixed(1)} s after space was freed, with all ${SAVES} saves made`,
    );
    expect(countByStatus(after)).toEqual({ 200: SAVES });
    await workOff(shop);
    expect(await findLosses(shop)).toMatchObject({ lostSaves: [], doubledSaves: [], brokenChains: [] });
    await shop.receiver.close();
  });

  it('under the database’s log, which then stops it, is 503 as well, and over once there is space', async (context) => {
    product = await startProductProcess({ dataDir: disk.path });
    await product.untilReady();
    const shop = await openShop(product, 16);
    await saveAll(shop, 0, shop.customers.length);
    disk.fill(0);
    // No new file of the log can be made: PostgreSQL gives up until there is space.
    await inDatabase(shop, ['select pg_switch_wal()']).catch(() => {});
    const full = countByStatus(await saveAll(shop, shop.customers.length, 64));
    await context.annotate(`Without space for the log: ${JSON.stringify(full)}`);
    expect(full).toEqual({ 503: 64 });
    expect(await readiness(product.url)).toBe(503);

    disk.free();
    await product.untilReady(30_000);
    expect(countByStatus(await saveAll(shop, shop.customers.length, 64))).toEqual({ 200: 64 });
    await workOff(shop);
    expect(await findLosses(shop)).toMatchObject({ lostSaves: [], doubledSaves: [], brokenChains: [] });
    await shop.receiver.close();
  });

  it('at the first start, or at a later one, ends the start with a sentence', async () => {
    disk.fill(4 * 1024 * 1024);
    product = await startProductProcess({ dataDir: disk.path });
    expect(await product.ended()).toBe(1);
    expect(product.output()).toContain(`The disk that holds ${disk.path}`);

    disk.free();
    product = await startProductProcess({ dataDir: disk.path });
    await product.untilReady();
    product.killServer();
    product.killDatabase();
    await product.ended();
    disk.fill(0);
    product = await startProductProcess({ dataDir: disk.path });
    expect(await product.ended()).toBe(1);
    expect(product.output()).toMatch(/disk .*is full/);
    expect(product.output()).not.toMatch(/^\s+at /m);
  });
});
