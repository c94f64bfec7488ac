import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '#contract/fields.ts';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { type Look, type PageState, stateNamed, textsFor } from '#test/page/page-states.ts';
import { openStage, type Stage } from '#test/page/stage.ts';

const PHONE = { viewport: { width: 360, height: 640 } };

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

const openPhone = async (options = {}) =>
  stage.openWindow((await browser.open({ ...PHONE, ...options })).context());

/** Where the buttons of the bar are in the window, and what the bar leaves of it. */
async function barOf(page: Page, look: Look) {
  const texts = textsFor(look);
  const boxOf = async (name: string) => {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox();
    return box === null
      ? null
      : { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
  };
  return {
    leave: await boxOf(texts['pref_template.unsubscribe_all']),
    save: await boxOf(texts['pref_template.save']),
    height: (await page.locator('.pp-bar').boundingBox())?.height ?? 0,
  };
}

const isInView = (box: { left: number; right: number; top: number; bottom: number } | null) =>
  box !== null && box.top >= 0 && box.bottom <= 640 && box.left >= 0 && box.right <= 360;

describe.each(TEMPLATE_IDS)('on a phone, %s', (template) => {
  it('“Unsubscribe from all” is in view without scrolling, in every language, with and without JavaScript', async () => {
    const page = await openPhone();
    const found: Record<string, unknown> = {};
    for (const language of LANGUAGES) {
      for (const name of ['preferences', 'preferences without scripts', 'preferences with fifty lists']) {
        const look: Look = { template, language };
        await stage.show(page, stateNamed(name), look);
        const bar = await barOf(page, look);
        const isBeside = bar.leave !== null && bar.save !== null && bar.leave.right <= bar.save.left;
        const isWhole = isInView(bar.leave) && isInView(bar.save) && isBeside;
        if (!isWhole || bar.height > 100) found[`${name}, ${language}`] = bar;
      }
    }
    expect(found).toEqual({});
  });

  it('every control that gets the focus comes into view above the bar', async () => {
    const page = await openPhone();
    const state: PageState = { ...stateNamed('preferences with fifty lists, changed') };
    await stage.show(page, state, { template, language: 'de' });
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const covered: string[] = [];
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press('Tab');
      const hidden = await page.evaluate(() => {
        const element = document.activeElement;
        const bar = document.querySelector('.pp-bar');
        if (!element || !bar || element === document.body || bar.contains(element)) return null;
        const [own, over] = [element.getBoundingClientRect(), bar.getBoundingClientRect()];
        const isClear =
          own.top >= 0 && own.bottom <= innerHeight && (own.bottom <= over.top || own.top >= over.bottom);
        return isClear
          ? null
          : `${element.outerHTML.slice(0, 80)}: ${own.top} to ${own.bottom}, bar ${over.top}`;
      });
      if (hidden !== null) covered.push(hidden);
    }
    expect(covered).toEqual([]);
  });
});

it('the bar leaves room for the page in a window that is enlarged to a few lines', async () => {
  const page = await openPhone({ viewport: { width: 320, height: 256 } });
  const look: Look = { template: 'default_preference_page', language: 'de' };
  await stage.show(page, stateNamed('preferences with fifty lists, changed'), look);
  await page.evaluate(() => scrollTo(0, 0));
  expect((await page.locator('.pp-bar').boundingBox())?.y).toBeGreaterThan(256);
});
