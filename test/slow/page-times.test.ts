import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintLinks } from '#contract/customers.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { timesOf } from '#test/harness/shown-times.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

/* The specification's times of the public page, from above. `test/journeys/page-spec.test.ts` has them exactly, on a clock of its own. */

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

it('the saved message is shown for three seconds, and right after it the sentence about what was saved', async () => {
  const vera = await buildCustomer(product, world);
  const params = { ...world.params, id: vera.id };
  const { challenge } = await product.call(mintLinks, { params, body: {} }, world.owner);
  const page = await browser.open();
  await page.goto(`${world.page.url}?challenge=${challenge}`);
  await page.getByRole('switch', { name: /Weekly news/ }).click();
  const message = await timesOf(page, 'body', 'Your preferences have been saved');
  const sentence = await timesOf(page, '[role=status]', 'You won’t receive any of these emails.');
  await page.getByRole('button', { name: 'Save' }).click();
  const [{ shownAt, goneAt }, after] = [await message('goneAt'), await sentence('shownAt')];
  expect(goneAt - shownAt).toBeLessThan(4500);
  expect(Math.abs(after.shownAt - goneAt)).toBeLessThan(500);
});

it('the loader ends within three seconds', async () => {
  const vera = await buildCustomer(product, world);
  const page = await browser.open();
  await page.goto(world.page.url);
  await page.getByLabel('Email', { exact: true }).fill(vera.email);
  const loader = await timesOf(page, 'body', 'Loading your preferences');
  await page.getByRole('button', { name: 'Continue' }).click();
  const { shownAt, goneAt } = await loader('goneAt');
  expect(goneAt - shownAt).toBeLessThan(4000);
});
