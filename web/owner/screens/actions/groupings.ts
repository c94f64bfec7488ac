/** How the actions are grouped, as the URL says it. Apart from the grouping, which only their screen loads. */
export const GROUPINGS = ['tool', 'list'] as const;

export type Grouping = (typeof GROUPINGS)[number];
