import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  mintLinks,
} from '#contract/customers.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

/* Who the public page shows: the challenge of the address, else the stored one, else an email. */

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let proofUrl: string;
let bilingualUrl: string;
/** Has opened a personal link in this browser. */
let vera: Customer;
/** Is named by links. */
let ben: Customer;
let challenge: string;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  const page = {
    name: 'Acme',
    allow_customer_create: true,
    active_languages: ['en' as const, 'de' as const],
    override: { reason: 'Only the words of the page are looked at.' },
    lists: [{ id: world.weekly.id }],
  };
  const create = (body: typeof page & { custom_path: string; attrs?: { enhanced_security: boolean } }) =>
    product.call(createPreferencePage, { params: world.params, body }, world.owner);
  bilingualUrl = (await create({ ...page, custom_path: 'bilingual' })).url;
  proofUrl = (await create({ ...page, custom_path: 'proof', attrs: { enhanced_security: true } })).url;
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

beforeEach(async () => {
  [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
  challenge = await challengeOf(vera);
});

const paramsOf = ({ id }: Customer) => ({ ...world.params, id });

async function challengeOf(customer: Customer): Promise<string> {
  return (await product.call(mintLinks, { params: paramsOf(customer), body: {} }, world.owner)).challenge;
}

async function stateOf(customer: Customer) {
  const params = paramsOf(customer);
  const { global_unsubscribe } = await product.call(getCustomer, { params }, world.owner);
  const { results } = await product.call(getCustomerLists, { params }, world.owner);
  return { global_unsubscribe, lists: results.map(({ subscribed }) => subscribed) };
}

const pageUrl = (query: Record<string, string> = {}) =>
  `${world.page.url}?${new URLSearchParams(query).toString()}`;

const person = (page: Page) => page.locator('.pp-email strong');
const continueAs = (page: Page, { email }: Customer) =>
  page.getByRole('button', { name: `Continue as ${email}` });

/** By the page's own clock, far beyond the second after which a link saves. */
const longAfter = (page: Page) => page.clock.fastForward(60_000);

async function openWindow(): Promise<Page> {
  const page = await browser.open();
  await page.clock.install();
  return page;
}

/** A window in which Vera has opened her link. */
async function openAsVera(): Promise<Page> {
  const page = await openWindow();
  await page.goto(pageUrl({ challenge }));
  await person(page).getByText(vera.email).waitFor();
  return page;
}

async function shows(page: Page, { email }: Customer): Promise<void> {
  await page.getByRole('switch').first().waitFor();
  expect(await person(page).textContent()).toBe(email);
}

describe('a linked address that differs from the stored person', () => {
  it('does not replace them: the page names both and offers to continue as the other (spec 31)', async () => {
    const page = await openAsVera();
    await page.goto(pageUrl({ email: ben.email }));
    await continueAs(page, ben).waitFor();
    await shows(page, vera);
    await page
      .getByText(`These are the preferences of ${vera.email}. The link you opened is for ${ben.email}.`)
      .waitFor();
    await continueAs(page, ben).click();
    await person(page).getByText(ben.email).waitFor();
    expect(await page.getByText(vera.email).count()).toBe(0);
    await page.reload();
    await shows(page, ben);
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({ email: ben.email });
  });

  it('shows nothing of the other person, not even while the page loads', async () => {
    const page = await openAsVera();
    await page.addInitScript(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seen });
      const look = () => {
        const shown = document.querySelector('.pp-email strong');
        if (shown?.checkVisibility({ visibilityProperty: true })) seen.add(shown.textContent);
        requestAnimationFrame(look);
      };
      look();
    });
    await page.goto(pageUrl({ email: ben.email }));
    await continueAs(page, ben).waitFor();
    // What has just come is looked at in the next frame.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen])).toEqual([
      vera.email,
    ]);
  });

  it('keeps a state= link waiting for a click, which then saves it for the other person only', async () => {
    const before = [await stateOf(vera), await stateOf(ben)];
    const page = await openAsVera();
    const saves: Request[] = [];
    page.on('request', (request) => {
      if (['PUT', 'PATCH'].includes(request.method())) saves.push(request);
    });
    await page.goto(pageUrl({ email: ben.email, state: 'unsubscribe' }));
    await continueAs(page, ben).waitFor();
    await longAfter(page);
    expect(saves).toEqual([]);
    expect([await stateOf(vera), await stateOf(ben)]).toEqual(before);
    await continueAs(page, ben).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(saves).toHaveLength(1);
    expect(await stateOf(vera)).toEqual(before[0]);
    expect((await stateOf(ben)).global_unsubscribe).toBe(true);
    expect(page.url()).not.toContain('state=');
  });

  it('keeps it waiting in another language, and a click on the choice itself is for the person shown', async () => {
    const before = await stateOf(ben);
    const page = await openAsVera();
    await page.goto(
      `${bilingualUrl}?${new URLSearchParams({ email: ben.email, state: 'unsubscribe', listId: world.weekly.id }).toString()}`,
    );
    await continueAs(page, ben).waitFor();
    await page.locator('.pp-languages summary').click();
    await page.locator('.pp-languages').getByText('Deutsch').click();
    await page.getByRole('button', { name: `Weiter als ${ben.email}` }).waitFor();
    await shows(page, vera);
    await longAfter(page);
    expect((await stateOf(vera)).lists).not.toContain(false);
    await page.getByRole('button', { name: 'Bestätigen' }).click();
    await page.getByRole('button', { name: 'Rückgängig' }).waitFor();
    expect((await stateOf(vera)).lists).toContain(false);
    expect(await stateOf(ben)).toEqual(before);
    // What is saved is saved for one person: continuing as the other asks for nothing more.
    await page.getByRole('button', { name: `Weiter als ${ben.email}` }).click();
    await person(page).getByText(ben.email).waitFor();
    await longAfter(page);
    expect(await stateOf(ben)).toEqual(before);
  });

  it('of the same person in other letters asks nothing', async () => {
    const page = await openAsVera();
    await page.goto(pageUrl({ email: vera.email.toUpperCase(), state: 'unsubscribe' }));
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect((await stateOf(vera)).global_unsubscribe).toBe(true);
    expect(await page.getByText('Continue as').count()).toBe(0);
  });

  it('of somebody unknown leaves the page with the person it showed', async () => {
    const body = { name: 'Closed', custom_path: 'closed', lists: [{ id: world.weekly.id }] };
    const params = world.params;
    const { url } = await product.call(createPreferencePage, { params, body }, world.owner);
    const stranger = { ...ben, email: 'stranger@example.com' };
    const page = await openAsVera();
    await page.goto(`${url}?email=${stranger.email}`);
    await continueAs(page, stranger).click();
    await page.getByText(`We have no preferences for ${stranger.email}.`).waitFor();
    await shows(page, vera);
  });

  it('on a page that asks for proof is emailed a link, and the stored person is shown', async () => {
    const page = await openAsVera();
    await page.goto(`${proofUrl}?email=${ben.email}`);
    await continueAs(page, ben).waitFor();
    await shows(page, vera);
    await continueAs(page, ben).click();
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
  });

  it('replaces a stored challenge that is no longer valid', async () => {
    const page = await openAsVera();
    await product.call(deleteCustomer, { params: paramsOf(vera) }, world.owner);
    await expect
      .poll(async () => {
        await page.goto(pageUrl({ email: ben.email }));
        await page.getByRole('switch').first().waitFor();
        return person(page).textContent();
      })
      .toBe(ben.email);
  });

  it('without scripts is offered beside the person of the challenge, as a link', async () => {
    const page = await browser.open({ javaScriptEnabled: false });
    await page.goto(pageUrl({ challenge, email: ben.email, state: 'unsubscribe' }));
    expect(await person(page).textContent()).toBe(vera.email);
    await continueAs(page, ben).click();
    await person(page).getByText(ben.email, { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('state')).toBe('unsubscribe');
    expect(page.url()).not.toContain(challenge);
    expect((await stateOf(ben)).global_unsubscribe).toBe(false);
  });
});

