import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '#contract/accounts.ts';
import { createDemoWorld, DEMO_PASSWORD } from '#db/demo/demo.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  entryOf,
  follow,
  MAIN_SCREEN_NAMES,
  MAIN_SCREENS,
  type MainScreen,
  SETTLES_MS,
} from '#test/page/main-screens.ts';
import { openWarm, openWithoutRows, type Warm } from '#test/page/warm-window.ts';

let tools: FakeTools;
let product: TestProduct;
let browser: TestBrowser;
let auth: string;

beforeAll(async () => {
  tools = await startFakeTools();
  product = await startTestProduct({
    env: Object.fromEntries(tools.accounts.map(({ setting, url }) => [setting, url])),
  });
  await createDemoWorld(product.services, { customers: 240, fakeTools: tools.url });
  const tokens = await product.call(logIn, { body: { username: 'acme', password: DEMO_PASSWORD } });
  auth = JSON.stringify({
    id: tokens.user_id,
    organization: tokens.organization_id,
    token: tokens.access_token,
    refresh: tokens.refresh_token,
  });
  browser = await startBrowser();
}, 120_000);

afterAll(async () => {
  await browser.close();
  await product.stop();
  await tools.close();
});

const signed = () => ({ browser, url: product.url, auth });

/** By the keyboard, as it were: nothing has pointed at it before. */
const press = (page: Page, name: MainScreen) =>
  entryOf(page, name).evaluate((link: HTMLElement) => link.click());

/** In whichever case: the menu has its words as the specification has them. */
const headingOf = (page: Page, name: MainScreen) => page.getByRole('heading', { level: 1, name });

async function seeRows(page: Page, name: MainScreen): Promise<void> {
  await headingOf(page, name).waitFor();
  await page.locator(MAIN_SCREENS[name]).first().waitFor();
}

/** Those that it requests from now on. */
function scriptsOf(page: Page): string[] {
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url());
  });
  return scripts;
}

/** Clicks a link. @returns the last part of each path that is requested before the screen's heading appears */
async function askedBeforeHeading(
  page: Page,
  link: string,
  heading: string,
): Promise<(string | undefined)[]> {
  const asked = await page.evaluate(
    async ([wanted, title]) => {
      const paths: string[] = [];
      const isDrawn = () => document.querySelector('h1')?.textContent === title;
      const fetchNow = window.fetch;
      window.fetch = (input, init) => {
        if (!isDrawn()) paths.push(String(input instanceof Request ? input.url : input));
        return fetchNow(input, init);
      };
      const drawn = new Promise<void>((resolve) => {
        const watch = new MutationObserver(() => isDrawn() && resolve());
        watch.observe(document.body, { childList: true, subtree: true });
      });
      document.querySelector<HTMLElement>(wanted)?.click();
      await drawn;
      return paths;
    },
    [link, heading] as const,
  );
  return asked.map((path) => new URL(path, product.url).pathname.split('/').at(-1));
}

