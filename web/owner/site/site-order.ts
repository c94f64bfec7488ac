import type { Site } from '#contract/sites.ts';
import type { Language } from '#contract/fields.ts';

/** Sites as people look for them; the API gives the oldest first. */
export function byName(sites: readonly Site[], language: Language): Site[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  return sites.toSorted((a, b) => compare(a.name, b.name));
}
