import axe from 'axe-core';

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Transitions are ended, and what effects draw is drawn. */
export async function untilStill(): Promise<void> {
  for (const _ of [1, 2]) await nextFrame();
  for (const one of document.getAnimations()) {
    if (one.effect?.getComputedTiming().iterations === 1) one.finish();
  }
  await nextFrame();
}

/** Returns what axe finds. It leaves frames out: they hold the public page, which has its own tests. */
export async function violations(part: Element | Document = document): Promise<string[]> {
  const { violations: found } = await axe.run(
    { include: [part], exclude: ['[data-live-announcer]'] },
    { resultTypes: ['violations'], iframes: false },
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

const WAITING = '.animate-breathe, .animate-spin';

export const isWaiting = () => document.querySelector(WAITING) !== null;

const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true });

/** What says that something is still to come, with its words. */
function waitingWords(): string[] {
  return [...document.querySelectorAll('[role=status], [role=progressbar]')]
    .filter((one) => one.matches(`:has(${WAITING})`))
    .map((one) => one.getAttribute('aria-label') ?? one.textContent);
}

const alerts = () => [...document.querySelectorAll('[role=alert]')].filter(isShown);

/** What somebody sees of a screen whose calls have no answer yet. */
export function problemsOfLoading(): string[] {
  const words = waitingWords();
  if (words.length === 0) return ['nothing says that it is loading'];
  return words.some((text) => text.trim() === '') ? ['something waits without a word'] : [];
}

/** What somebody sees of a screen that failed. */
export function problemsOfFailure(): string[] {
  const [alert] = alerts();
  if (alert === undefined) return ['nothing says that it failed'];
  const words = alert.textContent.trim();
  return [
    ...(words === '' ? ['the failure has no words'] : []),
    ...(isWaiting() ? ['something waits for ever'] : []),
  ];
}

/** What somebody sees of a screen that is there. */
export function problemsOfContent(): string[] {
  const main = document.querySelector('main');
  if (main === null) return ['there is no main part'];
  return [
    ...(main.textContent.trim() === '' ? ['the screen is blank'] : []),
    ...(isWaiting() ? ['something waits for ever'] : []),
    ...(document.title === '' ? ['the window has no title'] : []),
  ];
}
