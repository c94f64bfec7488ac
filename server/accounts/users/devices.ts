import type { Browser, System } from '#contract/account-data.ts';

/** The first that fits: most browsers call themselves Chrome or Safari as well. */
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

/** Browser and system of a user agent, as coarse as owners need them to tell their devices apart. */
export function deviceOf(userAgent: string | undefined): { browser: Browser | null; system: System | null } {
  const firstOf = <Name>(known: [Name, RegExp][]) =>
    known.find(([, sign]) => sign.test(userAgent ?? ''))?.[0] ?? null;
  return { browser: firstOf(BROWSERS), system: firstOf(SYSTEMS) };
}
