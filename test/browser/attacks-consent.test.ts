import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Customer, mintLinks } from '#contract/customers.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { type ChoiceChange, saveChoice } from '#server/choices/choices/choices.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { bothLists, choicesOf, newestEvidence } from '#test/harness/choices.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';

/* Consent that is lowered, in a browser, as the person sees it. */

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
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

const linksOf = (body: { list_id?: string } = {}) =>
  product.call(mintLinks, { params: { ...world.params, id: vera.id }, body }, world.owner);
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
const NOT_SAVED = 'Not saved yet. Save to stop all emails from Acme.';

async function mailedLink(): Promise<string> {
  const mails = async () => {
    const { rows } = await product.testDatabase.owner.query<{ plain: string }>(
      'select plain from outbox_emails where recipient = $1',
      [vera.email],
    );
    return rows.map(({ plain }) => plain);
  };
  await expect.poll(async () => (await mails()).length).toBe(1);
  return /https?:\S+/.exec((await mails())[0] ?? '')?.[0] ?? '';
}

it.each([true, false])(
  'an old email unsubscribes from what was rejoined, and its email restores it (JavaScript: %s)',
  async (hasScripts) => {
    const { one_click_url } = await linksOf({ list_id: world.weekly.id });
    await choose(both(false, true));
    await choose(both(true, true));
    const { pathname, host } = new URL(one_click_url);
    const oneClick = await product.http.inject({
      method: 'POST',
      url: pathname,
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });
    expect(oneClick.statusCode).toBe(200);
    expect(await stateNow()).toEqual({ left: false, weekly: false, offers: true });
    const page = await open(await mailedLink(), { javaScriptEnabled: hasScripts });
    await page.getByRole('heading', { level: 1, name: 'Subscribe to Weekly news again?' }).waitFor();
    expect(await stateNow()).toMatchObject({ weekly: false });
    await press(page, 'Subscribe again');
    await page.getByRole('heading', { level: 1, name: 'You’re subscribed to Weekly news again.' }).waitFor();
    expect(await stateNow()).toEqual({ left: false, weekly: true, offers: true });
  },
);

it('a state link of an old email leaves everything without asking again', async () => {
  const { preference_url } = await linksOf();
  await choose({ globalUnsubscribe: true });
  await choose({ globalUnsubscribe: false });
  const page = await open(`${preference_url}&state=unsubscribe`);
  await page.getByText('You’re unsubscribed from all').waitFor();
  expect(await stateNow()).toMatchObject({ left: true });
});

it('Unsubscribe from all is dropped when a list is switched on before Save', async () => {
  await choose(both(true, true));
  const page = await open((await linksOf()).preference_url);
  await press(page, 'Unsubscribe from all');
  await offers(page).click();
  await page.getByText(NOT_SAVED).waitFor({ state: 'detached' });
  await offers(page).click();
  await page.getByText('Everything is off. Save to confirm.').waitFor();
  await press(page, 'Save');
  await saved(page);
  expect(await stateNow()).toEqual({ left: false, weekly: false, offers: false });
  expect((await newestEvidence(product, world, vera))?.events).toEqual(['unsubscribed']);
});

it('Unsubscribe from all can be saved where every list is off already, and undone', async () => {
  await choose(both(false, false));
  const page = await open((await linksOf()).preference_url);
  await press(page, 'Unsubscribe from all');
  await press(page, 'Save');
  await saved(page);
  expect(await stateNow()).toMatchObject({ left: true });
  await press(page, 'Undo');
  await page.getByText('Your preferences are back to how they were.').waitFor();
  expect(await stateNow()).toEqual({ left: false, weekly: false, offers: false });
});

it('Unsubscribe from all survives a change of language before Save', async () => {
  const polyglot = await product.call(
    createPreferencePage,
    {
      params: world.params,
      body: {
        name: 'Acme',
        custom_path: 'polyglot',
        active_languages: ['de'],
        override: { reason: 'Only the words of the page are looked at.' },
        lists: [{ id: world.weekly.id }, { id: world.offers.id }],
      },
    },
    world.owner,
  );
  await choose(both(true, true));
  const { challenge } = await linksOf();
  const page = await open(`${polyglot.url}?challenge=${challenge}`);
  await press(page, 'Unsubscribe from all');
  await page.locator('.pp-languages summary').click();
  await press(page, 'Deutsch');
  await page
    .getByText('Noch nicht gespeichert. Speichern Sie, um keine E-Mails mehr von Acme zu erhalten.')
    .waitFor();
  await press(page, 'Speichern');
  await page.getByText('Ihre Einstellungen wurden gespeichert').first().waitFor();
  expect(await stateNow()).toMatchObject({ left: true });
});
