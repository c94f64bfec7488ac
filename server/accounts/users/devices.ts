import type { Browser, System } from '#contract/account-data.ts';

/** The first match wins: most browsers also claim to be Chrome or Safari. */
const BROWSERS: [Browser, RegExp][] = [
  ['edge', /Edg(?:e|A|iOS)?\//],
  ['opera', /OPR\/|Opera/],
  ['samsung', /SamsungBrowser\//],
  ['firefox', /Firefox\/|FxiOS\//],
  ['chrome', /Chrome\/|CriOS\/|Chromium\//],
  ['safari', /Safari\//],
];

const SYSTEMS: [System, RegExp][] = [
  ['android', /Android/],
  ['ios', /iPhone|iPad|iPod/],
  ['chromeos', /CrOS/],
  ['windows', /Windows/],
  ['macos', /Mac OS X|Macintosh/],
  ['linux', /Linux|X11/],
];

/** Browser and system of a user agent, just precise enough to tell one's devices apart. */
export function deviceOf(userAgent: string | undefined): { browser: Browser | null; system: System | null } {
  const firstOf = <Name>(known: [Name, RegExp][]) =>
    known.find(([, sign]) => sign.test(userAgent ?? ''))?.[0] ?? null;
  return { browser: firstOf(BROWSERS), system: firstOf(SYSTEMS) };
}
