import type { Page } from 'playwright-core';

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
