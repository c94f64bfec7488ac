import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Customer, mintLinks } from '#contract/customers.ts';
import { createPreferencePage, replacePreferencePage } from '#contract/preference-pages.ts';
import { type ChoiceChange, saveChoice } from '#server/choices/choices/choices.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { bothLists, choicesOf, newestEvidence } from '#test/harness/choices.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';

/* A page that stayed open while something changed, and Unsubscribe from all, as the person sees both. */

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

beforeEach(async () => {
  vera = await buildCustomer(product, world);
});

const linksOf = () =>
  product.call(mintLinks, { params: { ...world.params, id: vera.id }, body: {} }, world.owner);
const stateNow = () => choicesOf(product, world, vera);
const choose = (change: ChoiceChange) =>
  saveChoice(product.services, world.site.id, vera.id, change, ON_THE_PAGE);
const both = (isOnWeekly: boolean, isOnOffers: boolean) => bothLists(world, isOnWeekly, isOnOffers);

async function open(url: string, options = {}): Promise<Page> {
  const page = await browser.open({ viewport: { width: 390, height: 800 }, ...options });
  await page.goto(url);
  return page;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const saved = (page: Page) => page.getByText('Your preferences have been saved').first().waitFor();
const offers = (page: Page) => page.getByRole('switch', { name: /Offers/ });
const weekly = (page: Page) => page.getByRole('switch', { name: /Weekly news/ });
const NOT_SAVED = 'Not saved yet. Save to stop all emails from Acme.';
const IS_UNSUBSCRIBED = 'You won’t receive anything from Acme any more. To get something again';
const NOTHING_MORE = 'You won’t receive anything from Acme any more.';

it('Unsubscribe from all is pressed and saved: the page, the evidence and the owner’s screen say everything', async () => {
  await choose(both(true, true));
  const page = await open((await linksOf()).preference_url);
  await press(page, 'Unsubscribe from all');
  await page.getByText(NOT_SAVED).waitFor();
  expect(await stateNow()).toEqual({ left: false, weekly: true, offers: true });
  const puts: Request[] = [];
  page.on('request', (request) => request.method() === 'PUT' && puts.push(request));
  await press(page, 'Save');
  await saved(page);
  await page.getByText(NOTHING_MORE, { exact: true }).waitFor();
  expect(puts).toHaveLength(1);
  expect(puts[0]?.postDataJSON()).toEqual([
    { notification_list_id: world.weekly.id, subscribed: false },
    { notification_list_id: world.offers.id, subscribed: false },
  ]);
  expect(await stateNow()).toEqual({ left: true, weekly: false, offers: false });
  expect((await newestEvidence(product, world, vera))?.events).toEqual([
    'unsubscribed',
    'global_unsubscribed',
  ]);

  await browser.step('the owner reads it as that', async () => {
    const owner = await openOwnerWindow(browser, product, world);
    await owner.goto(`${product.url}/customers/${vera.id}`);
    // The badge and the timeline.
    await expect.poll(() => owner.getByText('Unsubscribed from all', { exact: true }).count()).toBe(2);
  });
  await browser.step('a list that is switched on later comes back on its own', async () => {
    await page.reload();
    await page.getByText(IS_UNSUBSCRIBED).waitFor();
    await offers(page).click();
    await press(page, 'Save');
    await saved(page);
    expect(await stateNow()).toEqual({ left: false, weekly: false, offers: true });
  });
});

it('Unsubscribe from all works without JavaScript, and a single list can be rejoined', async () => {
  await choose(both(true, true));
  const page = await open((await linksOf()).preference_url, { javaScriptEnabled: false });
  await press(page, 'Unsubscribe from all');
  await saved(page);
  await page.getByText(IS_UNSUBSCRIBED).waitFor();
  expect(await stateNow()).toEqual({ left: true, weekly: false, offers: false });
  await weekly(page).check();
  await press(page, 'Save');
  await page.getByText(IS_UNSUBSCRIBED).waitFor({ state: 'detached' });
  await saved(page);
  expect(await page.getByText(IS_UNSUBSCRIBED).count()).toBe(0);
  expect(await stateNow()).toEqual({ left: false, weekly: true, offers: false });
});

it.each([true, false])(
  'a page that was open while everything was left saves only the switch that was moved (JavaScript: %s)',
  async (hasScripts) => {
    await choose(both(true, true));
    const page = await open((await linksOf()).preference_url, { javaScriptEnabled: hasScripts });
    await weekly(page).waitFor();
    await choose({ globalUnsubscribe: true });
    await weekly(page).click();
    await press(page, 'Save');
    await saved(page);
    expect(await stateNow()).toMatchObject({ left: true });
    await expect.poll(() => offers(page).isChecked()).toBe(false);
    // The page knows the truth now: what is switched on here counts.
    await offers(page).click();
    await press(page, 'Save');
    await page.getByText('You’ll receive: Offers.').waitFor();
    expect(await stateNow()).toEqual({ left: false, weekly: false, offers: true });
  },
);

it('a page that comes back into view shows what is true, and keeps the switch that was moved', async () => {
  await choose(both(true, true));
  const page = await open((await linksOf()).preference_url);
  const isRead = () => page.waitForResponse((response) => response.url().includes('/v2/customers/'));
  await weekly(page).click();
  await page.getByText('Not saved yet').waitFor();
  await choose({ lists: [{ list_id: world.offers.id, subscribed: false }] });
  await Promise.all([isRead(), page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))]);
  await expect.poll(() => offers(page).isChecked()).toBe(false);
  expect(await weekly(page).isChecked()).toBe(false);
  await page.locator('.pp-bar[data-active]').waitFor();
  await choose(both(true, true));
  await Promise.all([
    isRead(),
    page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))),
  ]);
  await expect.poll(() => offers(page).isChecked()).toBe(true);
  await press(page, 'Save');
  await saved(page);
  expect(await stateNow()).toEqual({ left: false, weekly: false, offers: true });
});

