import { useSyncExternalStore } from 'react';
import { keptInBrowser } from '#web/ui/browser-storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'theme';
const listeners = new Set<() => void>();

export function readTheme(): Theme {
  const stored = keptInBrowser.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function hasOwnTheme(): boolean {
  return keptInBrowser.getItem(KEY) !== null;
}

export function setTheme(theme: Theme): void {
  keptInBrowser.setItem(KEY, theme);
  applyTheme();
}

/** Applies the stored theme to the document; `system` leaves it to the browser. */
export function applyTheme(): void {
  const theme = readTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTheme);
}
