import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHROMIUM_FLAGS } from '#test/harness/browser.ts';
import { type Measured, measure } from '#test/harness/lighthouse.ts';
import { freePort } from '#test/harness/ports.ts';
import { type Demo, logInToDemo, startDemo } from '#test/page/demo.ts';
import { ownerShots } from '#test/page/owner-screens.ts';
import type { OwnerShot } from '#test/page/owner-shot.ts';
import { buildOwnerWorld } from '#test/page/owner-world.ts';
import { scaled } from '#test/harness/scale.ts';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { startFakes } from '../../scripts/fakes.mjs';

/*
 * The screens of the owner app as an owner of the demo world finds them, measured without any throttling. Each run of
 * all tests measures every eighth screen, `TEST_SCALE=8` all of them; axe looks at every screen each time.
 */
const SHARE = 1 / 8;

const DESKTOP = { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false, disabled: false };

let fakes: Awaited<ReturnType<typeof startFakes>>;
let demo: Demo;
let screens: OwnerShot[];
let profile: string;
let browser: BrowserContext;
let port: number;

beforeAll(async () => {
  fakes = await startFakes();
  demo = await startDemo({ fakes });
  const shots = ownerShots(await buildOwnerWorld(demo));
  const ready = shots.filter(({ state, who, reach }) => state === 'ready' && who === 'shop' && !reach);
  const every = Math.max(1, Math.round(1 / (SHARE * scaled(1))));
  screens = ready.filter((_, place) => place % every === 0);
  port = await freePort();
  // Lighthouse opens its windows in the browser's own storage: the log-in has to be there.
  profile = mkdtempSync(join(tmpdir(), 'sayso-lighthouse-'));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: await ensureChromium(),
    args: [...CHROMIUM_FLAGS, `--remote-debugging-port=${port}`],
  });
  await logIn();
});

afterAll(async () => {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
  await demo.stop();
  await fakes.stop();
});

/** As the app itself keeps it; from then on the app renews its tokens automatically. */
async function logIn(): Promise<void> {
  const session = await logInToDemo(demo);
  const page = await browser.newPage();
  await page.goto(`${demo.url}/login`);
  await page.evaluate((entry) => {
    localStorage.setItem('auth', entry);
    localStorage.setItem('auth_token_since', String(Date.now()));
  }, JSON.stringify(session));
  await page.close();
}

/** Nothing is slowed down and nothing but these two asked for, so that a screen is waited for no longer than it takes. */
function measureScreen(path: string): Promise<Measured> {
  return measure(`${demo.url}${path}`, {
    port,
    onlyCategories: ['accessibility', 'best-practices'],
    formFactor: 'desktop',
    screenEmulation: DESKTOP,
    throttlingMethod: 'simulate',
    pauseAfterFcpMs: 0,
    pauseAfterLoadMs: 0,
    networkQuietThresholdMs: 500,
    cpuQuietThresholdMs: 0,
    disableFullPageScreenshot: true,
    disableStorageReset: true,
  });
}

it('Lighthouse finds nothing to improve on any screen of the owner app', async () => {
  const found: Record<string, unknown> = {};
  for (const { name, path } of screens) {
    const { address, scores, refused } = await measureScreen(path);
    const isPerfect = Object.values(scores).every((score) => score === 100);
    if (!isPerfect || address !== `${demo.url}${path}`) found[name] = { address, scores, refused };
  }
  expect(found).toEqual({});
  expect(screens.length).toBeGreaterThan(3);
});