it('an open page neither shows nor names a list that was taken off it, once it knows', async () => {
  await choose(both(true, true));
  const lists = [{ id: world.weekly.id }, { id: world.offers.id }];
  const body = { name: 'Acme', custom_path: 'shrinking', lists };
  const { id, url } = await product.call(createPreferencePage, { params: world.params, body }, world.owner);
  const { challenge } = await linksOf();
  const offerThem = (isOn: boolean) =>
    product.call(
      replacePreferencePage,
      { params: { ...world.params, id }, body: { ...body, lists: isOn ? lists : lists.slice(0, 1) } },
      world.owner,
    );
  const page = await open(`${url}?challenge=${challenge}`);
  await offers(page).waitFor();
  await offerThem(false);
  await weekly(page).click();
  await press(page, 'Save');
  await page.getByText('You won’t receive any of these emails.').waitFor();
  expect(await offers(page).count()).toBe(0);
  expect(await stateNow()).toEqual({ left: false, weekly: false, offers: true });

  await offerThem(true);
  await page.reload();
  await offers(page).waitFor();
  await offerThem(false);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect.poll(() => offers(page).count()).toBe(0);
  expect(await weekly(page).isChecked()).toBe(false);
});

it.each([true, false])(
  'an open page leaves everything although a list was taken off it, and says so (JavaScript: %s)',
  async (hasScripts) => {
    await choose(both(true, true));
    const custom_path = `short-lived-${hasScripts}`;
    const body = { name: 'Acme', custom_path, lists: [{ id: world.weekly.id }, { id: world.offers.id }] };
    const { id, url } = await product.call(createPreferencePage, { params: world.params, body }, world.owner);
    const { challenge } = await linksOf();
    const page = await open(`${url}?challenge=${challenge}`, { javaScriptEnabled: hasScripts });
    await offers(page).waitFor();
    await product.call(
      replacePreferencePage,
      { params: { ...world.params, id }, body: { ...body, lists: [{ id: world.weekly.id }] } },
      world.owner,
    );
    await press(page, 'Unsubscribe from all');
    if (hasScripts) await press(page, 'Save');
    await page.getByText('Some of what this page showed is no longer offered, so we left it out.').waitFor();
    expect(await stateNow()).toMatchObject({ left: true });
    await expect.poll(() => offers(page).count()).toBe(0);
  },
);
