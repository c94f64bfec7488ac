import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Waits until the keyboard is in `place`, or in something in it: menus and dialogs move it there, and back, a moment
 * after they are seen.
 */
export async function untilFocusIn(place: Locator): Promise<void> {
  await expect.poll(() => place.evaluate((element) => element.contains(document.activeElement))).toBe(true);
}
