import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, getCustomer } from '#contract/customers.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { challengeOf, choicesOf, newestEvidence } from '#test/harness/choices.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { stopClockOf, type StoppedClock } from '#test/harness/stopped-clock.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

/*
 * The public page as the specification has it, in a browser, on a running product. The specification's seconds pass on
 * the window's own clock. `test/browser/public-page.test.ts` has what is beside the core.
 */

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

const challenge = (customer: Customer) => challengeOf(product, world, customer);
const choices = (customer: Customer) => choicesOf(product, world, customer);

async function emailOf({ id }: Customer): Promise<string> {
  return (await product.call(getCustomer, { params: { ...world.params, id } }, world.owner)).email;
}

async function open(url: string): Promise<Page> {
  const page = await browser.open();
  await page.goto(url);
  return page;
}

/** In it, no second passes by itself. */
async function openStopped(url: string): Promise<{ page: Page; clock: StoppedClock }> {
  const page = await browser.open();
  const clock = await stopClockOf(page);
  await page.goto(url);
  return { page, clock };
}

async function enter(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
}

const stored = (page: Page) => page.evaluate(() => ({ ...localStorage }));
const pageUrl = (query: string) => `${world.page.url}?${query}`;
const shown = (page: Page) => page.getByRole('switch', { name: /Weekly news/ });

describe('the first visit', () => {
  it('shows title, subtitle with the name of the page, address and button, then the preferences (spec 4, 10, 11, 15, 28)', async () => {
    const { page, clock } = await openStopped(world.page.url);
    expect(await page.title()).toBe('Preferences');
    await page.getByRole('heading', { name: 'Update your preferences' }).waitFor();
    await page.getByText('for Acme', { exact: true }).waitFor();
    await enter(page, 'first.visit@example.com');
    await clock.untilWaitsFor(1000);
    await clock.pass(1000);
    await shown(page).waitFor();
    await page.getByText('first.visit@example.com', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Unsubscribe from all' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await page.getByText('Powered by Sayso').waitFor();
  });

  it('keeps the loader for a second after the data has arrived (spec 43, 69)', async () => {
    const vera = await buildCustomer(product, world);
    const { page, clock } = await openStopped(world.page.url);
    const arrived = page.waitForResponse((response) => response.url().includes('/customer/v2/'));
    await enter(page, vera.email);
    await (await arrived).finished();
    await clock.untilWaitsFor(1000);
    await clock.pass(999);
    await page.getByText('Loading your preferences').waitFor();
    expect(await shown(page).count()).toBe(0);
    await clock.pass(1);
    await shown(page).waitFor();
    expect(await page.getByText('Loading your preferences').count()).toBe(0);
  });

  it('sends no Authorization, and x-site-domain with every call (spec 27, 53, 59, 60)', async () => {
    const calls: Request[] = [];
    const { page, clock } = await openStopped(world.page.url);
    page.on('request', (request) => {
      if (request.url().includes('/api/')) calls.push(request);
    });
    await enter(page, 'headers@example.com');
    await clock.untilWaitsFor(1000);
    await clock.pass(1000);
    await shown(page).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your preferences have been saved').waitFor();
    expect(calls.map((call) => call.method())).toEqual(['POST', 'GET', 'PUT']);
    for (const call of calls) {
      const headers = await call.allHeaders();
      expect(headers['authorization']).toBeUndefined();
      expect(headers['x-site-domain']).toBe(new URL(world.page.url).host);
    }
    expect(calls[2]?.postDataJSON()).toEqual([
      { notification_list_id: world.weekly.id, subscribed: false },
      { notification_list_id: world.offers.id, subscribed: false },
    ]);
  });

  it('by somebody unknown where nobody new is let in ends at /404 (spec 18, 64)', async () => {
    const body = { name: 'Closed', custom_path: 'closed', lists: [{ id: world.weekly.id }] };
    const { url } = await product.call(createPreferencePage, { params: world.params, body }, world.owner);
    const page = await open(url);
    await enter(page, 'nobody.new@example.com');
    await page.waitForURL('**/404');
    await page.getByText('Page not found').waitFor();
  });
});

describe('someone who comes back', () => {
  it('is recognized by what the browser stored, a challenge before an address (spec 30, 31, 76)', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const page = await open(world.page.url);
    await page.evaluate((email) => localStorage.setItem('email', email), ben.email);
    await page.goto(world.page.url);
    await page.getByText(ben.email, { exact: true }).waitFor();
    await page.evaluate((challenge) => localStorage.setItem('challenge', challenge), await challenge(vera));
    await page.goto(world.page.url);
    await page.getByText(vera.email, { exact: true }).waitFor();
    expect(Object.keys(await stored(page))).toEqual(['challenge']);
  });

  it('on a page that asks for proof, with neither address nor challenge known, ends at /404 (spec 46)', async () => {
    const lists = [{ id: world.weekly.id }];
    const body = { name: 'Proof', custom_path: 'proof', lists, attrs: { enhanced_security: true } };
    const { url } = await product.call(createPreferencePage, { params: world.params, body }, world.owner);
    const page = await open(url);
    await page.waitForURL('**/404');
    await page.getByText('Page not found').waitFor();
  });
});

