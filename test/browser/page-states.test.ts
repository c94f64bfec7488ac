import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '#contract/fields.ts';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { scaled } from '#test/harness/scale.ts';
import { type MeasuredText, measureTexts, overflowOf, violationsOf } from '#test/page/look-at.ts';
import {
  HOSTILE_COLOURS,
  type Look,
  PAGE_STATES,
  type PageState,
  TELLING_STATES,
} from '#test/page/page-states.ts';
import { openStage, type Stage } from '#test/page/stage.ts';
import { textsAtRisk, translatePage } from '#test/page/translator.ts';

const WINDOWS = 2;
const LANGUAGES_OF_STATE = scaled(1);
const HOSTILE = Object.entries(HOSTILE_COLOURS);
const PHONE = { viewport: { width: 360, height: 740 } };

let browser: TestBrowser;
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

type Scene = { state: PageState; look: Look };

/** Shows each scene, in a few windows at once; gives what was found, by scene. */
async function lookAt<T>(
  scenes: Scene[],
  look: (page: Page, scene: Scene) => Promise<T | null>,
  onceAlive?: (page: Page) => Promise<void>,
): Promise<Record<string, T>> {
  const found: Record<string, T> = {};
  const left = [...scenes];
  async function oneWindow(index: number) {
    const page = await stage.openWindow((await browser.open(PHONE)).context());
    for (let scene = left.shift(); scene !== undefined; scene = left.shift()) {
      const { state, look: how } = scene;
      const name = `${state.name}, ${how.template}, ${how.language}`;
      await browser.step(`${name} (window ${index})`, () => stage.show(page, state, how, onceAlive));
      const seen = await look(page, scene);
      if (seen !== null) found[name] = seen;
    }
    await page.context().close();
  }
  await Promise.all(Array.from({ length: WINDOWS }, (_, index) => oneWindow(index)));
  return found;
}

describe('every state of the public page', () => {
  it('has a name of its own', () => {
    const names = PAGE_STATES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  // Every state meets one language and one template, and each of these every eighth state; `TEST_SCALE=8` looks at every
  // state in all languages, `npm run catalogue` at the whole product of the three, which takes longer than all other
  // tests together.
  it.each(LANGUAGES.map((language, index) => ({ language, index })))(
    'has no violation and fits on a phone, in $language',
    async ({ language, index }) => {
      const scenes = PAGE_STATES.flatMap((state, place): Scene[] => {
        if ((place + index) % LANGUAGES.length >= LANGUAGES_OF_STATE) return [];
        const turn = index + Math.floor(place / LANGUAGES.length);
        const template = TEMPLATE_IDS[turn % TEMPLATE_IDS.length] ?? TEMPLATE_IDS[0];
        return [{ state, look: { template, language } }];
      });
      const found = await lookAt(scenes, async (page) => {
        const [violations, overflow] = [await violationsOf(page), await overflowOf(page)];
        return violations.length === 0 && overflow === 0 ? null : { violations, overflow };
      });
      expect(found).toEqual({});
    },
  );

  it('works and shows its own words while a browser translates it', async () => {
    let rendered = 0;
    const scenes = PAGE_STATES.filter(({ isPlain }) => isPlain !== true).map((state): Scene => {
      return { state, look: { template: 'default_preference_page', language: 'en' } };
    });
    const broken = await lookAt(
      scenes,
      async (page) => {
        const { isRendered, bare, stale } = await textsAtRisk(page);
        if (isRendered) rendered += 1;
        const isBlank = (await page.locator('.pp h1').count()) === 0;
        return isBlank || bare.length > 0 || stale.length > 0 ? { isBlank, bare, stale } : null;
      },
      translatePage,
    );
    expect(broken).toEqual({});
    expect(rendered).toBeGreaterThan(60);
  });

  it('keeps the address in a heading on one line where it fits', async () => {
    const scenes = PAGE_STATES.filter(({ name }) => name === 'email_undo, done').map((state): Scene => {
      return { state, look: { template: 'default_preference_page', language: 'en' } };
    });
    const lines = await lookAt(scenes, (page) =>
      page.locator('h1 [translate=no]').evaluate((address) => {
        const text = document.createRange();
        text.selectNodeContents(address);
        return new Set(Array.from(text.getClientRects(), ({ top }) => top)).size;
      }),
    );
    expect(lines).toEqual({ 'email_undo, done, default_preference_page, en': 1 });
  });

  // Each state comes with one choice of colours and is given the others where it stands.
  it('can be read in whatever colors an owner chooses (spec 21)', async () => {
    const scenes = TELLING_STATES.flatMap((state, place) =>
      TEMPLATE_IDS.map((template, turn): Scene => {
        const colours = HOSTILE[(place + turn) % HOSTILE.length]?.[1];
        return { state, look: { template, language: 'en', ...(colours && { colours }) } };
      }),
    );
    let measured = 0;
    const faint = await lookAt(scenes, async (page, { state, look }) => {
      const unreadable: Record<string, MeasuredText[]> = {};
      for (const [name, colours] of HOSTILE) {
        await stage.recolour(page, state, { ...look, colours });
        const texts = await measureTexts(page);
        measured += texts.length;
        const tooFaint = texts.filter(({ contrast }) => contrast < 4.5);
        if (tooFaint.length > 0) unreadable[name] = tooFaint;
      }
      return Object.keys(unreadable).length === 0 ? null : unreadable;
    });
    expect(faint).toEqual({});
    expect(measured).toBeGreaterThan(scenes.length * HOSTILE.length * 5);
  });
});
