import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSite, updateSite } from '#contract/sites.ts';
import { newId } from '#server/platform/ids.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { buildMember } from '#test/harness/members.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld } from '#test/harness/world.ts';
import { problemsByWindow, violationsOf } from '#test/page/look-at.ts';

let product: TestProduct;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Navigation' });

it('an owner of one site creates the next in its menu; a viewer gets no menu, and read-only settings', async () => {
  const one = await buildWorld(product);
  const page = await openOwnerWindow(browser, product, one);
  await page.goto(`${product.url}/lists`);
  await sidebar(page)
    .getByRole('button', { name: /^Sites/ })
    .click();
  await page.getByRole('menuitemradio').first().waitFor();
  expect(await page.getByRole('menuitemradio').allTextContents()).toEqual([
    `${one.site.name}${one.site.domain_name}`,
  ]);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('menuitem', { name: 'New site' }).click();
  await page.getByRole('dialog', { name: 'New site' }).waitFor();

  const viewer = await buildMember(product, one, 'viewer');
  const theirs = await openOwnerWindow(browser, product, { ...one, owner: viewer });
  await theirs.goto(`${product.url}/lists`);
  await sidebar(theirs).getByText(one.site.name, { exact: true }).waitFor();
  expect(await sidebar(theirs).getByRole('button').count()).toBe(0);
  const settings = sidebar(theirs).getByRole('link', { name: 'Site settings' });
  await settings.waitFor({ state: 'detached' });
  await product.call(
    updateSite,
    { params: one.params, body: { custom_domain: 'mail.viewer.example' } },
    one.owner,
  );
  await theirs.reload();
  await settings.click();
  await theirs.getByText('You can view this. Ask an admin or owner to change it.').waitFor();

  await refuseCredentials(one.site.id);
  await page.goto(`${product.url}/integrations`);
  await page.getByText(/^Drip rejected your .* Enter a? ?new/).waitFor();
  await theirs.goto(`${product.url}/integrations`);
  await theirs.getByText(/^Drip rejected your .* Ask an admin or owner to enter/).waitFor();
});

/** A site whose tool rejects its key. */
async function refuseCredentials(siteId: string): Promise<void> {
  await product.testDatabase.owner.query(
    `insert into integrations (site_id, id, provider, name, account_name, credentials_sealed, status, created_at, updated_at)
     values ($1, $2, 'drip', 'Drip', 'Acme', 'x', 'credentials_refused', now(), now())`,
    [siteId, newId()],
  );
}

