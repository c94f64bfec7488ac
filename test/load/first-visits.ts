import { cpus, loadavg } from 'node:os';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS } from '#test/harness/browser.ts';
import { type Demo, logInToDemo, startDemo } from '#test/page/demo.ts';
import {
  entryOf,
  follow,
  MAIN_SCREEN_NAMES,
  MAIN_SCREENS,
  type MainScreen,
  SETTLES_MS,
} from '#test/page/main-screens.ts';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { startFakes } from '../../scripts/fakes.mjs';
import { median } from './measure.ts';

/*
 * `npm run bench -- screens`: how long the screens of the owner app take, by the clock, from the click to the first frame
 * with rows, in the demo world. Each window visits every screen for the first time, nothing having pointed at the link to
 * it, and then once more. Only a quiet machine gives figures worth writing down.
 */

const WINDOWS = Number(process.env['BENCH_WINDOWS'] ?? 9);
/** What the app loads while nobody does anything has come when nothing was requested for so long. */
const QUIET_MS = 2000;

interface InnerScreen {
  from: MainScreen;
  /** To follow in this order; the last one is measured. */
  links: readonly string[];
  rows: string;
}

/** The screens that no entry of the sidebar leads to. */
const INNER_SCREENS: Readonly<Record<string, InnerScreen>> = {
  'Choices (evidence)': { from: 'Dashboard', links: ['a[href^="/evidence?"]'], rows: 'main li' },
  'An integration': { from: 'Integrations', links: ['a[href^="/integrations/"]'], rows: '[role="tab"]' },
  'A new list': { from: 'Lists', links: ['a[href="/create-list/new"]'], rows: 'input' },
  'An action': { from: 'Actions', links: ['a[href*="edit="]'], rows: '[role="dialog"] input' },
  'What would happen': { from: 'Actions', links: ['a[href*="what_if="]'], rows: 'main input' },
  'The page editor': { from: 'Preference Pages', links: ['a[href^="/edit-"]'], rows: '[role="tab"]' },
  'A customer': { from: 'Customers', links: ['li a[href^="/customers/"]'], rows: 'main li' },
  Complaints: { from: 'Customers', links: ['a[href="/complaints"]'], rows: 'main p' },
  'Bulk changes': { from: 'Customers', links: ['a[href="/bulk-changes"]'], rows: 'main p' },
  Imports: { from: 'Customers', links: ['a[href="/imports"]'], rows: 'main p' },
  'A new import': {
    from: 'Customers',
    links: ['a[href="/imports"]', 'a[href="/imports/new"]'],
    rows: 'main input',
  },
  'A delivery': { from: 'Deliveries', links: ['a[href*="delivery="]'], rows: '[role="dialog"] h2' },
};

type Visits = Map<string, number[]>;

const noVisits = (): Visits =>
  new Map([...MAIN_SCREEN_NAMES, ...Object.keys(INNER_SCREENS)].map((name) => [name, []]));

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

async function followAndSettle(page: Page, link: Locator, rows: string): Promise<number> {
  const took = await follow(link, rows);
  await page.waitForTimeout(SETTLES_MS);
  return took;
}

const visit = (page: Page, name: MainScreen) =>
  followAndSettle(page, entryOf(page, name), MAIN_SCREENS[name]);

async function visitInner(page: Page, { from, links, rows }: InnerScreen): Promise<number> {
  // A screen that is there already would get no other heading.
  if (!page.url().endsWith('/site-settings')) await visit(page, 'Site settings');
  await visit(page, from);
  let took = 0;
  for (const link of links) {
    const isLast = link === links.at(-1);
    took = await followAndSettle(page, page.locator(`main ${link}`).first(), isLast ? rows : 'main a');
  }
  // What opened in front of the screen closes.
  await page.keyboard.press('Escape');
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
        for (const name of MAIN_SCREEN_NAMES) visits.get(name)?.push(await visit(page, name));
        for (const [name, screen] of Object.entries(INNER_SCREENS)) {
          visits.get(name)?.push(await visitInner(page, screen));
        }
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
  for (const [name, took] of first)
    console.log(`| ${name} | ${shown(took)} | ${shown(later.get(name) ?? [])} |`);
}
