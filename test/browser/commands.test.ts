import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createList } from '#contract/lists.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilStill } from '#test/harness/still.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { violationsOf } from '#test/page/look-at.ts';
import { buildMember } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let other: World;
let page: Page;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  other = await buildSite(product, world.owner, world.params.organization_id);
  await buildWebhook(product, world, { url: 'http://127.0.0.1:9/hook' });
  await buildCustomer(product, world, 'vera@example.com');
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

beforeEach(async () => {
  await logInAgain(product, world.owner);
  page = await openOwnerWindow(browser, product, world);
  await page.goto(`${product.url}/dashboard`);
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  return () => page.close();
});

const palette = () => page.getByRole('dialog', { name: 'Command palette' });
const rows = () => palette().getByRole('option');

/** Moves through the rows to one. */
async function mark(shown: string): Promise<void> {
  const row = rows().filter({ hasText: shown });
  while ((await row.getAttribute('data-focused')) === null) await page.keyboard.press('ArrowDown');
}

async function command(typed: string, shown: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await untilFocusIn(palette().getByRole('combobox'));
  await page.keyboard.type(typed);
  await rows().filter({ hasText: shown }).first().waitFor();
  await page.keyboard.press('Enter');
  await palette().waitFor({ state: 'detached' });
}

/** The address of the screen changes first; while the dialog is still there, the palette doesn't open. */
async function closeDialog(name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name });
  await untilFocusIn(dialog);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

it('the palette goes anywhere, finds people and items, and runs commands, with only the keyboard', async () => {
  await command('prefpg', 'Preference Pages');
  await page.getByRole('heading', { level: 1, name: 'Preference Pages' }).waitFor();
  await command('vera@', 'vera@example.com');
  await page.waitForURL('**/customers/*');
  await command('weekly', 'Weekly news');
  await page.waitForURL(`**/create-list/${world.weekly.id}`);
  await command('tell the', 'Tell the shop');
  await closeDialog('Edit');
  await command('new action', 'New action');
  await page.waitForURL('**/actions?edit=new');
  await closeDialog('New action');
  await page.waitForURL('**/actions');
  await command('dark', 'Theme: Dark');
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
  await command(other.site.name, other.site.name);
  await page.waitForURL('**/dashboard');
  await expect.poll(() => page.evaluate(() => localStorage.getItem('site'))).toBe(other.params.site_id);

  await page.keyboard.press('Control+k');
  await palette().getByText('Recent').waitFor();
  await untilFocusIn(palette().getByRole('combobox'));
  expect((await rows().first().textContent()) ?? '').toContain('New action');
  await page.keyboard.type('qqq zzz');
  await palette().getByText('Nothing found for “qqq zzz”').waitFor();
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  expect(stored).not.toContain('vera@');
  await page.keyboard.press('Control+k');
  await palette().waitFor({ state: 'detached' });
  await command('log out', 'Sign out');
  await page.waitForURL('**/login');
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('recent'))),
  ).toEqual([]);
});

it('the palette finds settings by what is done there, and what the handbook says', async () => {
  for (const [typed, shown, address] of [
    ['api key', 'API keys and secrets', '/account-settings?section=api-keys'],
    ['signing secret', 'API keys and secrets', '/account-settings?section=api-keys'],
    ['invite', 'Team', '/account-settings?section=team'],
    ['members', 'Team', '/account-settings?section=team'],
    ['passkey', 'Password and sessions', '/account-settings?section=security'],
    ['own domain', 'Your own domain', '/site-settings#domain'],
    ['dns', 'Your own domain', '/site-settings#domain'],
    ['rename site', 'Site name', '/site-settings#name'],
    ['reply-to', 'Emails to customers', '/site-settings#sender'],
  ] as const) {
    await command(typed, shown);
    await page.waitForURL(`${product.url}${address}`);
  }
  await expect
    .poll(() => page.locator('#sender').evaluate((card) => card.getBoundingClientRect().top))
    .toBeLessThan(400);
  await page.keyboard.press('Control+k');
  await untilFocusIn(palette().getByRole('combobox'));
  await page.keyboard.type('verify the signature');
  const opened = page.context().waitForEvent('page');
  await rows().filter({ hasText: 'Webhooks: Verify the signature' }).first().click();
  await (await opened).waitForURL(`${product.url}/docs/webhooks#verify-the-signature`);
});

