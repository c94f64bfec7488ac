import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Waits until the keyboard is in `place`, or in something in it: menus and dialogs move it there, and back, a moment
 * after they are seen.
 */
export async function untilFocusIn(place: Locator): Promise<void> {
  await expect.poll(() => place.evaluate((element) => element.contains(document.activeElement))).toBe(true);
}

/** React Aria focuses a dialog a second time so long after it opened, if nothing has the focus just then. */
const FOCUSED_AGAIN_MS = 500;

/**
 * Waits until an open dialog no longer moves the focus. Before that, it takes it when a menu or list in it closes at just
 * that moment, which only happens to tests.
 */
export async function untilSettled(dialog: Locator): Promise<void> {
  await untilFocusIn(dialog);
  // In the page, where timers run in the order in which they are due, however busy the machine is.
  await dialog.evaluate((_, ms) => new Promise((resolve) => setTimeout(resolve, ms)), FOCUSED_AGAIN_MS);
}

/** @returns what the element is called that has the keyboard, '' for none */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const one = document.activeElement;
    const label = one instanceof HTMLInputElement ? one.labels?.[0]?.textContent : null;
    return one?.getAttribute('aria-label') ?? label ?? one?.textContent ?? '';
  });
}

/** Goes on with Tab until what has the keyboard is called so. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let pressed = 0; pressed < 120; pressed += 1) {
    await page.keyboard.press('Tab');
    const focused = await focusedName(page);
    if (name.test(focused)) return;
    seen.push(focused.slice(0, 30));
  }
  throw new Error(`Nothing called ${name} can be reached by Tab: ${seen.join(' | ')}`);
}
