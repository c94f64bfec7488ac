import type { ParsedLocation } from '@tanstack/react-router';
import type { SiteParams } from './screens/lists/lists.api.ts';
import { siteAhead } from './site.tsx';

/** A screen that is on its way, or that a link points at. */
export interface Visit {
  site: SiteParams;
  /** The last part of its path: what it is about, where it is about one thing. */
  id: string;
  /** As the address has it; where a screen reads it in another way, it asks again. */
  search: Record<string, unknown>;
}

/** Gives what reads a screen's first rows into the cache. It comes with the parts of the screen. */
export type LoadReader = () => Promise<(visit: Visit) => void>;

/** Reads the first rows of a screen while its parts are still loading; nothing waits for it, and nothing fails by it. */
export function readAhead(
  load: LoadReader,
  { pathname, search }: Pick<ParsedLocation, 'pathname' | 'search'>,
): void {
  Promise.all([load(), siteAhead()]).then(
    ([read, site]) => site && read({ site, id: pathname.split('/').at(-1) ?? '', search: { ...search } }),
    // The screen asks for itself, and says what went wrong.
    () => null,
  );
}
