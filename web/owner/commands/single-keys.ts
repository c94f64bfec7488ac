const KEY = 'single_keys';

/** Single-key shortcuts can be turned off: people who dictate, or have a tremor, trigger them by accident (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}

export function setSingleKeys(areOn: boolean): void {
  if (areOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
}
