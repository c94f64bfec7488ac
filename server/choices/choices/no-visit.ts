import type { Evidence } from '#contract/choices.ts';

export const NOTHING_SHOWN: Evidence['shown'] = {
  page_id: null,
  page_version: null,
  template_id: null,
  url: null,
  lists: [],
};

/** Context of a choice made without a page visit. */
export const NO_VISIT = { language: null, ip: null, userAgent: null, shown: NOTHING_SHOWN } as const;
