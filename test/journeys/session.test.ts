import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { logInOnScreen, openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { endSessionAt } from '#test/harness/session-ends.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

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

it('a session that ends while a list is edited loses nothing that was typed (spec 127)', async () => {
  const page = await openOwnerWindow(browser, product, world);
  const field = (label: string) => page.getByLabel(label, { exact: true }).first();
  const path = `/create-list/${world.weekly.id}`;
  await page.goto(`${product.url}${path}`);
  await field('Name').fill('Weekly letter');
  await endSessionAt(product, page, `**/lists/${world.weekly.id}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL('**/login?next=*');
  await logInOnScreen(page, world.owner);
  await page.waitForURL(`**${path}`);
  await page.getByText('We restored what you typed here').waitFor();
  expect(await field('Name').inputValue()).toBe('Weekly letter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“Weekly letter” saved').waitFor();
  await page.goto(`${product.url}${path}`);
  await expect.poll(() => field('Name').inputValue()).toBe('Weekly letter');
  expect(await page.getByText('We restored what you typed here').count()).toBe(0);
});

it('a session that is signed out of without a connection ends once there is one', async () => {
  const other = await buildWorld(product);
  const page = await openOwnerWindow(browser, product, other);
  await page.goto(`${product.url}/dashboard`);
  await page.getByRole('button', { name: 'Account menu' }).click();
  const signOut = page.getByRole('menuitem', { name: 'Sign out' });
  await signOut.waitFor();
  const before = await sessionsOf(other);
  await page.route('**/token/revoke', (route) => route.abort('internetdisconnected'));
  await signOut.click();
  await page.waitForURL('**/login');
  expect(await sessionsOf(other)).toBe(before);
  const next = await page.context().newPage();
  await next.goto(`${product.url}/login`);
  await expect.poll(() => sessionsOf(other)).toBe(before - 1);
  await expect.poll(() => next.evaluate(() => localStorage.getItem('auth_to_end'))).toBeNull();
});

async function sessionsOf({ owner }: World): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    'select count(*)::int as count from sessions where user_id = $1 and revoked_at is null',
    [owner.id],
  );
  return rows[0]?.count ?? 0;
}
