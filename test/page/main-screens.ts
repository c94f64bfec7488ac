import type { Locator, Page } from 'playwright-core';

/** The entries of the sidebar, and what the first rows of their screens look like. */
export const MAIN_SCREENS = {
  Dashboard: 'main a[href*="/evidence"]',
  Integrations: 'main li',
  Lists: 'main [role="row"]',
  Actions: 'main li',
  'Preference Pages': 'main li',
  Customers: 'main li',
  Deliveries: 'main li',
  'Site settings': 'main input',
} as const;

export type MainScreen = keyof typeof MAIN_SCREENS;

export const MAIN_SCREEN_NAMES = Object.keys(MAIN_SCREENS) as MainScreen[];

/** The entry of the sidebar that leads to a screen. */
export const entryOf = (page: Page, name: MainScreen) =>
  page.getByRole('navigation', { name: 'Navigation' }).getByRole('link', { name, exact: true });

/** For how long a screen may go on drawing after its first frame; what it does then doesn't count for the next one. */
export const SETTLES_MS = 300;

const GIVES_UP_MS = 20_000;

/**
 * Clicks a link and waits, inside the page, for the first frame that shows where it leads. Selectors that look for roles
 * do so in the page's own thread: waiting with them can take longer than drawing the screen.
 * @param link to a screen with another heading, or to a dialog
 * @param rows CSS selector of what its first rows look like
 * @returns milliseconds from the click to that frame, by the page's own clock
 * @throws Error if it has not appeared after 20 s
 */
export const follow = (link: Locator, rows: string): Promise<number> =>
  link.evaluate(
    (element: HTMLElement, [wanted, givesUpMs]) =>
      new Promise<number>((resolve, reject) => {
        const began = performance.now();
        const before = document.querySelector('h1');
        const look = () => {
          const heading = document.querySelector('h1');
          const isOther = wanted.includes('dialog') || (heading !== null && heading !== before);
          const isThere = isOther && document.querySelector(wanted) !== null;
          const isLoading = document.querySelector('main .animate-breathe, [role="dialog"] .animate-breathe');
          // The frame in which they are found is painted before the next one begins.
          if (isThere && !isLoading) requestAnimationFrame(() => resolve(performance.now() - began));
          else if (performance.now() - began < givesUpMs) requestAnimationFrame(look);
          else reject(new Error(`${location.href} shows nothing like ${wanted}`));
        };
        element.click();
        requestAnimationFrame(look);
      }),
    [rows, GIVES_UP_MS] as const,
  );