describe('switching screens', () => {
  it('waits for no response and for no script, not even at the first visit', async () => {
    const { page, gate } = await openWarm(signed());
    const scripts = scriptsOf(page);
    gate.close();
    for (const visit of ['first', 'second']) {
      for (const name of MAIN_SCREEN_NAMES) {
        await press(page, name);
        await browser.step(`the ${visit} visit of ${name}`, () => seeRows(page, name));
      }
    }
    expect(scripts).toEqual([]);
  });

  it('waits for one response if its rows were not requested ahead', async () => {
    const { page, gate } = await openWithoutRows(signed());
    const scripts = scriptsOf(page);
    // While one screen's rows are on their way, those of the next are not requested ahead.
    await expect.poll(() => gate.held.length).toBeGreaterThan(0);
    const ofDashboard = gate.held.splice(0);
    for (const name of [...MAIN_SCREEN_NAMES.filter((one) => one !== 'Dashboard'), 'Dashboard'] as const) {
      await press(page, name);
      if (name === 'Dashboard') gate.held.push(...ofDashboard);
      if (name !== 'Site settings') await expect.poll(() => gate.held.length).toBeGreaterThan(0);
      await headingOf(page, name).waitFor();
      await gate.pass();
      await browser.step(`the first visit of ${name}`, () => seeRows(page, name));
    }
    expect(scripts).toEqual([]);
  });

  it('has requested the rows by the time that the heading is drawn', async () => {
    const { page, gate } = await openWithoutRows(signed());
    await expect.poll(() => gate.held.length).toBeGreaterThan(0);
    expect(await askedBeforeHeading(page, 'nav a[href="/deliveries"]', 'Deliveries')).toContain('deliveries');
    await gate.open();
  });

  it('has requested the rows when the entry is pressed, if it was pointed at before', async () => {
    const { page, gate } = await openWarm(signed());
    gate.close();
    await entryOf(page, 'Deliveries').hover();
    const paths = () => gate.held.map((route) => new URL(route.request().url()).pathname.split('/').at(-1));
    await expect.poll(paths).toContain('deliveries');
    await gate.open();
  });

  it('draws the next one within 100 ms', async () => {
    const { page } = await openWarm(signed());
    for (const name of MAIN_SCREEN_NAMES) {
      await press(page, name);
      await seeRows(page, name);
    }
    // The work of the page's own thread, which the machine's other work hardly touches.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const scriptMs = async () => {
      const { metrics } = await devTools.send('Performance.getMetrics');
      return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN);
    };
    // Not by its role: looking for one takes the page's thread as long as drawing a small screen does.
    const linkTo = async (name: MainScreen) => {
      const path = await entryOf(page, name).getAttribute('href');
      // The logo, above the entries, leads to the dashboard too.
      return page.locator(`nav a[href="${path}"]`).last();
    };
    const visits = MAIN_SCREEN_NAMES.map((name) => ({ name, works: new Array<number>() }));
    for (let round = 1; round <= 8; round += 1) {
      for (const { name, works } of visits) {
        const link = await linkTo(name);
        const before = await scriptMs();
        await follow(link, MAIN_SCREENS[name]);
        works.push((await scriptMs()) - before);
        await page.waitForTimeout(SETTLES_MS);
      }
    }
    // The least of them: a busy machine adds to the work of a thread, and takes nothing away from it.
    const slow = visits.filter(({ works }) => !(Math.min(...works) < 100));
    expect(slow).toEqual([]);
  });
});

describe('opening a row', () => {
  /** The last part of each path requested while the gate is closed, or the one before an id. Polls don't count. */
  const asked = ({ gate }: Warm) =>
    gate.held
      .map((route) => new URL(route.request().url()).pathname.split('/').slice(-2))
      .filter(([, last]) => last !== 'held')
      .map(([before = '', last = '']) => (/^[\da-f]{8}-/.test(last) ? before : last))
      .toSorted();

  async function open(warm: Warm, name: MainScreen, link: string): Promise<void> {
    const { page, gate } = warm;
    await press(page, name);
    await seeRows(page, name);
    // The screen's own requests are done.
    await page.waitForLoadState('networkidle');
    gate.close();
    await page
      .locator(`main ${link}`)
      .first()
      .evaluate((element: HTMLElement) => element.click());
  }

  it('draws a tool, a customer, or an action with its target before any response comes', async () => {
    const warm = await openWarm(signed());
    const { page, gate } = warm;
    await open(warm, 'Integrations', 'a[href^="/integrations/"]');
    await browser.step('a tool', () => page.getByRole('tab', { name: 'Overview' }).waitFor());
    await gate.open();

    await open(warm, 'Customers', 'li a[href^="/customers/"]');
    await browser.step('a customer', () => page.getByText('ID', { exact: true }).waitFor());
    await gate.open();

    await open(warm, 'Actions', 'a[href*="edit="]');
    const target = page.getByRole('dialog').getByRole('combobox').first();
    await browser.step('an action', () => target.waitFor());
    await expect.poll(() => target.inputValue()).not.toBe('');
    // The rows behind the dialog request nothing.
    await expect.poll(() => asked(warm)).toEqual(['resources']);
    // The tool's other targets appear in the open box.
    await target.click();
    const loading = page.getByText('Loading', { exact: true });
    await loading.waitFor();
    await gate.open();
    await loading.waitFor({ state: 'hidden' });
    await page.getByRole('option').first().waitFor();
  });

  it('requests a delivery and its choice together, and not the log again', async () => {
    const warm = await openWarm(signed());
    await open(warm, 'Deliveries', 'a[href*="delivery="]');
    await expect.poll(() => asked(warm)).toEqual(['deliveries', 'evidence']);
    await warm.gate.open();
  });

  it('requests a page before its title is drawn', async () => {
    const { page, gate } = await openWarm(signed());
    await press(page, 'Preference Pages');
    await seeRows(page, 'Preference Pages');
    gate.close();
    const asked = await askedBeforeHeading(page, 'main a[href^="/edit-"]', 'Edit preference page');
    expect(asked).toContain('draft');
    await gate.open();
  });
});
