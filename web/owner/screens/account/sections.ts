/** The sections of the account settings, in their order; the address names one. */
export const SECTION_IDS = [
  'profile',
  'security',
  'appearance',
  'organization',
  'team',
  'api-keys',
  'audit-log',
  'data',
] as const;

export type SectionId = (typeof SECTION_IDS)[number];
