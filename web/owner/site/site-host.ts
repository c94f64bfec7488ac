import type { Site } from '#contract/sites.ts';

/** Where the site's pages are. */
export function hostOf({ url }: Site): string {
  return new URL(url).hostname;
}
