import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  mintLinks,
} from '#contract/customers.ts';
import { createPreferencePage, type PageAttrs, type PreferencePage } from '#contract/preference-pages.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { timesOf } from '#test/harness/shown-times.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

/* The public page as the specification has it, in a browser, on a running product. */

let product: TestProduct;
let receiver: WebhookReceiver;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  receiver = await startWebhookReceiver();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await receiver.close();
  await product.stop();
});

const paramsOf = ({ id }: Customer) => ({ ...world.params, id });

async function challengeOf(customer: Customer): Promise<string> {
  return (await product.call(mintLinks, { params: paramsOf(customer), body: {} }, world.owner)).challenge;
}

async function stateOf(customer: Customer) {
  const { global_unsubscribe, email } = await product.call(
    getCustomer,
    { params: paramsOf(customer) },
    world.owner,
  );
  const { results } = await product.call(getCustomerLists, { params: paramsOf(customer) }, world.owner);
  const of = (id: string) => results.find((list) => list.notification_list_id === id)?.subscribed;
  return { email, left: global_unsubscribe, weekly: of(world.weekly.id), offers: of(world.offers.id) };
}

async function buildPage(custom_path: string, attrs: Partial<PageAttrs>): Promise<PreferencePage> {
  const body = {
    name: 'Second page',
    custom_path,
    allow_customer_create: true,
    lists: [{ id: world.offers.id }, { id: world.weekly.id }],
    attrs,
  };
  return product.call(createPreferencePage, { params: world.params, body }, world.owner);
}

const open = async (url: string): Promise<Page> => {
  const page = await browser.open();
  await page.goto(url);
  return page;
};

const stored = (page: Page) => page.evaluate(() => ({ ...localStorage }));
const pageUrl = (query: string) => `${world.page.url}?${query}`;
const shown = (page: Page) => page.getByRole('switch', { name: /Weekly news/ });

