/** Finds a Chromium, or installs one; throws with one clear sentence when neither is possible. */
export function ensureChromium(): Promise<string>;
