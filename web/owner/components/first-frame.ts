import { useElementScrollRestoration, useRouter } from '@tanstack/react-router';
import { useDeferredValue } from 'react';

/** In pixels: the top bar and the screen's title, at least. */
const TITLE_HEIGHT = 150;

/**
 * How many rows of a long list are rendered: at first as many as the window shows, so that they are painted sooner, and
 * right after that all of them. All at once where the window goes to a place further down. For a component that is
 * mounted with its rows.
 * @param rowHeight in pixels, of the lowest row that there is
 * @param above in pixels: what the screen shows above the first row, at least
 */
export function useRowLimit(rowHeight: number, above = TITLE_HEIGHT): number {
  const { latestLocation } = useRouter();
  const isLeftBefore = useElementScrollRestoration({ getElement: () => window }) !== undefined;
  const isFar = isLeftBefore || latestLocation.hash !== '';
  return useDeferredValue(Infinity, isFar ? Infinity : Math.ceil((window.innerHeight - above) / rowHeight));
}

/**
 * False while a component is rendered for the first time, and true right after that. What waits for it lets the first
 * frame come sooner: parts below what the window shows, or beside what was asked for. It must move nothing when it comes.
 */
export function useIsDrawn(): boolean {
  return useDeferredValue(true, false);
}
