import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Customer, getCustomerLists, mintLinks, setCustomerLists } from '#contract/customers.ts';
import { dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

/* Personal links that have aged or were ended, as people meet them. */

let product: TestProduct;
let world: World;
let browser: TestBrowser;
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
  browser.problems.length = 0;
  await product.testDatabase.owner.query('delete from rate_limits');
  vera = await buildCustomer(product, world);
  const body = [
    { notification_list_id: world.weekly.id, subscribed: true },
    { notification_list_id: world.offers.id, subscribed: false },
  ];
  await product.call(setCustomerLists, { params: ofVera(), body }, world.owner);
});

const ofVera = () => ({ ...world.params, id: vera.id });
const phone = (options: BrowserContextOptions = {}) =>
  browser.open({ viewport: { width: 360, height: 740 }, ...options });

function agedUrl(): string {
  const challenge = makeChallenge(product.services.keyring, {
    purpose: 'manage',
    siteId: world.params.site_id,
    customerId: vera.id,
    issuedOn: dayOf(product.clock.now()) - 200,
    generation: 0,
    listId: null,
  });
  return `${world.page.url}?challenge=${challenge}`;
}

const freshUrl = async () =>
  (await product.call(mintLinks, { params: ofVera(), body: {} }, world.owner)).preference_url;

async function listsOfVera() {
  const { results } = await product.call(getCustomerLists, { params: ofVera() }, world.owner);
  return results.map(({ subscribed }) => subscribed);
}

/** The link in the last of so many mails to her. */
async function mailedLink(count: number): Promise<string> {
  const mails = async () =>
    (
      await product.testDatabase.owner.query<{ plain: string }>(
        'select plain from outbox_emails where recipient = $1 order by created_at',
        [vera.email],
      )
    ).rows;
  await expect.poll(async () => (await mails()).length).toBe(count);
  return /https?:\S+/.exec((await mails()).at(-1)?.plain ?? '')?.[0] ?? '';
}

const weekly = (page: Page) => page.getByRole('switch', { name: /Weekly news/ });
const offers = (page: Page) => page.getByRole('switch', { name: /Offers/ });
const agedNote = (page: Page) =>
  page.getByText('This link has expired and can only unsubscribe you.').first();

async function expectNoAddress(page: Page): Promise<void> {
  expect(await page.content()).not.toContain(vera.email);
}