describe('the first visit', () => {
  it('shows title, subtitle with the name of the page, address and button, then the preferences (spec 4, 10, 11, 15, 28)', async () => {
    const page = await open(world.page.url);
    expect(await page.title()).toBe('Preferences');
    await page.getByRole('heading', { name: 'Update your preferences' }).waitFor();
    await page.getByText('for Acme', { exact: true }).waitFor();
    await page.getByLabel('Email', { exact: true }).fill('first.visit@example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
    await shown(page).waitFor();
    await page.getByText('first.visit@example.com', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Unsubscribe from all' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await page.getByText('Powered by Sayso').waitFor();
  });

  it('keeps the loader for about a second after the data has come (spec 43, 69)', async () => {
    const vera = await buildCustomer(product, world);
    const page = await browser.open();
    await page.goto(world.page.url);
    await page.getByLabel('Email', { exact: true }).fill(vera.email);
    const loader = await timesOf(page, 'body', 'Loading your preferences');
    const preferences = await timesOf(page, 'body', 'Weekly news');
    await page.getByRole('button', { name: 'Continue' }).click();
    const { shownAt } = await preferences('shownAt');
    const arrivedAt = await page.evaluate(() =>
      Math.max(
        ...performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.includes('/customer/v2/'))
          .map((one) => (one as PerformanceResourceTiming).responseEnd),
      ),
    );
    expect((await loader('shownAt')).shownAt).toBeLessThan(shownAt);
    expect(shownAt - arrivedAt).toBeGreaterThan(900);
  });

  it('sends no Authorization, and x-site-domain with every call (spec 27, 53, 59, 60)', async () => {
    const calls: Request[] = [];
    const page = await browser.open();
    page.on('request', (request) => {
      if (request.url().includes('/api/')) calls.push(request);
    });
    await page.goto(world.page.url);
    await page.getByLabel('Email', { exact: true }).fill('headers@example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
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

  it('that finds nobody where nobody new is let in ends at /404 (spec 18, 64)', async () => {
    const body = { name: 'Closed', custom_path: 'closed', lists: [{ id: world.weekly.id }] };
    const { url } = await product.call(createPreferencePage, { params: world.params, body }, world.owner);
    const page = await open(url);
    await page.getByLabel('Email', { exact: true }).fill('nobody.new@example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/404');
    await page.getByText('Page not found').waitFor();
  });
});

describe('someone who comes back', () => {
  it('is known by what the browser stored, a challenge before an address (spec 30, 31, 76)', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const page = await open(world.page.url);
    await page.evaluate((email) => localStorage.setItem('email', email), ben.email);
    await page.goto(world.page.url);
    await page.getByText(ben.email, { exact: true }).waitFor();
    await page.evaluate((challenge) => localStorage.setItem('challenge', challenge), await challengeOf(vera));
    await page.goto(world.page.url);
    await page.getByText(vera.email, { exact: true }).waitFor();
    expect(Object.keys(await stored(page))).toEqual(['challenge']);
  });

  it('by a link of somebody else changes nothing of who was stored (spec 32)', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const before = await stateOf(ben);
    const page = await open(pageUrl(`email=${ben.email}`));
    await page.getByText(ben.email, { exact: true }).waitFor();
    await page.goto(pageUrl(`challenge=${await challengeOf(vera)}&state=unsubscribe`));
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect((await stateOf(vera)).left).toBe(true);
    expect(await stateOf(ben)).toEqual(before);
  });

  it('with an address that fails the stricter pattern sees the form, and nothing is kept of it (spec 33)', async () => {
    const page = await open(pageUrl('email=not@-strict.example'));
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    expect(await stored(page)).toEqual({});
  });

  it('on a page that asks for proof is known by a stored challenge', async () => {
    const { url } = await buildPage('proof', { enhanced_security: true });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?challenge=${await challengeOf(vera)}`);
    await shown(page).waitFor();
    await page.goto(url);
    await page.getByText(vera.email, { exact: true }).waitFor();
  });

  it('on a page that asks for proof, with neither address nor challenge known, ends at /404 (spec 46)', async () => {
    const { url } = await buildPage('proof-of-nobody', { enhanced_security: true });
    const page = await open(url);
    await page.waitForURL('**/404');
    await page.getByText('Page not found').waitFor();
  });

  it('on a page that asks for proof is never shown by just an address (spec 47)', async () => {
    const { url } = await buildPage('proof-of-address', { enhanced_security: true });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?email=${vera.email}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.content()).not.toContain('type="checkbox"');
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
      const page = await open(pageUrl(`challenge=${await challengeOf(vera)}&state=${state}${listId}`));
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      expect(await stateOf(vera)).toMatchObject(expected);
      const { results } = await product.call(listCustomerEvidence, { params: paramsOf(vera) }, world.owner);
      expect(results[0]?.source).toBe('state_link');
      expect(page.url()).not.toContain('state=');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Your preferences are back to how they were.').waitFor();
      expect(await stateOf(vera)).toMatchObject({ left: false });
    },
  );

  it('with subscribe and no list brings back who had left everything (spec 38)', async () => {
    const vera = await buildCustomer(product, world);
    const challenge = await challengeOf(vera);
    const page = await open(pageUrl(`challenge=${challenge}&state=unsubscribe`));
    await page.getByText('You’re unsubscribed from all').waitFor();
    await page.goto(pageUrl(`challenge=${challenge}&state=subscribe`));
    await page.getByText('You can receive emails again.').waitFor();
    expect((await stateOf(vera)).left).toBe(false);
  });

  it('waits for a press where the page says so (spec 40)', async () => {
    const { url } = await buildPage('careful', { confirm_links: true });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?challenge=${await challengeOf(vera)}&state=unsubscribe`);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('You’re unsubscribed from all').waitFor();
    expect((await stateOf(vera)).left).toBe(true);
  });
});

describe('saving', () => {
  it('a toggle flips one list, and is saved only by the button (spec 34)', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challengeOf(vera)}`));
    await page.getByRole('switch', { name: /Offers/ }).click();
    await page.getByText('Not saved yet').waitFor();
    expect(await stateOf(vera)).toMatchObject({ weekly: null, offers: null });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your preferences have been saved').waitFor();
    expect(await stateOf(vera)).toMatchObject({ weekly: true, offers: true, left: false });
  });

  it('unsubscribe from all switches every list off, and is saved only by the button (spec 35)', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challengeOf(vera)}`));
    await page.getByRole('button', { name: 'Unsubscribe from all' }).click();
    expect(await shown(page).isChecked()).toBe(false);
    expect((await stateOf(vera)).weekly).toBeNull();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your preferences have been saved').waitFor();
    expect(await stateOf(vera)).toMatchObject({ weekly: false, offers: false });
  });

  it('is a primary button until the script knows that there is nothing to save', async () => {
    const vera = await buildCustomer(product, world);
    const page = await browser.open();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/assets/client-*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(pageUrl(`challenge=${await challengeOf(vera)}`), { waitUntil: 'commit' });
    const save = page.getByRole('button', { name: 'Save' });
    const colour = () => save.evaluate((button) => getComputedStyle(button).backgroundColor);
    await save.waitFor();
    const before = await colour();
    release();
    await page.locator('.pp-bar[data-idle]').waitFor();
    expect(await colour()).not.toBe(before);
    await shown(page).click();
    await expect.poll(colour).toBe(before);
  });

  it('says when the email systems have received it, to who came by a personal link', async () => {
    await buildWebhook(product, world, { url: receiver.url });
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const page = await open(pageUrl(`challenge=${await challengeOf(vera)}`));
    await shown(page).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your preferences have been saved').waitFor();
    await page.getByText('Your choices will apply to all our emails.', { exact: true }).waitFor();
    await page.getByText('You won’t receive any of these emails.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const other = await open(pageUrl(`email=${ben.email}`));
    const asked: string[] = [];
    other.on('request', (request) => void asked.push(request.url()));
    await shown(other).click();
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('You won’t receive any of these emails.').waitFor();
    expect(asked.filter((url) => url.endsWith('/progress'))).toEqual([]);
  });

  it('for a customer who was erased meanwhile says so, and loads the page again', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challengeOf(vera)}`));
    await shown(page).click();
    await product.call(deleteCustomer, { params: paramsOf(vera) }, world.owner);
    await page.getByRole('button', { name: 'Save' }).click();
    const reload = page.getByRole('button', { name: 'Reload' });
    await page.getByRole('alert').getByText('this page was open too long. Reload it').waitFor();
    await reload.click();
    await reload.waitFor({ state: 'detached' });
    expect(await page.getByText(vera.email).count()).toBe(0);
  });

  it('shows its message for three seconds (spec 14, 42, 68)', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challengeOf(vera)}`));
    await shown(page).click();
    const message = await timesOf(page, 'body', 'Your preferences have been saved');
    await page.getByRole('button', { name: 'Save' }).click();
    const { shownAt, goneAt } = await message('goneAt');
    expect(goneAt - shownAt).toBeGreaterThan(2700);
  });

  it('shows the owner’s own message no longer, however long it is (spec 42, 68)', async () => {
    const saved_preferences_msg = 'Thank you. '.repeat(18).trim();
    const { url } = await buildPage('wordy', { saved_preferences_msg });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?challenge=${await challengeOf(vera)}`);
    await shown(page).click();
    const message = await timesOf(page, 'body', saved_preferences_msg);
    await page.getByRole('button', { name: 'Save' }).click();
    const { shownAt, goneAt } = await message('goneAt');
    expect(goneAt - shownAt).toBeGreaterThan(2700);
  });
});

describe('after the message, beside Save on a phone, one sentence', () => {
  const weekly = (page: Page) => shown(page);
  const offers = (page: Page) => page.getByRole('switch', { name: /Offers/ });
  const leaveAll = (page: Page) => page.getByRole('button', { name: 'Unsubscribe from all' });

  it.each<[string, string, (page: Page) => Promise<void>]>([
    ['after some were chosen', 'You’ll receive: Weekly news and Offers.', (page) => offers(page).click()],
    ['with nothing changed', 'You’ll receive: Weekly news.', async () => {}],
    [
      'after all were switched off one by one',
      'You won’t receive any of these emails.',
      (page) => weekly(page).click(),
    ],
    [
      'after unsubscribing from all',
      'You won’t receive anything from Acme any more.',
      (page) => leaveAll(page).click(),
    ],
  ])('says what is true, %s, until the next change (spec 42)', async (_case, text, choose) => {
    const vera = await buildCustomer(product, world);
    const page = await browser.open({ viewport: { width: 390, height: 800 } });
    await page.goto(pageUrl(`challenge=${await challengeOf(vera)}`));
    await page.locator('.pp-bar[data-idle]').waitFor();
    await choose(page);
    const message = await timesOf(page, 'body', 'Your preferences have been saved');
    const sentence = await timesOf(page, '[role=status]', text);
    await page.getByRole('button', { name: 'Save' }).click();
    await message('goneAt');
    const { shownAt } = await sentence('shownAt');
    expect(await page.getByText(text).count()).toBe(1);
    const place = await page.locator('.pp-bar').getByText(text).boundingBox();
    expect(place?.y).toBeGreaterThan(0);
    expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThanOrEqual(800);
    await offers(page).click();
    expect((await sentence('goneAt')).goneAt).toBeGreaterThan(shownAt);
  });

  it('leaves the one above to who comes back', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challengeOf(vera)}`));
    const left = page.getByText('You won’t receive anything from Acme any more.');
    await leaveAll(page).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await left.waitFor();
    await page.reload();
    await page.getByText('To get something again, switch it on and save.').waitFor();
    await page.locator('.pp-bar[data-idle]').waitFor();
    expect(await left.count()).toBe(1);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.pp-bar').locator(left).waitFor();
    expect(await left.count()).toBe(1);
  });
});

