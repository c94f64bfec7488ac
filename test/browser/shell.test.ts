import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOut, refreshTokens } from '#contract/accounts.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct({
    env: {
      GOOGLE_CLIENT_ID: 'client',
      GOOGLE_CLIENT_SECRET: 'secret',
      FEATURE_REQUEST_URL: 'https://board.example/',
    },
  });
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

async function open(path: string, options: Parameters<typeof openOwnerWindow>[3] = {}): Promise<Page> {
  const page = await openOwnerWindow(browser, product, world, options);
  await page.goto(`${product.url}${path}`);
  return page;
}

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Navigation' });

describe('the sidebar', () => {
  it('has its five entries and the links to Feature Request and Documentation (spec 80, 114)', async () => {
    const page = await open('/dashboard', { viewport: { width: 1280, height: 900 } });
    await sidebar(page).waitFor();
    const entries = ['Dashboard', 'Integrations', 'Lists', 'Actions', 'Preference Pages'];
    for (const name of entries) {
      await sidebar(page).getByRole('link', { name, exact: true }).click();
      await page.waitForURL(`**/${name.toLowerCase().replace(' ', '-')}`);
      const current = sidebar(page).locator('li [aria-current=page]');
      await expect.poll(() => current.allTextContents()).toEqual([name]);
    }
    const hrefOf = (name: string) => sidebar(page).getByRole('link', { name }).getAttribute('href');
    expect(await hrefOf('Feature Request')).toBe('https://board.example/');
    expect(await hrefOf('Documentation')).toBe(`${product.url}/docs`);
  });

  it('is a slide-over below the extra-large breakpoint (spec 113)', async () => {
    const page = await open('/dashboard', { viewport: { width: 1279, height: 900 } });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await sidebar(page).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open menu' }).click();
    const slideOver = page.getByRole('dialog', { name: 'Navigation' });
    await slideOver.getByRole('link', { name: 'Lists' }).click();
    await page.waitForURL('**/lists');
    await slideOver.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await untilFocusIn(slideOver);
    await page.keyboard.press('Escape');
    await slideOver.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1280, height: 900 });
    await sidebar(page).waitFor();
  });
});

