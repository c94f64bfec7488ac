const KEY = 'single_keys';

/** Keys without Ctrl or Cmd can be switched off: who dictates, or has a tremor, presses them by chance. */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}

export function setSingleKeys(areOn: boolean): void {
  if (areOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
}
