import { keptInBrowser } from '#web/ui/browser-storage.ts';

const KEY = 'single_keys';

/** Single-key shortcuts can be turned off: people who dictate, or have a tremor, trigger them by accident (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return keptInBrowser.getItem(KEY) !== 'off';
}

export function setSingleKeys(areOn: boolean): void {
  if (areOn) keptInBrowser.removeItem(KEY);
  else keptInBrowser.setItem(KEY, 'off');
}