describe('the screens', () => {
  it('have the titles of the specification (spec 120)', async () => {
    const page = await open('/dashboard');
    const { site_id } = world.params;
    const titles = {
      '/dashboard': 'Dashboard',
      '/account-settings': 'Account Settings',
      '/preference-pages': 'Preference Pages',
      '/lists': 'Lists',
      '/integrations': 'Integrations',
      '/actions': 'Actions',
      '/404': 'Sayso',
      [`/create-list/${world.weekly.id}`]: 'Sayso',
      [`/edit-preference-page/${site_id}/${world.page.id}`]: 'Sayso',
      [`/create-preference-page/${site_id}`]: 'Sayso',
    };
    const seen: Record<string, string> = {};
    for (const path of Object.keys(titles)) {
      await page.goto(`${product.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      seen[path] = await page.title();
    }
    expect(seen).toEqual(titles);
  });

  it('of the editors take their ids from the address (spec 122)', async () => {
    const page = await open(`/create-list/${world.weekly.id}`);
    await page.getByRole('heading', { level: 1, name: 'Edit list' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).first().inputValue()).toBe('Weekly news');
    const { site_id } = world.params;
    await page.goto(`${product.url}/edit-preference-page/${site_id}/${world.page.id}`);
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    expect(await page.getByLabel('Path', { exact: true }).inputValue()).toBe('preferences');
    await page.goto(`${product.url}/create-preference-page/${site_id}`);
    await page.getByRole('heading', { level: 1, name: 'New preference page' }).waitFor();
  });

  it('come with a fade (spec 115)', async () => {
    const page = await open('/lists', {
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'no-preference',
    });
    await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();
    await page.evaluate(() => {
      const seen: string[] = [];
      document.addEventListener('animationstart', (event) => seen.push(event.animationName));
      Object.assign(window, { seenAnimations: seen });
    });
    await sidebar(page).getByRole('link', { name: 'Actions' }).click();
    await page.getByRole('heading', { level: 1, name: 'Actions' }).waitFor();
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { seenAnimations: string[] }).seenAnimations))
      .toContain('fade');
  });

  it('stand still for people who ask for reduced motion', async () => {
    const page = await open('/lists', { reducedMotion: 'reduce' });
    await sidebar(page).getByRole('link', { name: 'Actions' }).click();
    await page.getByRole('button', { name: 'New action' }).first().click();
    await page.getByRole('dialog').waitFor();
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter((element) => {
          const { animationName, transitionProperty } = getComputedStyle(element);
          // A loader appears after a moment, but doesn't move.
          return !['none', 'appear'].includes(animationName) || transitionProperty !== 'none';
        })
        .map(({ outerHTML }) => outerHTML),
    );
    expect(moving).toEqual([]);
  });

  it('wait behind a loader for the account, and show themselves when it cannot be loaded (spec 87)', async () => {
    const page = await openOwnerWindow(browser, product, world);
    const held: (() => void)[] = [];
    let isOpen = false;
    await page.route(`**/api/core/v1/users/${world.owner.id}`, async (route) => {
      if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
      await route.fulfill({ status: 500, json: { message: 'Broken', data: null, meta: { errors: [] } } });
    });
    await page.goto(`${product.url}/dashboard`);
    await page.getByRole('progressbar').waitFor();
    expect(await page.getByRole('heading').count()).toBe(0);
    isOpen = true;
    for (const release of held) release();
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    await page.getByRole('button', { name: 'Account menu' }).waitFor();
  });
});

describe('the guard', () => {
  it('leads the anonymous to login and back, and logged-in users from login to the dashboard (spec 93, 123)', async () => {
    const page = await browser.open();
    await page.goto(`${product.url}/edit-preference-page/${world.params.site_id}/${world.page.id}`);
    await page.waitForURL('**/login?next=*edit-preference-page*');
    const inside = await open('/login');
    await inside.waitForURL('**/dashboard');
    await inside.goto(`${product.url}/signup-survey`);
    await inside.waitForURL('**/dashboard');
    await inside.goto(`${product.url}/`);
    await inside.waitForURL('**/dashboard');
  });

  it('confines a user without an organization to the survey (spec 94)', async () => {
    const owner = await buildOwner(product);
    const page = await openOwnerWindow(browser, product, { owner, params: { organization_id: 'None' } });
    for (const path of ['/dashboard', '/lists', '/login']) {
      await page.goto(`${product.url}${path}`);
      await page.waitForURL('**/signup-survey');
    }
    expect(await page.title()).toBe('Survey');
  });

  it('leads from a site’s host to the app host, but shows /404 and the old address there (spec 95, 121, 124)', async () => {
    const page = await browser.open();
    await page.goto(`${world.site.url}/dashboard`);
    await page.waitForURL(`${product.url}/login`);
    await page.goto(`${world.site.url}/user/notification`);
    await page.waitForURL(`${world.site.url}/preferences`);
    await page.goto(`${product.url}/user/notification`);
    await page.waitForURL(`${product.url}/404`);
    await page.getByRole('heading', { name: 'This page doesn’t exist' }).waitFor();
  });

  it('offers the login at /404 of the app host, and nothing of ours to customers on a site’s host', async () => {
    const page = await browser.open();
    await page.goto(`${world.site.url}/404`);
    await page.getByText('Page not found').waitFor();
    expect(await page.getByRole('link', { name: 'Log in' }).count()).toBe(0);
    await page.goto(`${product.url}/404`);
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.waitForURL('**/login');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });
});

describe('language and theme', () => {
  it.each([
    ['fr-FR', 'fr'],
    ['sl', 'sl'],
    ['ja-JP', 'en'],
  ])('a browser in %s begins in %s (spec 117)', async (locale, language) => {
    const page = await browser.open({ locale });
    await page.goto(`${product.url}/login`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
  });

  it('are chosen in the account menu: eight languages and a default (spec 117)', async () => {
    const page = await open('/dashboard');
    const menu = page.getByRole('button', { name: /Account menu|Konto/ });
    await menu.click();
    await page.getByRole('menuitem', { name: /^Language/ }).click();
    const languages = page.getByRole('menuitemradio');
    await languages.first().waitFor();
    expect(await languages.allTextContents()).toEqual([
      'Browser default',
      'English',
      'Español',
      'Deutsch',
      'Français',
      'Italiano',
      'Slovenščina',
      'Română',
      'Polski',
    ]);
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    expect(await page.title()).toBe('Übersicht');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.evaluate(() => localStorage.removeItem('language'));
    await page.reload();
    // The account remembers it for a browser that has no choice of its own.
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: /^Design/ }).click();
    await page.getByRole('menuitemradio', { name: 'Dunkel' }).click();
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
  });
});

describe('the session', () => {
  it('is stored as `auth` in the local storage, and signing out clears it (spec 118, 119)', async () => {
    const own = await buildWorld(product, 'leaving');
    const page = await openOwnerWindow(browser, product, own);
    await page.goto(`${product.url}/dashboard`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const stored = () => page.evaluate(() => localStorage.getItem('auth'));
    expect(Object.keys(JSON.parse((await stored()) ?? '{}') as object).toSorted()).toEqual([
      'id',
      'organization',
      'refresh',
      'token',
    ]);
    await page.getByRole('button', { name: 'Account menu' }).click();
    const ended = page.waitForResponse((response) => response.url().endsWith(logOut.path));
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/login');
    expect(await stored()).toBeNull();
    // On the server it ends a moment later.
    expect((await ended).status()).toBe(204);
    await page.goBack();
    await page.waitForURL('**/login**');
    const body = { refresh_token: own.owner.refreshToken };
    expect((await product.refuse(refreshTokens, { body })).status).toBe(401);
  });
});

it('a failed load of Google’s script says so in the words of the specification (spec 112)', async () => {
  const page = await browser.open();
  await page.route('https://accounts.google.com/**', (route) => route.abort());
  await page.goto(`${product.url}/login`);
  await page.getByRole('button', { name: /Google/ }).click();
  await page
    .getByRole('alert')
    .getByText('Failed to load the Google 3P Authorization JavaScript Library.')
    .waitFor();
});
