import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { PAGE_CUSTOMER, type PageState, stateNamed } from '#test/page/page-states.ts';
import { openStage, type Stage } from '#test/page/stage.ts';

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

async function open(state: PageState, template: (typeof TEMPLATE_IDS)[number] = TEMPLATE_IDS[0]) {
  const page = await stage.openWindow((await browser.open()).context());
  await stage.show(page, state, { template, language: 'en' });
  return page;
}

/** A state from which a person goes on; the API answers as `answers` says. */
const startOf = (name: string, answers: PageState['answers'] = {}): PageState => ({
  ...stateNamed(name),
  answers,
  reach: async () => {},
});

/** The preferences once their script has come: until then, "Change email" is another element, which it replaces. */
async function openPreferences(template: (typeof TEMPLATE_IDS)[number]): Promise<Page> {
  const page = await open(startOf('preferences'), template);
  await page.getByRole('button', { name: 'Change email' }).waitFor();
  return page;
}

interface Focused {
  name: string;
  /** Something is drawn around it. */
  isMarked: boolean;
  isSeen: boolean;
}

function focused(page: Page): Promise<Focused> {
  return page.evaluate(() => {
    const element = document.activeElement ?? document.body;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { top, bottom } = element.getBoundingClientRect();
    const bar = element.closest('.pp-bar') === null ? document.querySelector('.pp-bar') : null;
    const end = bar?.getBoundingClientRect().top ?? innerHeight;
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null;
    const name = element.getAttribute('aria-label') ?? label ?? element.textContent ?? '';
    return {
      name: name.trim().slice(0, 40),
      isMarked: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
      // What comes after the bar, comes to its end, where the bar does not lie over it.
      isSeen: top >= 0 && bottom <= innerHeight && (bottom <= end || top >= end),
    };
  });
}

/** Goes through the page by Tab until nothing new is reached. */
async function tabThrough(page: Page): Promise<Focused[]> {
  const found: Focused[] = [];
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now.name === '' || (await page.evaluate(() => document.activeElement === document.body))) break;
    if (found[0]?.name === now.name) break;
    found.push(now);
  }
  return found;
}

