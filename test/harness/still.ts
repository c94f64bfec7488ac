import type { Page } from 'playwright-core';

/** Transitions are over, and what effects draw is drawn. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const _ of [1, 2]) await new Promise((resolve) => requestAnimationFrame(resolve));
    const passing = document
      .getAnimations()
      .filter((one) => one.playState === 'running' && one.effect?.getComputedTiming().iterations === 1);
    await Promise.all(passing.map((one) => one.finished.catch(() => {})));
  });
}
