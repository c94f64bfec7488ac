import { vi } from 'vitest';
import { page } from 'vitest/browser';
import { NO_ORGANIZATION } from '#contract/accounts.ts';
import { ownerShots } from '#test/page/owner-screens.ts';
import type { OwnerShot } from '#test/page/owner-shot.ts';
import type { Who } from '#test/page/owner-world.ts';
import { keptInBrowser, keptInTab } from '#web/ui/browser-storage.ts';
import { queryClient } from '#web/owner/api/query-client.ts';
import { clearAuth, storeTokens } from '#web/owner/session/session.ts';
import { closeApp, isSettled, openApp } from './app.tsx';
import { FakeApi, type Fact } from './fake-api.ts';
import { fakeWindow, patience } from './fake-window.ts';
import {
  isWaiting,
  problemsOfContent,
  problemsOfFailure,
  problemsOfLoading,
  untilStill,
  violations,
} from './looks.ts';
import { idOf } from './made-up.ts';
import { OWNER, THINGS, WORLDS } from './worlds.ts';

export const SHOTS = ownerShots(THINGS);

export const api = new FakeApi();
globalThis.fetch = api.send as typeof fetch;

export const appWindow = fakeWindow(api, openApp);

/** Screens are loaded when they are opened, and not ahead of time. */
Object.defineProperty(navigator, 'connection', { value: { saveData: true } });

/** Warnings of React and of the browser, while a state is shown. */
const complaints: string[] = [];
console.error = (...words: unknown[]) => {
  const text = words.map(String).join(' ');
  // The browser's own word for what it does in the next frame.
  if (!text.includes('ResizeObserver loop')) complaints.push(`console: ${text.slice(0, 300)}`);
};

function enter(who: Who, facts: readonly Fact[] = []): void {
  for (const kept of [keptInBrowser, keptInTab]) for (const key of kept.keys()) kept.removeItem(key);
  complaints.length = 0;
  const world = WORLDS[who];
  api.reset({ ...world, facts: [...world.facts, ...facts] });
  const organization_id = who === 'newcomer' ? NO_ORGANIZATION : idOf('organization');
  storeTokens({ user_id: OWNER, organization_id, access_token: 'token', refresh_token: 'refresh' });
  if (who === 'nobody') clearAuth();
}

const isQuiet = () =>
  api.underWay === 0 && isSettled() && !isWaiting() && document.querySelector('h1, h2') !== null;

/** What comes only when something else is there has come as well. */
export async function settle(): Promise<void> {
  do {
    await vi.waitUntil(isQuiet, patience);
    await untilStill();
  } while (!isQuiet());
}

/** Opens the app at a path, in a world in which some facts differ. */
export async function visit(path: string, who: Who = 'shop', facts: readonly Fact[] = []): Promise<void> {
  enter(who, facts);
  await page.viewport(1280, 900);
  await openApp(path);
  await settle();
}

async function show(shot: OwnerShot): Promise<void> {
  enter(shot.who);
  if (shot.calls && shot.answer) api.takeAway(shot.calls, shot.answer);
  await page.viewport(shot.width ?? 1280, shot.width === 360 ? 740 : 900);
  await openApp(shot.path);
  if (shot.isWithoutFrame !== true) await appWindow.locator('h1').first().waitFor();
  if (shot.reach && shot.answer === undefined) await settle();
  await shot.reach?.(appWindow);
  if (shot.answer === 'refusal') await appWindow.getByRole('button', { name: 'Try again' }).first().waitFor();
  if (shot.answer === 'never') await vi.waitUntil(() => api.hasHeldCalls && isWaiting(), patience);
  await shot.until?.(appWindow);
  await (shot.answer === 'never' ? untilStill() : settle());
}

/** Toasts outlive a screen. */
export async function leave(): Promise<void> {
  for (const one of document.querySelectorAll<HTMLElement>('[role=alertdialog] button[slot=close]'))
    one.click();
  await untilStill();
  closeApp();
}

const failures = () =>
  [...document.querySelectorAll('button')].filter((one) => one.textContent === 'Try again');

/** The server answers again, and somebody presses what offers to try it. */
async function problemsAfterRetry(): Promise<string[]> {
  api.again();
  for (let retries = failures(); retries.length > 0; retries = failures()) {
    await appWindow.getByRole('button', { name: 'Try again' }).first().click();
    await settle();
    if (failures().length >= retries.length) return ['trying again does not bring it back'];
  }
  return [];
}

/** How many answers that are asked for were refused from the start, such as those of a card that only just came. */
const neverLoaded = () =>
  queryClient.getQueryCache().findAll({
    type: 'active',
    predicate: ({ state }) => state.status === 'error' && state.data === undefined,
  }).length;

/** Who looks may be filling in a form: what is there must not give way to an error when reading it again fails. */
async function problemsAfterFailedRefresh(): Promise<string[]> {
  const before = failures().length - neverLoaded();
  const title = document.querySelector('h1')?.textContent;
  api.takeAway(/./, 'refusal');
  await queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.data !== undefined });
  await untilStill();
  api.again();
  const after = failures().length - neverLoaded();
  const isThere = document.querySelector('h1')?.textContent === title && after <= before;
  return isThere ? [] : ['what is shown gives way to an error when reading it again fails'];
}

/** The frame around a screen is looked at once, and where something may be open over it. */
function partOf({ state, reach }: OwnerShot): Element | Document {
  const main = state === 'ready' || reach !== undefined ? null : document.querySelector('#main');
  return main ?? document;
}

const LOOKS = { never: problemsOfLoading, refusal: problemsOfFailure };

/** What is wrong with a state as somebody sees it. */
export async function problemsOf(shot: OwnerShot): Promise<string[]> {
  try {
    await show(shot);
    const look = shot.answer === undefined ? problemsOfContent : LOOKS[shot.answer];
    const found = [...look(), ...(await violations(partOf(shot)))];
    if (shot.answer === 'refusal') found.push(...(await problemsAfterRetry()));
    if (shot.answer === undefined) found.push(...(await problemsAfterFailedRefresh()));
    found.push(...api.problems, ...complaints);
    const isFrameless = shot.isWithoutFrame === true;
    return isFrameless ? found.filter((one) => !one.startsWith('page-has-heading-one')) : found;
  } catch (error) {
    const words = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return [`${words} at ${location.pathname}`, ...api.problems, ...complaints];
  } finally {
    await leave();
  }
}

/** How many of something a state shows. */
export async function countIn(shot: OwnerShot, selector: string): Promise<number> {
  await show(shot);
  const count = document.querySelectorAll(selector).length;
  await leave();
  return count;
}

/** What is wrong with how a screen says that there is no connection, and goes on once it is back. */
export async function problemsWithoutConnection(path: string): Promise<string[]> {
  enter('shop');
  api.takeAway(/\/sites\/[^/]+\//, 'no connection');
  await openApp(path);
  await appWindow.getByText('No connection').waitFor();
  const found = await violations();
  api.again();
  window.dispatchEvent(new Event('online'));
  await settle();
  if (failures().length > 0) found.push('it stays as it was');
  await leave();
  return found;
}

/** Each screen with the names of its states. */
export const byScreen = (shots: readonly OwnerShot[]): [string, string, OwnerShot[]][] =>
  [...Map.groupBy(shots, ({ name }) => name)].map(([name, own]) => [
    name,
    own.map(({ state }) => state).join(', '),
    own,
  ]);

/** What is wrong, by state. */
export async function problemsOfAll(shots: readonly OwnerShot[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const shot of shots) {
    const problems = await problemsOf(shot);
    if (problems.length > 0) found[shot.state] = problems;
  }
  return found;
}
