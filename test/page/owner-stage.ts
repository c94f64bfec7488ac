import type { Page, Route } from 'playwright-core';
import { requestsOf, untilIdle } from '#test/harness/idle.ts';
import { untilStill } from '#test/harness/still.ts';
import { type Demo, logInToDemo } from './demo.ts';
import { problemsOf } from './look-at.ts';
import type { OwnerShot } from './owner-shot.ts';
import type { OwnerWorld, Who } from './owner-world.ts';

/** How a window gets to what `owner-screens.ts` lists, and what is looked for there. */

const AWAY = {
  message: 'The service is busy for a moment; try again shortly.',
  data: null,
  meta: {
    errors: [{ code: 'unavailable', message: 'The service is busy for a moment; try again shortly.' }],
  },
};

/** What a window that somebody logged in keeps; a log-in of its own, which the app renews automatically. */
export async function storageOf(demo: Demo, world: OwnerWorld, who: Who) {
  if (who === 'nobody') return { cookies: [], origins: [] };
  const session = await logInToDemo(demo, world.names[who]);
  const localStorage = [
    { name: 'auth', value: JSON.stringify(session) },
    { name: 'auth_token_since', value: String(Date.now()) },
  ];
  return { cookies: [], origins: [{ origin: demo.url, localStorage }] };
}

/** Brings a window of that person there. */
export async function showOwnerShot(page: Page, { url }: Demo, shot: OwnerShot): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  requestsOf(page).clear();
  // Drafts of the picture before.
  if (page.url().startsWith(url)) await page.evaluate(() => sessionStorage.clear());
  const { calls, answer } = shot;
  if (calls) await page.route(calls, answer === 'never' ? () => {} : refuse);
  // What waits for a call shows from then on; before that there may be another loader.
  const asked = calls && answer === 'never' ? page.waitForRequest(calls).catch(() => null) : null;
  await page.goto(`${url}${shot.path}`);
  if (shot.isWithoutFrame !== true) await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (shot.reach && answer === undefined) await untilLoaded(page);
  await shot.reach?.(page);
  if (answer === 'refusal') await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  else if (answer === 'never') {
    await asked;
    await page.locator(WAITING).first().waitFor();
  }
  await shot.until?.(page);
  if (answer === undefined) await untilLoaded(page);
  await untilStill(page);
  const isOut = new URL(page.url()).pathname.startsWith('/login');
  if (isOut !== shot.path.startsWith('/login')) throw new Error(`The window is at ${page.url()}`);
}

/** What is wrong with what a window shows. Only the account's loader has no heading, as no screen is there yet. */
export async function problemsOfShot(page: Page, { isWithoutFrame }: OwnerShot): Promise<string[]> {
  const problems = await problemsOf(page);
  return isWithoutFrame === true
    ? problems.filter((one) => !one.startsWith('page-has-heading-one'))
    : problems;
}

/** What stands for something that is still to come. */
const WAITING = '.animate-breathe, .animate-spin';

/** Nothing waits any more. */
async function untilLoaded(page: Page): Promise<void> {
  await untilIdle(page);
  await page.waitForFunction((waiting) => document.querySelector(waiting) === null, WAITING);
}

const refuse = (route: Route) => route.fulfill({ status: 503, json: AWAY });
