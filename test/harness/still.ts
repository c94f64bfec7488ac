import type { Page } from 'playwright-core';

/** Transitions are ended, as waiting for them took a third of a look at a page, and what effects draw is drawn. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const isPassing = (one: Animation) =>
      one.playState === 'running' && one.effect?.getComputedTiming().iterations === 1;
    const animationsNow = () => document.getAnimations().filter(isPassing);
    for (const _ of [1, 2]) await nextFrame();
    for (let passing = animationsNow(); passing.length > 0; passing = animationsNow()) {
      for (const one of passing) one.finish();
      await nextFrame();
    }
  });
}