describe('a state link', () => {
  it.each([
    ['unsubscribe', 'weekly', { weekly: false, left: false }],
    ['subscribe', 'offers', { offers: true, left: false }],
    ['unsubscribe', null, { left: true }],
    ['unsubscribe', 'unknown', { left: true }],
  ] as const)(
    'with %s of %s is saved automatically once it was seen (spec 8, 36, 37, 39)',
    async (state, list, expected) => {
      const vera = await buildCustomer(product, world);
      const ids = { weekly: world.weekly.id, offers: world.offers.id, unknown: vera.id };
      const listId = list === null ? '' : `&listId=${ids[list]}`;
      const { page, clock } = await openStopped(
        pageUrl(`challenge=${await challenge(vera)}&state=${state}${listId}`),
      );
      await clock.untilWaitsFor(1000);
      await clock.pass(999);
      expect(await choices(vera)).toEqual({ left: false, weekly: null, offers: null });
      await clock.pass(1);
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      expect(await choices(vera)).toMatchObject(expected);
      expect((await newestEvidence(product, world, vera))?.source).toBe('state_link');
      expect(page.url()).not.toContain('state=');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Your preferences are back to how they were.').waitFor();
      expect(await choices(vera)).toMatchObject({ left: false });
    },
  );
});

describe('saving', () => {
  it('a toggle flips one list, and is saved only by the button (spec 34)', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challenge(vera)}`));
    await page.getByRole('switch', { name: /Offers/ }).click();
    await page.getByText('Not saved yet').waitFor();
    expect(await choices(vera)).toMatchObject({ weekly: null, offers: null });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your preferences have been saved').waitFor();
    expect(await choices(vera)).toMatchObject({ weekly: true, offers: true, left: false });
  });

  it('unsubscribe from all switches every list off, and is saved only by the button (spec 35)', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challenge(vera)}`));
    await page.getByRole('button', { name: 'Unsubscribe from all' }).click();
    expect(await shown(page).isChecked()).toBe(false);
    expect((await choices(vera)).weekly).toBeNull();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your preferences have been saved').waitFor();
    expect(await choices(vera)).toMatchObject({ weekly: false, offers: false });
  });

  it('shows its message for three seconds (spec 14, 42, 68)', async () => {
    const vera = await buildCustomer(product, world);
    const { page, clock } = await openStopped(pageUrl(`challenge=${await challenge(vera)}`));
    const message = page.getByText('Your preferences have been saved').first();
    await shown(page).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await message.waitFor();
    await clock.untilWaitsFor(3000);
    await clock.pass(2999);
    expect(await message.isVisible()).toBe(true);
    await clock.pass(1);
    await message.waitFor({ state: 'hidden' });
  });
});

describe('a new address', () => {
  it('is rejected where it is empty, the same, invalid, or somebody else’s; the dialog stays (spec 16, 49, 50, 66)', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const page = await open(pageUrl(`challenge=${await challenge(vera)}`));
    await page.getByRole('button', { name: 'Change email' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`Your current email is ${vera.email}.`).waitFor();
    for (const [typed, error] of [
      ['', "This field can't be empty"],
      [vera.email.toUpperCase(), 'Please enter a new email'],
      ['nora@nowhere', 'Invalid email'],
      [ben.email, 'Another customer in the list already exists with the new email'],
    ] as const) {
      await dialog.getByRole('textbox').fill(typed);
      await dialog.getByRole('button', { name: 'Update' }).click();
      await dialog.getByText(error).waitFor();
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await emailOf(vera)).toBe(vera.email);
  });

  it('closes the dialog after a second, is shown, announced, and saved along (spec 17, 44, 70)', async () => {
    const vera = await buildCustomer(product, world);
    const { page, clock } = await openStopped(pageUrl(`challenge=${await challenge(vera)}`));
    const saved = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Change email' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(`new-${vera.email}`);
    await dialog.getByRole('button', { name: 'Update' }).click();
    await dialog.getByText('Email updated!').waitFor();
    await clock.untilWaitsFor(1000);
    await clock.pass(999);
    expect(await dialog.getByText('Email updated!').isVisible()).toBe(true);
    await clock.pass(1);
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(`new-${vera.email}`, { exact: true }).waitFor();
    await page.getByText('Email updated!').waitFor();
    await saved;
    await expect.poll(() => emailOf(vera)).toBe(`new-${vera.email}`);
  });
});
