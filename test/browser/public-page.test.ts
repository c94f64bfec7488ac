import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, deleteCustomer, getCustomer } from '#contract/customers.ts';
import { createPreferencePage, type PageAttrs, type PreferencePage } from '#contract/preference-pages.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { challengeOf, choicesOf } from '#test/harness/choices.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { timesOf } from '#test/harness/shown-times.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

/* The public page beside the core of the specification, which `test/journeys/page-spec.test.ts` has. */

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
const challenge = (customer: Customer) => challengeOf(product, world, customer);
const choices = (customer: Customer) => choicesOf(product, world, customer);

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

describe('someone who comes back', () => {
  it('by somebody else’s link changes nothing about who was stored (spec 32)', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const known = async () => [
      await choices(ben),
      (await product.call(getCustomer, { params: paramsOf(ben) }, world.owner)).email,
    ];
    const before = await known();
    const page = await open(pageUrl(`email=${ben.email}`));
    await page.getByText(ben.email, { exact: true }).waitFor();
    await page.goto(pageUrl(`challenge=${await challenge(vera)}&state=unsubscribe`));
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect((await choices(vera)).left).toBe(true);
    expect(await known()).toEqual(before);
  });

  it('with an address that fails the stricter pattern sees the form, and nothing of it is stored (spec 33)', async () => {
    const page = await open(pageUrl('email=not@-strict.example'));
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    expect(await stored(page)).toEqual({});
  });

  it('on a page that asks for proof is recognized by a stored challenge', async () => {
    const { url } = await buildPage('proof', { enhanced_security: true });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?challenge=${await challenge(vera)}`);
    await shown(page).waitFor();
    await page.goto(url);
    await page.getByText(vera.email, { exact: true }).waitFor();
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
  it('with subscribe and no list brings someone back who had left everything (spec 38)', async () => {
    const vera = await buildCustomer(product, world);
    const link = pageUrl(`challenge=${await challenge(vera)}`);
    const page = await open(`${link}&state=unsubscribe`);
    await page.getByText('You’re unsubscribed from all').waitFor();
    await page.goto(`${link}&state=subscribe`);
    await page.getByText('You can receive emails again.').waitFor();
    expect((await choices(vera)).left).toBe(false);
  });

  it('waits for a click where the page says so (spec 40)', async () => {
    const { url } = await buildPage('careful', { confirm_links: true });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?challenge=${await challenge(vera)}&state=unsubscribe`);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('You’re unsubscribed from all').waitFor();
    expect((await choices(vera)).left).toBe(true);
  });
});

describe('saving', () => {
  it('is a primary button until the script knows that there is nothing to save', async () => {
    const vera = await buildCustomer(product, world);
    const page = await browser.open();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/assets/client-*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(pageUrl(`challenge=${await challenge(vera)}`), { waitUntil: 'commit' });
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

  it('says when the email tools have received it, to someone with a personal link', async () => {
    await buildWebhook(product, world, { url: receiver.url });
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const page = await open(pageUrl(`challenge=${await challenge(vera)}`));
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

  it('for a customer who was erased meanwhile says so, and reloads the page', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challenge(vera)}`));
    await shown(page).click();
    await product.call(deleteCustomer, { params: paramsOf(vera) }, world.owner);
    await page.getByRole('button', { name: 'Save' }).click();
    const reload = page.getByRole('button', { name: 'Reload' });
    await page.getByRole('alert').getByText('this page was open too long. Reload it').waitFor();
    await reload.click();
    await reload.waitFor({ state: 'detached' });
    expect(await page.getByText(vera.email).count()).toBe(0);
  });

  it('shows the owner’s own message no longer, however long it is (spec 42, 68)', async () => {
    const saved_preferences_msg = 'Thank you. '.repeat(18).trim();
    const { url } = await buildPage('wordy', { saved_preferences_msg });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?challenge=${await challenge(vera)}`);
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
    await page.goto(pageUrl(`challenge=${await challenge(vera)}`));
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

  it('leaves the one above to someone who comes back', async () => {
    const vera = await buildCustomer(product, world);
    const page = await open(pageUrl(`challenge=${await challenge(vera)}`));
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

describe('the owner decides', () => {
  it('the texts above the page and after a save (spec 9, 15, 22, 56, 75)', async () => {
    const { url } = await buildPage('words', {
      template_id: 'stacked_marketer_template',
      tag_subject: 'What shall we send?',
      tag_pre_name: 'by',
      saved_preferences_msg: 'Noted.',
      remove_badge: true,
    });
    const vera = await buildCustomer(product, world);
    const page = await open(`${url}?challenge=${await challenge(vera)}`);
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

  it('the colors, whatever theme the system has (spec 21)', async () => {
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
