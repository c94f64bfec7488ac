import { cpus, loadavg } from 'node:os';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS } from '#test/harness/browser.ts';
import { type Demo, logInToDemo, startDemo } from '#test/page/demo.ts';
import { entryOf, MAIN_SCREEN_NAMES, MAIN_SCREENS, type MainScreen } from '#test/page/main-screens.ts';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { startFakes } from '../../scripts/fakes.mjs';
import { median } from './measure.ts';

/*
 * `npm run bench -- screens`: how long the main screens of the owner app take, by the clock, from the click to the first
 * frame with rows, in the demo world. Each window visits every screen for the first time, nothing having pointed at its
 * entry, and then once more. Only a quiet machine gives figures worth writing down.
 */

const WINDOWS = Number(process.env['BENCH_WINDOWS'] ?? 9);
/** What the app loads while nobody does anything has come when nothing was requested for so long. */
const QUIET_MS = 2000;

type Visits = Record<MainScreen, number[]>;

const noVisits = () => Object.fromEntries(MAIN_SCREEN_NAMES.map((name) => [name, [] as number[]])) as Visits;

/** @returns a window on a screen that no entry of the sidebar leads to, once it has loaded what it loads ahead */
async function openWindow(browser: Browser, demo: Demo): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  const session = JSON.stringify(await logInToDemo(demo));
  await page.addInitScript((entry) => {
    localStorage.setItem('auth', entry);
    localStorage.setItem('auth_token_since', String(Date.now()));
  }, session);
  let requestedAt = performance.now();
  page.on('request', () => (requestedAt = performance.now()));
  await page.goto(`${demo.url}/account-settings`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  while (performance.now() - requestedAt < QUIET_MS) await page.waitForTimeout(100);
  return page;
}

/** Of the window's own clock, so that the driver's calls do not count. */
async function visit(page: Page, name: MainScreen): Promise<number> {
  const took = await entryOf(page, name).evaluate(
    (link: HTMLElement, [title, rows]) =>
      new Promise<number>((resolve) => {
        const began = performance.now();
        const look = () => {
          const heading = document.querySelector('h1')?.textContent.toLowerCase();
          const isThere = heading === title && document.querySelector(rows) !== null;
          // The frame in which they are found is painted before the next one begins.
          requestAnimationFrame(isThere ? () => resolve(performance.now() - began) : look);
        };
        link.click();
        requestAnimationFrame(look);
      }),
    [name.toLowerCase(), MAIN_SCREENS[name]] as const,
  );
  await page.waitForTimeout(300);
  return took;
}

const shown = (all: readonly number[]) => `${median(all).toFixed(0)} (${Math.max(...all).toFixed(0)})`;

export async function benchScreens(): Promise<void> {
  const fakes = await startFakes();
  const demo = await startDemo({ fakes });
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: CHROMIUM_FLAGS });
  const [first, later] = [noVisits(), noVisits()];
  const loads: number[] = [];
  try {
    for (let window = 0; window < WINDOWS; window += 1) {
      const page = await openWindow(browser, demo);
      loads.push(loadavg()[0] ?? 0);
      for (const visits of [first, later]) {
        for (const name of MAIN_SCREEN_NAMES) visits[name].push(await visit(page, name));
      }
      await page.context().close();
    }
  } finally {
    await browser.close();
    await demo.stop();
    await fakes.stop();
  }
  const load = `load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
  console.log(`${WINDOWS} windows, ${cpus().length} cores, ${load}; median in ms, in brackets the slowest\n`);
  console.log('| screen | first visit | a later visit |\n|---|---:|---:|');
  for (const name of MAIN_SCREEN_NAMES)
    console.log(`| ${name} | ${shown(first[name])} | ${shown(later[name])} |`);
}
