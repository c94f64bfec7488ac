import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { requestsOf } from './idle.ts';

export interface WindowOptions extends BrowserContextOptions {
  /** Loads the other screens ahead, as on a connection that does not save data. Takes a third more time. */
  loadsAhead?: boolean;
}

export interface TestBrowser {
  /** A window with storage of its own. */
  open(options?: WindowOptions): Promise<Page>;
  /** Runs one step of a journey; when it fails, says which, and where the pictures of all open windows are. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Errors of scripts and of the console, and answers of 500 and above, in any window. */
  problems: string[];
  close(): Promise<void>;
}

/** However busy the machine is: what never comes fails all the same. */
export const TIMEOUT_MS = 60_000;

/** Nothing but what a test asks for goes over the network. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

function saveData(): void {
  Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
}

let running: Promise<Browser> | null = null;

/** One for all files of a test worker; Playwright ends it with the worker's process. */
async function sharedChromium(): Promise<Browser> {
  if (running !== null && (await running).isConnected()) return running;
  running = chromium.launch({ executablePath: await ensureChromium(), args: CHROMIUM_FLAGS });
  return running;
}

/**
 * The real browser. Its own `localhost` covers every host below it, so that sites have their host names. Windows of
 * different test files share the process and nothing else.
 */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await sharedChromium();
  const contexts: BrowserContext[] = [];
  const pages: Page[] = [];
  const problems: string[] = [];

  function watch(page: Page): void {
    pages.push(page);
    page.setDefaultTimeout(TIMEOUT_MS);
    requestsOf(page);
    // From the start: Chromium cancels a chooser that opens while the first listener is still being attached.
    page.on('filechooser', () => {});
    page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${page.url()}: ${message.text()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 500) problems.push(`${response.status()} ${response.url()}`);
    });
  }

  async function takePictures(step: string): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'sayso-journey-'));
    const name = step.toLowerCase().replace(/\W+/g, '-');
    const open = pages.filter((page) => !page.isClosed());
    for (const [index, page] of open.entries()) {
      await page.screenshot({ path: join(folder, `${name}-${index}.png`), fullPage: true }).catch(() => {});
    }
    return folder;
  }

  return {
    problems,
    async open({ loadsAhead = false, ...options } = {}) {
      const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
      contexts.push(context);
      if (!loadsAhead) await context.addInitScript(saveData);
      context.on('page', watch);
      return context.newPage();
    },
    async step(name, work) {
      try {
        return await work();
      } catch (error) {
        const folder = await takePictures(name);
        const seen = problems.length === 0 ? '' : `\nSeen in the browser: ${problems.join('\n')}`;
        throw new Error(`Step "${name}" failed; its pictures are in ${folder}${seen}`, { cause: error });
      }
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}
