import type { ParsedLocation } from '@tanstack/react-router';
import type { SiteParams } from './screens/lists/lists.api.ts';

/** A screen that is on its way, or that a link points at. */
export interface Visit {
  site: SiteParams;
  /** What it is about, where it is about one thing. */
  id: string;
  /** As the address has it; where a screen reads it in another way, it asks again. */
  search: Record<string, unknown>;
}

/** Reads the first rows of a screen before it is there. Not at once: `screens-ahead.ts` brings it when the first screen stands. */
export const ahead: {
  read?: (location: Pick<ParsedLocation, 'pathname' | 'search'>) => void;
  /** While the shell stands. */
  site?: SiteParams;
} = {};

/**
 * What reads the first rows into the cache: of a screen by its path, and of those about one thing (`/lists/$id`). They come with
 * the parts of the screens, so that the first load is no larger for them.
 */
export const readers: Record<string, (visit: Visit) => void> = {};

/** Loads what the screens of the shell need besides their components. */
export const partsOfScreens: (() => Promise<unknown>)[] = [];

let isUnasked = false;

export const isLoadingUnasked = () => isUnasked;

/** Loads parts that nobody waits for: one that is gone loads nothing anew until somebody asks for it. */
export function loadUnasked(load: () => Promise<unknown>): Promise<void> {
  isUnasked = true;
  const end = () => {
    isUnasked = false;
  };
  // Whoever goes there asks again.
  return load().then(end, end);
}
