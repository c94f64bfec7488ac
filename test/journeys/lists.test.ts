import { afterAll, beforeAll, expect, it } from 'vitest';
import { createList, listLists } from '#contract/lists.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { focusedName, tabTo, untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  await product.call(createList, { params: world.params, body: { name: 'Events' } }, world.owner);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

async function order(): Promise<string[]> {
  const { results } = await product.call(listLists, { params: world.params }, world.owner);
  return results.map(({ name }) => name);
}

it('lists are ordered with only the keyboard: dragged, moved by their menu, and kept after a reload', async () => {
  const page = await signIn(await browser.open(), world);
  const { keyboard } = page;
  const rows = page.getByRole('grid', { name: 'Lists' }).getByRole('row');
  await page.goto(`${product.url}/lists`);
  await rows.nth(2).waitFor();
  expect(await order()).toEqual(['Weekly news', 'Offers', 'Events']);

  await browser.step('the last is dragged to the top', async () => {
    await tabTo(page, /Weekly news/);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await keyboard.press(key);
    await untilFocusIn(page.getByRole('button', { name: 'Move Events' }));
    await keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toMatch(/^Insert/);
    await keyboard.press('Home');
    await expect.poll(() => focusedName(page)).toBe('Insert before Weekly news');
    await keyboard.press('Enter');
    await expect.poll(() => rows.first().textContent()).toContain('Events');
    await expect.poll(order).toEqual(['Events', 'Weekly news', 'Offers']);
  });

  await browser.step('and by its menu one down again, which is said', async () => {
    const more = rows.first().getByRole('button', { name: 'More for Events' });
    await untilFocusIn(page.getByRole('grid', { name: 'Lists' }));
    await keyboard.press('Home');
    await keyboard.press('ArrowLeft');
    await untilFocusIn(more);
    await keyboard.press('Enter');
    await untilFocusIn(page.getByRole('menu'));
    await keyboard.type('Move down');
    await keyboard.press('Enter');
    await expect.poll(order).toEqual(['Weekly news', 'Events', 'Offers']);
    await page
      .getByRole('status')
      .filter({ hasText: /Events.*2/ })
      .first()
      .waitFor({ state: 'attached' });
  });

  await page.reload();
  await expect.poll(() => rows.nth(1).textContent()).toContain('Events');
  expect(browser.problems).toEqual([]);
});
