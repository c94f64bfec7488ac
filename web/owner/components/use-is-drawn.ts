import { useDeferredValue } from 'react';

/**
 * False while a component is rendered for the first time, and true right after that. What waits for it lets the first
 * frame come sooner: parts below what the window shows, or beside what was asked for. It must move nothing when it comes.
 */
export function useIsDrawn(): boolean {
  return useDeferredValue(true, false);
}