describe('the challenge', () => {
  it('leaves the address bar once it is read, and a reload shows the same person, even when another is stored', async () => {
    const page = await openAsVera();
    expect(page.url()).toBe(pageUrl().replace('?', ''));
    // Another tab of the same browser opened somebody else's link meanwhile.
    const other = await challengeOf(ben);
    await page.evaluate((text) => localStorage.setItem('challenge', text), other);
    await page.reload();
    await shows(page, vera);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await shows(page, vera);
    expect(page.url()).not.toContain(challenge);
  });

  it('of a page that asks for proof survives a reload, too', async () => {
    const page = await browser.open();
    await page.goto(`${proofUrl}?challenge=${challenge}`);
    await shows(page, vera);
    expect(page.url()).toBe(proofUrl);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await shows(page, vera);
  });

  it('is in nothing that the page links to, sends on, or can be found by', async () => {
    const page = await openAsVera();
    const requests: Request[] = [];
    page.on('request', (request) => requests.push(request));
    await page.getByRole('switch').first().click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your preferences have been saved').waitFor();
    for (const request of requests) {
      expect(request.url()).not.toContain(challenge);
      expect((await request.allHeaders())['referer']).toBeUndefined();
    }
  });
});

describe('state and listId', () => {
  it('leave the address after their save, and a reload does not save again', async () => {
    const page = await openWindow();
    const saves: Request[] = [];
    page.on('request', (request) => {
      if (['PUT', 'PATCH'].includes(request.method())) saves.push(request);
    });
    await page.goto(pageUrl({ challenge, state: 'unsubscribe', listId: world.weekly.id }));
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(page.url()).toBe(pageUrl().replace('?', ''));
    expect(saves).toHaveLength(1);
    await page.reload();
    await shows(page, vera);
    await longAfter(page);
    expect(saves).toHaveLength(1);
    expect(await page.getByRole('switch', { name: /Weekly news/ }).isChecked()).toBe(false);
  });

  it('stay until then, so that a reload before it still saves once, for the same person', async () => {
    const page = await browser.open();
    let isHeld = true;
    await page.route('**/lists', async (route) => {
      if (isHeld) await route.abort();
      else await route.continue();
    });
    await page.goto(pageUrl({ challenge, state: 'unsubscribe', listId: world.weekly.id }));
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(page.url()).toContain('state=unsubscribe');
    expect(page.url()).not.toContain(challenge);
    isHeld = false;
    await page.reload();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await shows(page, vera);
    expect((await stateOf(vera)).lists).toContain(false);
  });
});