it.each([true, false])(
  'an aged link unsubscribes, switches nothing on, and emails a fresh one that does (JavaScript: %s)',
  async (hasScripts) => {
    const { step } = browser;
    const visitor = await phone({ javaScriptEnabled: hasScripts });
    await step('the page says what the link can still do, and shows no address', async () => {
      await visitor.goto(agedUrl());
      await agedNote(visitor).waitFor();
      await visitor.getByText('v•••@example.com').first().waitFor();
      await expectNoAddress(visitor);
      expect(await offers(visitor).isDisabled()).toBe(true);
      await visitor.getByText('To switch this on, get a new link.').waitFor();
      expect(await visitor.getByRole('button', { name: 'Change email' }).count()).toBe(0);
      expect(await visitor.getByText('Your data').count()).toBe(0);
      const width = await visitor.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(360);
    });
    await step('it switches a list off', async () => {
      await weekly(visitor).click();
      await visitor.getByRole('button', { name: 'Save' }).click();
      await visitor.getByText('Your preferences have been saved').first().waitFor();
      expect(await listsOfVera()).toEqual([false, false]);
      await expect.poll(() => weekly(visitor).isDisabled()).toBe(true);
      expect(await visitor.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    });
    await step('a fresh link is mailed to the address on file', async () => {
      await visitor.getByRole('button', { name: 'Email me a new link' }).click();
      await visitor.getByText('sent a new link to v•••@example.com').waitFor();
      await expectNoAddress(visitor);
      await visitor.goto(await mailedLink(1));
      await visitor.getByText(vera.email).first().waitFor();
    });
    await step('which switches lists on again', async () => {
      await offers(visitor).click();
      await visitor.getByRole('button', { name: 'Save' }).click();
      await visitor.getByText('Your preferences have been saved').first().waitFor();
      expect(await listsOfVera()).toEqual([false, true]);
    });
    expect(browser.problems).toEqual([]);
  },
);

it('an aged link leaves everything, and an aged link to subscribe subscribes to nothing', async () => {
  const { step } = browser;
  const visitor = await phone();
  await step('a link to subscribe only says that it has expired', async () => {
    await visitor.goto(`${agedUrl()}&state=subscribe&listId=${world.offers.id}`);
    await agedNote(visitor).waitFor();
    // As long as a link that acts needs.
    await visitor.waitForFunction(() => performance.now() > 2500);
    expect(await listsOfVera()).toEqual([true, false]);
  });
  await step('everything is left', async () => {
    await visitor.getByRole('button', { name: 'Unsubscribe from all' }).click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').first().waitFor();
    expect(await listsOfVera()).toEqual([false, false]);
  });
  expect(browser.problems).toEqual([]);
});

it('a customer ends all links: the open page and the one that the browser stored can only unsubscribe', async () => {
  const { step } = browser;
  const visitor = await phone();
  await step('the links end', async () => {
    await visitor.goto(await freshUrl());
    await visitor.getByText('Your data', { exact: true }).click();
    await visitor.getByRole('button', { name: 'End all my links' }).click();
    await visitor.getByText('All your links have ended, including this one.').waitFor();
    await agedNote(visitor).waitFor();
    expect(await visitor.locator('.pp').innerText()).not.toContain(vera.email);
  });
  await step('the stored link opens the page like an aged one', async () => {
    await visitor.goto(world.page.url);
    await agedNote(visitor).waitFor();
    await expectNoAddress(visitor);
  });
  await step('a fresh link is mailed on request', async () => {
    await visitor.getByRole('button', { name: 'Email me a new link' }).click();
    await visitor.goto(await mailedLink(1));
    await visitor.getByText(vera.email).first().waitFor();
    expect(await agedNote(visitor).count()).toBe(0);
  });
  expect(browser.problems).toEqual([]);
});

it('an owner ends all links: an open page saves what it switched off, and explains why nothing else', async () => {
  const { step } = browser;
  const visitor = await phone();
  const owner = await browser.open();
  await step('the customer has the page open', async () => {
    await visitor.goto(await freshUrl());
    await offers(visitor).click();
  });
  await step('the owner ends the links by typing the address', async () => {
    await signIn(owner, { owner: world.owner, params: world.params });
    await owner.goto(`${product.url}/customers/${vera.id}`);
    await owner.getByRole('button', { name: 'End all links' }).click();
    const dialog = owner.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill(vera.email);
    await dialog.getByRole('button', { name: 'End all links' }).click();
    await owner.getByText(`All personal links for ${vera.email} have ended`).waitFor();
    await owner.getByText(/^Links created before .+ have ended\.$/).waitFor();
  });
  await step('what would be switched on is not saved', async () => {
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Not saved: this link has expired').waitFor();
    await agedNote(visitor).waitFor();
    expect(await visitor.locator('.pp').innerText()).not.toContain(vera.email);
    expect(await listsOfVera()).toEqual([true, false]);
  });
  await step('what is switched off is', async () => {
    await offers(visitor).click();
    await weekly(visitor).click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').first().waitFor();
    expect(await listsOfVera()).toEqual([false, false]);
  });
});

it('an owner sets how long personal links last', async () => {
  const owner = await browser.open();
  await signIn(owner, { owner: world.owner, params: world.params });
  await owner.goto(`${product.url}/site-settings`);
  const days = owner.getByRole('textbox', { name: 'Valid for (days)' });
  await days.fill('29');
  const card = owner.locator('section').filter({ has: days });
  const save = card.getByRole('button', { name: 'Save' });
  await save.click();
  await owner.getByText('Enter a whole number from 30 to 730.').waitFor();
  await days.fill('365');
  await save.click();
  await owner.getByText('Personal links now last 365 days').waitFor();
  await owner.reload();
  await expect.poll(() => days.inputValue()).toBe('365');
});