describe('a new address', () => {
  it('is refused where it is empty, the same, none, or somebody else’s; the dialog stays (spec 16, 49, 50, 66)', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const page = await open(pageUrl(`challenge=${await challengeOf(vera)}`));
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
    expect((await stateOf(vera)).email).toBe(vera.email);
  });

  it('closes the dialog after a second, is shown, announced, and saved along (spec 17, 44, 70)', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challengeOf(vera)}`));
    const saved = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Change email' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(`new-${vera.email}`);
    const message = await timesOf(page, 'dialog', 'Email updated!');
    await dialog.getByRole('button', { name: 'Update' }).click();
    const { shownAt, goneAt } = await message('goneAt');
    expect(goneAt - shownAt).toBeGreaterThan(700);
    await page.getByText(`new-${vera.email}`, { exact: true }).waitFor();
    await page.getByText('Email updated!').waitFor();
    await saved;
    await expect.poll(async () => (await stateOf(vera)).email).toBe(`new-${vera.email}`);
  });
});

describe('what the owner decides', () => {
  it('the words above the page and after a save (spec 9, 15, 22, 56, 75)', async () => {
    const { url } = await buildPage('words', {
      template_id: 'stacked_marketer_template',
      tag_subject: 'What shall we send?',
      tag_pre_name: 'by',
      saved_preferences_msg: 'Noted.',
      remove_badge: true,
    });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?challenge=${await challengeOf(vera)}`);
    await page.getByRole('heading', { name: 'What shall we send?' }).waitFor();
    await page.getByText('by Second page').waitFor();
    expect(await page.locator('.pp-stacked').count()).toBe(1);
    expect(await page.getByText('Powered by').count()).toBe(0);
    const names = await page.locator('.pp-list-name').allTextContents();
    expect(names).toEqual(['Offers', 'Weekly news']);
    await shown(page).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Noted.').waitFor();
  });

  it('the colours, whatever theme the system has (spec 21)', async () => {
    const { url } = await buildPage('colours', {
      primary_color: '#7A1FA2',
      text_color: '#222222',
      background_color: '#FFF8E1',
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.open({ colorScheme });
      await page.goto(url);
      const painted = await page.evaluate(() => ({
        ground: getComputedStyle(document.body).backgroundColor,
        text: getComputedStyle(document.querySelector('h1') ?? document.body).color,
        button: getComputedStyle(document.querySelector('.pp-primary') ?? document.body).backgroundColor,
      }));
      expect(painted).toEqual({
        ground: 'rgb(255, 248, 225)',
        text: 'rgb(34, 34, 34)',
        button: 'rgb(122, 31, 162)',
      });
    }
  });
});