it('one of many sites is found by a part of its name, and a new one is created from the same menu', async () => {
  const many = await buildWorld(product);
  for (const name of ['Zebra', 'acme 10', 'Acme 2', 'Books', 'Candles', 'Drinks', 'Eggs', 'Flowers']) {
    const domain_name = `${many.site.name}-${name.toLowerCase().replace(' ', '-')}`;
    const params = { organization_id: many.params.organization_id };
    const { id } = await product.call(createSite, { params, body: { domain_name, name } }, many.owner);
    if (name === 'Books') await refuseCredentials(id);
  }
  const page = await openOwnerWindow(browser, product, many, { viewport: { width: 1280, height: 500 } });
  await page.goto(`${product.url}/lists`);
  const switcher = sidebar(page).getByRole('button', { name: /^Switch site/ });
  const sites = page.getByRole('menuitemradio');
  await switcher.click();
  await untilFocusIn(page.getByRole('searchbox', { name: 'Find a site' }));
  const hostOf = (label: string) => `${many.site.name}-${label}.localhost`;
  const row = (name: string, label: string) => `${name}${hostOf(label)}`;
  expect((await sites.allTextContents()).slice(0, 2)).toEqual([
    row('Acme 2', 'acme-2'),
    row('acme 10', 'acme-10'),
  ]);
  await sites.filter({ hasText: 'Needs attention' }).waitFor();
  expect(await sites.filter({ hasText: 'Needs attention' }).allTextContents()).toEqual([
    `${row('Books', 'books')}Needs attention`,
  ]);
  const newSite = page.getByRole('menuitem', { name: 'New site' });
  const box = await newSite.boundingBox();
  expect(box && box.y + box.height).toBeLessThanOrEqual(500);
  expect(await violationsOf(page)).toEqual([]);
  const search = page.getByRole('searchbox', { name: 'Find a site' });
  await search.fill('nowhere');
  await page.getByRole('status').filter({ hasText: 'No sites match' }).waitFor();
  expect([await sites.count(), await newSite.count()]).toEqual([0, 1]);
  expect(await violationsOf(page)).toEqual([]);
  await search.fill(`-drinks.local`);
  await expect.poll(() => sites.allTextContents()).toEqual([row('Drinks', 'drinks')]);
  expect(await page.getByText('No sites match').count()).toBe(0);
  await search.fill('ZEB');
  await expect.poll(() => sites.allTextContents()).toEqual([row('Zebra', 'zebra')]);
  await page.keyboard.press('Enter');
  await switcher.filter({ hasText: 'Zebra' }).waitFor();

  await switcher.click();
  await newSite.click();
  const dialog = page.getByRole('dialog', { name: 'New site' });
  await dialog.getByLabel('Site name').fill('Ink');
  await dialog.getByLabel('Subdomain').fill(`${many.site.name}-ink`);
  await dialog.getByText('This domain is available').waitFor();
  await dialog.getByRole('button', { name: 'Create site' }).click();
  await page.getByText('Ink created').waitFor();
  const message = page.getByRole('alertdialog').filter({ hasText: 'Ink created' });
  const middleOf = async (name: string) => {
    const box = await message.getByRole('button', { name }).boundingBox();
    return box && Math.round(box.y + box.height / 2);
  };
  // On one line, so that the cross does not stand alone below.
  expect(await middleOf('Close')).toBe(await middleOf('Switch to it'));
  await page.getByRole('button', { name: 'Switch to it' }).click();
  await switcher.filter({ hasText: 'Ink' }).waitFor();
  await page.waitForURL('**/dashboard');

  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill(hostOf('candles'));
  await palette
    .getByRole('option', { name: /Candles/ })
    .filter({ hasText: hostOf('candles') })
    .click();
  await switcher.filter({ hasText: 'Candles' }).waitFor();
  const inBar = page.getByRole('banner').getByText('Candles');
  expect(await inBar.isVisible()).toBe(false);
  await page.setViewportSize({ width: 360, height: 740 });
  await inBar.waitFor();
  expect(await problemsByWindow(page)).toEqual({});
});

it('an admin renames a site, which its menu and the audit log show, and the message covers no button', async () => {
  const acme = await buildWorld(product);
  const page = await openOwnerWindow(browser, product, acme, { viewport: { width: 1280, height: 500 } });
  await page.goto(`${product.url}/site-settings`);
  const name = page.getByLabel('Name', { exact: true });
  const card = page.locator('section').filter({ has: name });
  const save = card.getByRole('button', { name: 'Save' });
  await name.fill(' ');
  await save.click();
  await card.getByText('Enter a name.').waitFor();
  await name.fill('Acme Books');
  await save.click();
  const message = page.getByRole('alertdialog').filter({ hasText: 'Site renamed' });
  await message.waitFor();
  await sidebar(page).getByText('Acme Books', { exact: true }).waitFor();
  const [shown, button] = [await message.boundingBox(), await save.boundingBox()];
  expect(shown && button && shown.x + shown.width < button.x).toBe(true);
  await page.goto(`${product.url}/account-settings?section=audit-log&noun=site`);
  await page.locator('main').getByText('Renamed the site to Acme Books').waitFor();
});

it('the site that an email’s link names is selected, and leaves the address', async () => {
  const own = await buildWorld(product);
  const { params, site } = await buildSite(product, own.owner, own.params.organization_id, 'second-brand');
  const page = await openOwnerWindow(browser, product, own);
  await page.goto(`${product.url}/lists?site=${params.site_id}`);
  await page.getByRole('button', { name: site.name }).waitFor();
  await expect.poll(() => page.url()).toBe(`${product.url}/lists`);
  await page.goto(`${product.url}/actions`);
  await page.getByRole('button', { name: site.name }).waitFor();
});
