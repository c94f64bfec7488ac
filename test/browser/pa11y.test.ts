import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '#contract/fields.ts';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startDemo } from '#test/page/demo.ts';
import { pa11yErrorsOf } from '#test/page/look-at.ts';
import { ownerShots } from '#test/page/owner-screens.ts';
import { showOwnerShot, storageOf } from '#test/page/owner-stage.ts';
import { buildOwnerWorld } from '#test/page/owner-world.ts';
import { PAGE_STATES } from '#test/page/page-states.ts';
import { openStage } from '#test/page/stage.ts';
import { startFakes } from '../../scripts/fakes.mjs';

/*
 * What pa11y finds, beside axe: its runner, in windows that have been brought to a state. pa11y itself opens URLs in a
 * browser of its own, which its installation downloads.
 */

const LONG_MS = 1_200_000;
const PHONE = { viewport: { width: 360, height: 740 } };
const DESKTOP = { viewport: { width: 1280, height: 900 } };

let browser: TestBrowser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(() => browser.close());

describe('pa11y finds no error', () => {
  it(
    'in any state of the public page',
    async () => {
      const stage = await openStage();
      const page = await stage.openWindow((await browser.open(PHONE)).context());
      const found: Record<string, string[]> = {};
      for (const [place, state] of PAGE_STATES.entries()) {
        const language = LANGUAGES[place % LANGUAGES.length] ?? 'en';
        const template = TEMPLATE_IDS[place % TEMPLATE_IDS.length] ?? TEMPLATE_IDS[0];
        await browser.step(state.name, () => stage.show(page, state, { template, language }));
        const errors = await pa11yErrorsOf(page);
        if (errors.length > 0) found[`${state.name}, ${template}, ${language}`] = errors;
      }
      await stage.close();
      expect(found).toEqual({});
    },
    LONG_MS,
  );

  it(
    'on any screen of the owner app',
    async () => {
      const fakes = await startFakes();
      const demo = await startDemo({ fakes });
      const world = await buildOwnerWorld(demo);
      const found: Record<string, string[]> = {};
      const screens = ownerShots(world).filter(({ state }) => state === 'ready');
      for (const [who, shots] of Map.groupBy(screens, (shot) => shot.who)) {
        const page = await browser.open({ ...DESKTOP, storageState: await storageOf(demo, world, who) });
        for (const shot of shots) {
          await browser.step(shot.name, () => showOwnerShot(page, demo, shot));
          const errors = await pa11yErrorsOf(page);
          if (errors.length > 0) found[shot.name] = errors;
        }
        await page.context().close();
      }
      await demo.stop();
      await fakes.stop();
      expect(found).toEqual({});
      expect(screens.length).toBeGreaterThan(20);
    },
    LONG_MS,
  );
});