it('typing the name of an item first offers what to do with it, and switching offers every site', async () => {
  await page.keyboard.press('Control+k');
  const field = palette().getByRole('combobox');
  await untilFocusIn(field);
  const shown = async (typed: string) => {
    await field.fill(typed);
    await palette().getByText('↑ ↓ to move').waitFor();
    await rows().first().waitFor();
    return rows().allTextContents();
  };
  await expect.poll(() => shown('webhook')).toContain('WebhooksFor developers');
  const webhook = await shown('webhook');
  expect(webhook.slice(0, 2).map((row) => row.replace(/^(Actions).*/, '$1'))).toEqual([
    'Actions',
    'New action',
  ]);
  expect(webhook.indexOf('WebhooksFor developers')).toBeLessThan(
    webhook.findIndex((row) => row.startsWith('Webhooks: ')),
  );
  await expect.poll(async () => (await shown('unsubscribe'))[0]).toBe('One-click unsubscribeFor developers');
  expect(await shown('dns')).not.toContain('Password and sessions');
  expect(await shown('role')).not.toContain('Profile');
  await expect.poll(() => shown('settings')).toContain('Server settingsSelf-hosting');

  await field.fill('create site');
  await rows().filter({ hasText: 'New site' }).click();
  const dialog = page.getByRole('dialog', { name: 'New site' });
  await untilFocusIn(dialog.getByLabel('Site name'));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it('a viewer finds only what they may open, and reads why the rest is closed', async () => {
  const viewer = await buildMember(product, world, 'viewer');
  const window = await openOwnerWindow(browser, product, { ...world, owner: viewer });
  await window.goto(`${product.url}/account-settings?section=api-keys`);
  await window.getByRole('heading', { name: 'Only admins and owners can see this' }).waitFor();
  expect(window.url()).toContain('section=api-keys');
  await window.keyboard.press('Control+k');
  const options = window.getByRole('dialog', { name: 'Command palette' }).getByRole('option');
  await options.filter({ hasText: 'Dashboard' }).first().waitFor();
  expect(await options.filter({ hasText: /^New / }).count()).toBe(0);
  expect(await options.filter({ hasText: 'Site settings' }).count()).toBe(0);
  await untilFocusIn(window.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox'));
  await window.keyboard.type('api key');
  await options.filter({ hasText: 'Using the API' }).first().waitFor();
  expect(await options.filter({ hasText: 'API keys and secrets' }).count()).toBe(0);
  await window.close();
});

it('shortcuts go to screens and show their list, but never while somebody types', async () => {
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.waitFor();
  await untilStill(page);
  expect(await violationsOf(page)).toEqual([]);
  await untilFocusIn(sheet);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();

  const search = page.getByRole('searchbox').first();
  await search.click();
  await page.keyboard.type('gl?');
  expect(await search.inputValue()).toBe('gl?');
  expect(new URL(page.url()).pathname).toBe('/customers');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('Control+k');
  await palette().waitFor();
  await untilStill(page);
  expect(await violationsOf(page)).toEqual([]);
  await untilFocusIn(palette().getByRole('combobox'));
  await page.keyboard.type('gl?');
  expect(await palette().getByRole('combobox').inputValue()).toBe('gl?');
});

/** Holds the search for customers with this text back. Returns how to wait until it is made, and how to answer it. */
async function heldSearch(text: string) {
  const made = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname.endsWith('/customers') && url.searchParams.get('search') === text,
    async (route) => {
      made.resolve();
      await answered.promise;
      await route.continue();
    },
  );
  return { made: made.promise, answer: answered.resolve };
}

it('a customer who was found stays in the palette while more of the email is typed, as long as it matches', async () => {
  const held = await heldSearch('vera@');
  const next = await heldSearch('vera@x');
  await page.keyboard.press('Control+k');
  await untilFocusIn(palette().getByRole('combobox'));
  await page.keyboard.type('ver');
  const vera = rows().filter({ hasText: 'vera@example.com' });
  await vera.waitFor();
  await page.keyboard.type('a@');
  await held.made;
  expect(await vera.count()).toBe(1);
  await page.keyboard.type('x');
  await vera.waitFor({ state: 'detached' });
  await next.made;
  expect(await vera.count()).toBe(0);
  await page.keyboard.press('Backspace');
  await vera.waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/customers/*');
  held.answer();
  next.answer();
});

it('Enter pressed before the palette has found anything opens what it finds first', async () => {
  const held = await heldSearch('vera@');
  await page.keyboard.press('Control+k');
  await untilFocusIn(palette().getByRole('combobox'));
  await page.keyboard.type('vera@');
  await page.keyboard.press('Enter');
  await held.made;
  held.answer();
  await page.waitForURL('**/customers/*');
});

it('the palette says how many it leaves out, and shows them', async () => {
  for (let index = 1; index <= 8; index += 1) {
    const body = { name: `Bulletin ${index}` };
    await product.call(createList, { params: world.params, body }, world.owner);
    await buildCustomer(product, world, `crowd${index}@example.com`);
  }
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await page.keyboard.press('Control+k');
  await untilFocusIn(palette().getByRole('combobox'));
  await page.keyboard.type('bulletin');
  await rows().filter({ hasText: 'Show all (8)' }).waitFor();
  const bulletins = rows().filter({ hasText: 'Bulletin' });
  expect(await bulletins.count()).toBe(6);
  await mark('Show all (8)');
  await page.keyboard.press('Enter');
  await rows().filter({ hasText: 'Show all' }).waitFor({ state: 'detached' });
  expect(await bulletins.count()).toBe(8);
  await page.keyboard.press('Control+k');
  await palette().waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await untilFocusIn(palette().getByRole('combobox'));
  await page.keyboard.type('crowd');
  await rows().filter({ hasText: 'Show all customers with “crowd”' }).waitFor();
  await mark('Show all customers with “crowd”');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/customers?search=crowd');
  await page.getByRole('link', { name: 'crowd8@example.com' }).waitFor();
  await page.getByRole('link', { name: 'crowd1@example.com' }).waitFor();
});

it('the palette and the shortcuts are in the account menu, and single keys can be switched off', async () => {
  const menu = page.getByRole('button', { name: 'Account menu' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Search or jump to' }).click();
  await untilFocusIn(palette());
  await page.keyboard.press('Escape');
  await palette().waitFor({ state: 'detached' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  await page.getByText('Single-key shortcuts').click();
  await untilFocusIn(page.getByRole('dialog'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await palette().waitFor();
  expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0);
});

it('the link that the palette copies opens the same view, even for somebody who worked on another site', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${product.url}/deliveries?status=failed`);
  await page.getByRole('button', { name: 'Copy link to this view' }).waitFor();
  await command('copy link', 'Copy link to this view');
  await page.getByText('Link copied.').first().waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.evaluate((id) => localStorage.setItem('site', id), other.params.site_id);
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
  expect(page.url()).toBe(`${product.url}/deliveries?status=failed`);
  expect(await page.evaluate(() => localStorage.getItem('site'))).toBe(world.params.site_id);
});
