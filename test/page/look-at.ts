import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type Axe from 'axe-core';
import type { Page } from 'playwright-core';
import { untilStill } from '#test/harness/still.ts';

interface Sniffer {
  process(standard: string, root: Document, done: (error?: Error) => void): void;
  getMessages(): { type: number; code: string; msg: string; element: Element }[];
}

/** Both put themselves into the window in which they run. */
declare global {
  var axe: typeof Axe;
  var HTMLCS: Sniffer;
}

const require = createRequire(import.meta.url);

const axeSource = readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe has to say against a page, with the elements. A document in a frame, like the editor's preview of the public
 * page, is looked at separately; React Aria's announcer is hidden from sight, and names its parts for a moment only.
 */
export async function violationsOf(page: Page): Promise<string[]> {
  await untilStill(page);
  // Several hundred pages are looked at: axe's own source, run once in each, takes half the time of its driver.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axeSource);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(
      { exclude: ['[data-live-announcer]'] },
      { resultTypes: ['violations'], iframes: false },
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  });
}

const snifferSource = readFile(require.resolve('@pa11y/html_codesniffer/build/HTMLCS.js'), 'utf8');

/**
 * The errors that pa11y finds: what its runner, HTML_CodeSniffer, says against a page by WCAG 2 AA, with the elements. A
 * field that isn't rendered, such as the one behind a button that uploads, has no name to read; React Aria's announcer
 * names its parts for a moment only.
 */
export async function pa11yErrorsOf(page: Page): Promise<string[]> {
  await untilStill(page);
  if (!(await page.evaluate(() => 'HTMLCS' in globalThis))) await page.evaluate(await snifferSource);
  return page.evaluate(async () => {
    const sniffer = globalThis.HTMLCS;
    const ERROR = 1;
    const isRead = (element: Element) =>
      !element.matches('[data-live-announcer] *') && (!element.matches('input') || element.checkVisibility());
    await new Promise<void>((resolve, reject) => {
      sniffer.process('WCAG2AA', document, (error) => (error ? reject(error) : resolve()));
    });
    return sniffer
      .getMessages()
      .filter(({ type, element }) => type === ERROR && isRead(element))
      .map(({ code, msg, element }) => `${code}: ${msg} ${element.outerHTML.slice(0, 200)}`);
  });
}

/** How much wider than its window a page is, in pixels. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** What is wrong with how a page is shown; nothing may be wider than the window. */
export async function problemsOf(page: Page): Promise<string[]> {
  return [...(await violationsOf(page)), ...(await overflowingOf(page))];
}

const WINDOWS = [
  { name: 'phone, dark', width: 360, height: 740, colorScheme: 'dark', problemsIn: problemsOf },
  // What axe looks for hardly differs here from the other two, and takes most of the time.
  { name: 'tablet, light', width: 768, height: 1024, colorScheme: 'light', problemsIn: overflowingWhenStill },
  { name: 'desktop, light', width: 1280, height: 900, colorScheme: 'light', problemsIn: problemsOf },
] as const;

/** What is wrong with a page in windows of three sizes, in both themes, by window; the last one stays. */
export async function problemsByWindow(page: Page): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { name, colorScheme, problemsIn, ...size } of WINDOWS) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    const problems = await problemsIn(page);
    if (problems.length > 0) found[name] = problems;
  }
  return found;
}

async function overflowingWhenStill(page: Page): Promise<string[]> {
  await untilStill(page);
  return overflowingOf(page);
}

/** What reaches beyond its window's right edge: innermost parts, by their classes and words. */
export async function overflowingOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const beyond = document.documentElement.scrollWidth - width;
    if (beyond <= 0) return [];
    const isBeyond = (one: Element) => {
      const { left, right } = one.getBoundingClientRect();
      const spills = getComputedStyle(one).overflowX === 'visible';
      return Math.max(right, spills ? left + one.scrollWidth : 0) > width + 1;
    };
    const innermost = [...document.querySelectorAll('body *')].filter(
      (one) => isBeyond(one) && ![...one.children].some(isBeyond),
    );
    const words = innermost.slice(0, 5).map((one) => `${one.className} "${one.textContent?.slice(0, 60)}"`);
    return [`${beyond} px wider than its window: ${words.join(' | ')}`];
  });
}

export interface MeasuredText {
  text: string;
  /** WCAG 2.2 contrast of the text and what is really behind it. */
  contrast: number;
}

/**
 * Every text that can be seen, and what has been typed, with its contrast as the browser paints it: the ground is
 * looked for under the text's own place, so that parts which overlap others are measured as they are.
 */
export async function measureTexts(page: Page): Promise<MeasuredText[]> {
  return page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { pointer-events: auto !important }');
    document.adoptedStyleSheets = [sheet];

    const channelsOf = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    function luminanceOf(colour: string): number {
      const [r = 0, g = 0, b = 0] = channelsOf(colour).map((channel) => {
        const share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }
    function contrastOf(one: string, other: string): number {
      const [a, b] = [luminanceOf(one), luminanceOf(other)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }
    const isOpaque = (element: Element) => {
      const { backgroundColor } = getComputedStyle(element);
      return (channelsOf(backgroundColor)[3] ?? 1) === 1;
    };
    function groundOf(element: Element, { left, top, width, height }: DOMRect): string | null {
      const under = document.elementsFromPoint(left + width / 2, top + height / 2);
      const place = under.indexOf(element);
      const ground = place < 0 ? undefined : under.slice(place).find(isOpaque);
      return ground === undefined ? null : getComputedStyle(ground).backgroundColor;
    }

    function measure(element: Element, text: string, rect: () => DOMRect | undefined) {
      if (text === '' || !element.checkVisibility({ visibilityProperty: true })) return [];
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const place = rect();
      const ground = place === undefined || place.width < 2 ? null : groundOf(element, place);
      // Behind an open dialog, or for screen readers only.
      if (ground === null) return [];
      return [{ text, contrast: contrastOf(getComputedStyle(element).color, ground) }];
    }

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: { text: string; contrast: number }[] = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const range = document.createRange();
      range.selectNodeContents(node);
      const element = node.parentElement ?? document.body;
      found.push(...measure(element, node.textContent?.trim() ?? '', () => range.getClientRects()[0]));
    }
    for (const input of document.querySelectorAll<HTMLInputElement>('input[type=email]')) {
      found.push(...measure(input, input.value.trim(), () => input.getBoundingClientRect()));
    }
    return found;
  });
}
