import type { Page } from 'playwright-core';

/** Transitions are over, and what effects draw is drawn. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const isPassing = (one: Animation) =>
      one.playState === 'running' && one.effect?.getComputedTiming().iterations === 1;
    for (const _ of [1, 2]) await nextFrame();
    // Asked frame by frame: Chromium left `finished` pending for transitions whose window had changed its size.
    while (document.getAnimations().some(isPassing)) await nextFrame();
  });
}