async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let press = 0; press < 40; press += 1) {
    const now = await focused(page);
    if (typeof name === 'string' ? now.name === name : name.test(now.name)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reached ${String(name)}`);
}

/** Writes down what live regions say, in the order in which they say it. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(globalThis, { heard });
    const regionOf = (node: Node | null): Element | null =>
      (node instanceof Element ? node : (node?.parentElement ?? null))?.closest(
        '[role=status],[role=alert]',
      ) ?? null;
    new MutationObserver((changes) => {
      const regions = changes.flatMap(({ target, addedNodes }) => [
        regionOf(target),
        ...[...addedNodes].flatMap((node) =>
          node instanceof Element ? [...node.querySelectorAll('[role=alert]'), regionOf(node)] : [],
        ),
      ]);
      for (const region of new Set(regions)) {
        const text = region?.textContent?.trim() ?? '';
        if (text !== '') heard.push(`${region?.getAttribute('role')}: ${text}`);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
}

describe.each(TEMPLATE_IDS)('with only the keyboard, in %s', (template) => {
  it('every control is reached in the order of the page, marked and in sight', async () => {
    const page = await openPreferences(template);
    const reached = await tabThrough(page);
    const names = reached.map(({ name }) => name);
    const inOrder = [
      'Language: English',
      'Change email',
      'Weekly news',
      'Offers',
      'Unsubscribe from all',
      'Save',
    ];
    const places = inOrder.map((name) => names.findIndex((one) => one.startsWith(name)));
    expect(places, names.join(', ')).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(reached.filter(({ isMarked, isSeen }) => !isMarked || !isSeen)).toEqual([]);
  });

  it('Space moves a switch, and Enter on it saves', async () => {
    const page = await openPreferences(template);
    await tabTo(page, /^Weekly news/);
    const weekly = page.getByRole('switch', { name: /Weekly news/ });
    const before = await weekly.isChecked();
    await page.keyboard.press('Space');
    expect(await weekly.isChecked()).toBe(!before);
    await page.keyboard.press('Enter');
    await page.getByText('Your preferences have been saved').waitFor();
  });

  it('"Change email" keeps the focus when its script comes late', async () => {
    const context = (await browser.open()).context();
    const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>();
    await context.route(/\/parts-[^/]+\.js$/, async (route) => {
      await arrival;
      await route.continue();
    });
    const page = await stage.openWindow(context);
    await stage.show(page, startOf('preferences'), { template, language: 'en' });
    const button = page.getByRole('button', { name: 'Change email' });
    await tabTo(page, 'Change email');
    expect(await button.count()).toBe(0);
    arrive();
    await button.waitFor();
    expect((await focused(page)).name).toBe('Change email');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
  });

  it('the address dialog takes the focus, keeps it, and gives it back on Escape', async () => {
    const page = await openPreferences(template);
    await tabTo(page, 'Change email');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    const inDialog = () => page.evaluate(() => document.activeElement?.closest('dialog') !== null);
    for (let press = 0; press < 8; press += 1) {
      // Between its last control and its first, the browser's own window has its turn.
      const isOutside = await page.evaluate(() => document.activeElement === document.body);
      expect(isOutside || (await inDialog())).toBe(true);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(async () => (await focused(page)).name).toBe('Change email');
  });

  it('an address is entered with Enter, and a wrong one takes the focus back to its field (spec 48)', async () => {
    const page = await open(startOf('form'), template);
    await tabTo(page, /^Email/);
    await page.keyboard.type('nora@nowhere');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect((await focused(page)).name).toMatch(/^Email/);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(PAGE_CUSTOMER.email);
    await page.keyboard.press('Enter');
    await page.getByRole('switch').first().waitFor();
    await expect.poll(async () => (await focused(page)).name).toBe('Update your preferences');
  });
});

describe('to a screen reader, the page says', () => {
  it('that a save worked (spec 42)', async () => {
    const page = await open(startOf('preferences'));
    const heard = await listen(page);
    await page.getByRole('switch').first().click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(heard)
      .toContainEqual(expect.stringMatching(/^status: .*Your preferences have been saved/));
  });

  it('what is true after it, once', async () => {
    const page = await open(startOf('preferences'));
    const heard = await listen(page);
    await page.getByRole('switch').first().click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(heard).toContain('status: You’ll receive: New arrivals.');
    expect(await heard()).toEqual([
      'status: Your preferences have been saved',
      'status: You’ll receive: New arrivals.',
    ]);
  });

  it('that a save failed, at once and why', async () => {
    const page = await open(startOf('preferences', { PUT: 'no connection' }));
    const heard = await listen(page);
    await page.getByRole('switch').first().click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(heard)
      .toContainEqual(expect.stringMatching(/^alert: Not saved: you seem to be offline/));
  });

  it('that an address was changed, or what is wrong with it', async () => {
    const page = await open(startOf('preferences'));
    const heard = await listen(page);
    await page.getByRole('button', { name: 'Change email' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Update' }).click();
    await expect.poll(heard).toContain("alert: This field can't be empty");
    expect(await dialog.getByRole('textbox').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByRole('textbox').fill('ben@example.com');
    await dialog.getByRole('button', { name: 'Update' }).click();
    await expect.poll(heard).toContain('status: Email updated!');
  });

  it('what a link asks, did and reverted', async () => {
    const page = await open(startOf('link, undone'));
    const heard = await listen(page);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(heard).toContain('status: You’re unsubscribed from Weekly news.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(heard).toContain('status: Your preferences are back to how they were.');
  });

  it('that an address is not one, and that it looks for one', async () => {
    const page = await open(startOf('form', { GET: 'never' }));
    const heard = await listen(page);
    await page.getByRole('textbox').fill('nora@nowhere');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(heard).toContain('alert: Enter an email like name@example.com');
    await page.getByRole('textbox').fill('nora@example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(heard).toContain('status: Loading your preferences…');
  });
});
