import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listSessions } from '#contract/account-data.ts';
import { logIn } from '#contract/accounts.ts';
import { getOrganization } from '#contract/organizations.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, PASSWORD, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

async function openSettings(section?: string): Promise<Page> {
  const page = await browser.open({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${product.url}/login`);
  await page.getByLabel('Username or email').fill(world.owner.username);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL(/\/dashboard$/);
  await page.goto(`${product.url}/account-settings${section === undefined ? '' : `?section=${section}`}`);
  return page;
}

const toast = (page: Page, text: string) => page.getByText(text).waitFor();

it('an owner keeps their account, sees who changed what, and leaves for good (spec 129, 130, 131)', async () => {
  const { owner, params, site } = world;
  const settings = await openSettings('unknown');
  const go = (section: string) =>
    settings.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: section }).click();

  await browser.step('a picture, shown in the top bar too', async () => {
    const menu = settings.getByRole('button', { name: /^Account menu/ });
    await menu.locator('svg.lucide-circle-user-round').waitFor();
    expect(await menu.textContent()).toBe(owner.username);
    expect(await settings.title()).toBe('Account Settings');
    const picture = sharp({ create: { width: 90, height: 60, channels: 3, background: '#1f6f5c' } });
    const [chooser] = await Promise.all([
      settings.waitForEvent('filechooser'),
      settings.getByRole('button', { name: 'Choose image' }).click(),
    ]);
    await chooser.setFiles({ name: 'me.png', mimeType: 'image/png', buffer: await picture.png().toBuffer() });
    await toast(settings, 'Image saved');
    const shown = menu.locator('img');
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(192);
  });

  await browser.step('ending all other sessions', async () => {
    await product.call(logIn, { body: { username: owner.username, password: PASSWORD } });
    await go('Password and sessions');
    await settings.getByRole('button', { name: 'End other sessions' }).click();
    await toast(settings, 'Other sessions ended');
    await settings.getByText('Chrome, Linux').waitFor();
    expect(await settings.getByText('This device').count()).toBe(1);
    const here = settings.getByRole('listitem').filter({ hasText: 'This device' });
    await here.getByText('In use now').waitFor();
    expect(await here.getByText('Last used').count()).toBe(0);
    expect((await product.refuse(listSessions, { params: { id: owner.id } }, owner)).status).toBe(401);
    owner.token = await settings.evaluate(
      () => (JSON.parse(localStorage.getItem('auth') ?? '{}') as { token: string }).token,
    );
  });

  await browser.step('renaming the organization, and a second site', async () => {
    await go('Organization and sites');
    const name = settings.getByLabel('Organization name');
    await name.fill(`${site.name} books`);
    await settings.getByText('This name is available').waitFor();
    await settings.getByRole('button', { name: 'Save' }).click();
    await toast(settings, 'Organization renamed');
    const call = { params: { id: params.organization_id } };
    expect((await product.call(getOrganization, call, owner)).name).toBe(`${site.name} books`);
    const cards = await settings.locator('main').getByRole('heading', { level: 2 }).allTextContents();
    expect(cards).toEqual(['Organization', 'Second factor for everyone', 'Sites']);
    await settings.getByRole('button', { name: 'New site' }).click();
    const dialog = settings.getByRole('dialog');
    await dialog.getByText('You can’t change this later.').waitFor();
    await dialog.getByLabel('Site name').fill('Second');
    await dialog.getByRole('textbox').nth(1).fill('admin');
    await dialog.getByText('This domain is already taken').waitFor();
    await dialog.getByText('Sayso needs this name itself. Choose another one.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create site' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').nth(1).fill(`${site.name}-2`);
    await dialog.getByRole('button', { name: 'Create site' }).click();
    await settings.getByText(`${site.name}-2.localhost`, { exact: true }).waitFor();
  });

  await browser.step('the audit log, filtered by its address', async () => {
    await go('Audit log');
    await settings.getByText('Created the preference page').waitFor();
    await settings.goto(`${product.url}/account-settings?section=audit-log&noun=list`);
    await settings.getByText('Created the list Weekly news').waitFor();
    expect(await settings.getByText('Created the preference page').count()).toBe(0);
    await settings.getByRole('button', { name: 'Clear filters' }).click();
    await settings.getByText('Created the preference page').waitFor();
  });

  await browser.step('the export', async () => {
    await go('Your data');
    const [download] = await Promise.all([
      settings.waitForEvent('download'),
      settings.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('sayso-account.json');
  });

  await browser.step('the deletion, after a wrong password', async () => {
    await settings.getByRole('button', { name: 'Delete account' }).click();
    const dialog = settings.getByRole('alertdialog');
    await dialog.getByText(site.domain_name, { exact: true }).waitFor();
    const confirm = dialog.getByRole('button', { name: 'Delete for good' });
    await dialog.getByLabel(/^Type your username/).fill(owner.username);
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Your password').fill('not the password');
    await confirm.click();
    await dialog.getByText('That isn’t your password.').waitFor();
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await confirm.click();
    await settings.getByText('Your account is deleted.').waitFor();
    expect(new URL(settings.url()).pathname).toBe('/login');
    expect(await settings.evaluate(() => localStorage.getItem('auth'))).toBeNull();
  });
});
