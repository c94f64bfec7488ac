import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import type { TestBrowser } from '#test/harness/browser.ts';

/* A window of the owner app that has loaded the parts of all screens ahead, as it does while nobody does anything. */

/** Holds back all answers of the API while it is closed. */
async function gateOf(page: Page) {
  let isOpen = true;
  const held: Route[] = [];
  await page.route('**/api/**', async (route) => {
    if (isOpen) await route.continue();
    else held.push(route);
  });
  return {
    held,
    close: () => (isOpen = false),
    /** Lets through what is waiting now, and nothing that is asked for later. */
    pass: () => Promise.all(held.splice(0).map((route) => route.continue())),
    async open() {
      isOpen = true;
      await this.pass();
    },
  };
}

/** Whose window it is. */
interface Signed {
  browser: TestBrowser;
  /** Where the product is. */
  url: string;
  /** What the app stores of a session. */
  auth: string;
}

export interface Warm {
  page: Page;
  /** Closed before any rows were requested ahead: the parts of all screens have come, and no rows. */
  gate: Awaited<ReturnType<typeof gateOf>>;
}

/** A window on a screen that no entry leads to, once the parts of all screens have come. */
export async function openWithoutRows({ browser, url, auth }: Signed): Promise<Warm> {
  const page = await browser.open({ loadsAhead: true, viewport: { width: 1280, height: 900 } });
  await page.addInitScript((entry) => {
    localStorage.setItem('auth', entry);
    // Fresh, or each window would renew it, and the second to do so would end the session.
    localStorage.setItem('auth_token_since', String(Date.now()));
  }, auth);
  await page.goto(`${url}/account-settings`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const gate = await gateOf(page);
  gate.close();
  const scripts = () =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length,
    );
  let before = 0;
  await expect
    .poll(
      async () => {
        const had = before;
        before = await scripts();
        return before > 100 && before === had;
      },
      { interval: 3000, timeout: 60_000 },
    )
    .toBe(true);
  return { page, gate };
}

/** The same, once it also has the rows of the main screens. Deliveries are the last of them. */
export async function openWarm(signed: Signed): Promise<Warm> {
  const { page, gate } = await openWithoutRows(signed);
  const rows = page.waitForResponse((answer) => answer.url().endsWith('/deliveries?limit=50'));
  await gate.open();
  await (await rows).finished();
  return { page, gate };
}
