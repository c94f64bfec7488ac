import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { type Look, PAGE_CUSTOMER, type PageState, stateNamed } from '#test/page/page-states.ts';
import { openStage, type Stage } from '#test/page/stage.ts';
import { textsAtRisk, translatePage } from '#test/page/translator.ts';

const LOOK: Look = { template: 'default_preference_page', language: 'en' };

let browser: TestBrowser;
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

/** Shows a state whose script arrives only after the visitor has done something. */
async function beforeTheScript(state: PageState, does: (page: Page) => Promise<void>): Promise<Page> {
  const context = (await browser.open()).context();
  const page = await stage.openWindow(context);
  const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
  await context.route('**/assets/*.js', async (route) => {
    await isDone;
    await route.continue();
  });
  const shown = stage.show(page, { ...state, answers: {}, reach: async () => {} }, LOOK);
  await page.locator('.pp-main').waitFor({ state: 'attached' });
  await does(page);
  done();
  await shown;
  return page;
}

const email = (page: Page) => page.getByLabel('Email', { exact: true });
const newEmail = (page: Page) => page.getByLabel('New email');
const complaint = (page: Page) => page.locator('.pp-complaint textarea');
const until = (page: Page) => page.locator('input[type=date]');
const firstSwitch = (page: Page) => page.getByRole('switch').first();

async function fillEverything(page: Page): Promise<void> {
  await page.locator('.pp-plain-email summary').click();
  await newEmail(page).fill('nora@elsewhere.example');
  await page.locator('.pp-data > summary').click();
  await page.locator('.pp-data details > summary').click();
  await complaint(page).fill('I never agreed to this.');
  await until(page).fill('2027-03-01');
  await firstSwitch(page).click();
}

async function expectEverything(page: Page): Promise<void> {
  expect(await newEmail(page).inputValue()).toBe('nora@elsewhere.example');
  expect(await complaint(page).inputValue()).toBe('I never agreed to this.');
  expect(await until(page).inputValue()).toBe('2027-03-01');
  expect(await firstSwitch(page).isChecked()).toBe(false);
  await page.getByText('Not saved yet').waitFor();
}

it('the page keeps an email that was typed before the script arrives, and finds its customer', async () => {
  const page = await beforeTheScript(stateNamed('form'), (window) => email(window).fill('nora@example.com'));
  expect(await email(page).inputValue()).toBe('nora@example.com');
  const asked = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByRole('button', { name: 'Continue' }).click();
  expect((await asked).postDataJSON()).toMatchObject({ email: 'nora@example.com' });
  await firstSwitch(page).waitFor();
});

it('someone typing early is not interrupted by the customer whom the browser remembers', async () => {
  const page = await beforeTheScript(stateNamed('form'), async (window) => {
    await window.evaluate(() => localStorage.setItem('email', 'someone@example.com'));
    await email(window).fill('nora@example.com');
  });
  expect(await email(page).inputValue()).toBe('nora@example.com');
});

it('the page keeps what was typed into any form of the preferences before the script arrives', async () => {
  await expectEverything(await beforeTheScript(stateNamed('pause offered'), fillEverything));
});

it('the page keeps it even if a browser has translated the page by then', async () => {
  const page = await beforeTheScript(stateNamed('pause offered'), async (window) => {
    await fillEverything(window);
    await translatePage(window, 'x ');
  });
  await expectEverything(page);
});

it('the page keeps a new email that was typed into a form that was folded up again', async () => {
  const page = await beforeTheScript(stateNamed('preferences'), async (window) => {
    const summary = window.locator('.pp-plain-email summary');
    await summary.click();
    await newEmail(window).fill('nora@elsewhere.example');
    await summary.click();
  });
  await page.locator('.pp-plain-email summary').click();
  expect(await newEmail(page).inputValue()).toBe('nora@elsewhere.example');
});

it('the page shows the server’s form, as it was filled in, when it can no longer be drawn', async () => {
  const page = await stage.openWindow((await browser.open()).context());
  await stage.show(page, stateNamed('left a list, asked why'), LOOK);
  expect((await textsAtRisk(page)).isRendered).toBe(true);
  // An extension of the browser removes an element that React still has.
  await page.locator('.pp-reasons').evaluate((element) => element.remove());
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.pp-plain-email').waitFor();
  await page.getByText(PAGE_CUSTOMER.email).waitFor();
  expect(await firstSwitch(page).isChecked()).toBe(false);
  const submitted = page.waitForRequest((request) => request.isNavigationRequest());
  await page.getByRole('button', { name: 'Save' }).click();
  expect((await submitted).postData()).toContain('intent=save');
});
