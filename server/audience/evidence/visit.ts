import type { Language } from '#contract/fields.ts';

/** Who asks, and through what: what the evidence will say about a choice made on the public page. */
export interface Visit {
  siteId: string;
  host: string;
  ip: string;
  userAgent: string | null;
  language: Language | null;
  /** The URL has parameters that were changed on the way, as some scanners do. */
  isLinkChanged?: boolean;
}
