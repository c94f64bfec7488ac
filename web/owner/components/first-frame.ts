import { useElementScrollRestoration, useRouter } from '@tanstack/react-router';
import { useDeferredValue } from 'react';

/** The least height of the top bar and the screen's title, in pixels. */
const TITLE_HEIGHT = 150;

/**
 * How many rows of a long list are rendered: at first as many as the window shows, so that they are painted sooner, and
 * right after that all of them. All at once where the window goes to a place further down. For a component that is
 * mounted with its rows.
 * @param rowHeight of the lowest possible row, in pixels
 * @param above the least height of what stands above the first row, in pixels
 */
export function useRowLimit(rowHeight: number, above = TITLE_HEIGHT): number {
  const { latestLocation } = useRouter();
  const isLeftBefore = useElementScrollRestoration({ getElement: () => window }) !== undefined;
  const isFar = isLeftBefore || latestLocation.hash !== '';
  return useDeferredValue(Infinity, isFar ? Infinity : Math.ceil((window.innerHeight - above) / rowHeight));
}

/**
 * Renders less at first: false during a component's first render, true immediately afterwards. Use it to hold back parts
 * below the fold or in a side column, so that the first frame is painted sooner. They must not shift the layout when they
 * appear.
 */
export function useAfterFirstPaint(): boolean {
  return useDeferredValue(true, false);
}
