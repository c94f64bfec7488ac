import type { Page } from 'playwright-core';

/** By the window's own clock (`performance.now`), so that a busy test process changes nothing; 0: not yet. */
export interface ShownTimes {
  shownAt: number;
  goneAt: number;
}

/**
 * Notes when a text first shows in a window, and when it is gone again.
 * @param selector of the elements that it may show in
 * @returns resolves with both times, or with the first only where `until` says so
 */
export async function timesOf(
  page: Page,
  selector: string,
  text: string,
): Promise<(until: keyof ShownTimes) => Promise<ShownTimes>> {
  const times = await page.evaluateHandle(
    ([within, wanted]) => {
      const noted = { shownAt: 0, goneAt: 0 };
      const isShown = () =>
        [...document.querySelectorAll<HTMLElement>(within)].some(
          (element) => element.checkVisibility() && element.innerText.includes(wanted),
        );
      const note = () => {
        if (noted.shownAt === 0 && isShown()) noted.shownAt = performance.now();
        if (noted.shownAt !== 0 && noted.goneAt === 0 && !isShown()) noted.goneAt = performance.now();
      };
      note();
      new MutationObserver(note).observe(document, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      return noted;
    },
    [selector, text] as const,
  );
  return async (until) => {
    await page.waitForFunction(([noted, key]) => noted[key] !== 0, [times, until] as const);
    return times.jsonValue();
  };
}
