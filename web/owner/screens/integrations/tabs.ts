/** The tabs of an integration's page, by what its URL calls them. */
export const TAB_IDS = ['overview', 'links', 'comparison', 'settings', 'technical'] as const;

export type TabId = (typeof TAB_IDS)[number];
