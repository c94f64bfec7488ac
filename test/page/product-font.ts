import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '../..');

/** The product's own font, as a style sheet in which nothing is left to load. */
export function interFace(): string {
  const [file = ''] = globSync('dist/owner/assets/inter-latin-wght*.woff2', { cwd: ROOT });
  const font = readFileSync(join(ROOT, file)).toString('base64');
  return `@font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${font}) }`;
}

/**
 * Sets the preference pages in a window in the product's font. They have the system's, and this system may have none
 * that people know. The window's context bypasses the CSP.
 */
export async function setInProductFont(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    if ((await frame.locator('.pp').count()) === 0) continue;
    await frame.addStyleTag({ content: `${interFace()} .pp { font-family: Inter !important }` });
    await frame.evaluate(() => document.fonts.load('1em Inter'));
  }
}
