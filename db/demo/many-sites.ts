export const MOST_SITES = 10_000;
