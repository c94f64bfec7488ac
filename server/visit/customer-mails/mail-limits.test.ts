import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { consumeMailLimit } from './mail-limits.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

/** How many of so many emails of a kind go out, three an hour. */
async function sentOverHours(kind: 'link' | 'download', hours: number): Promise<number> {
  const to = { siteId: world.params.site_id, ip: '192.0.2.1', email: 'vera@example.com' };
  let sent = 0;
  for (let hour = 0; hour < hours; hour += 1) {
    await product.testDatabase.owner.query(`delete from rate_limits where key like 'mails-${kind}:%'`);
    for (let time = 0; time < 3; time += 1) {
      if (await consumeMailLimit(product.services, kind, to)) sent += 1;
    }
  }
  return sent;
}

it('one address is sent five links a day at most, and other mail that it asked for as before', async () => {
  expect(await sentOverHours('link', 3)).toBe(5);
  expect(await sentOverHours('download', 3)).toBe(9);
});
