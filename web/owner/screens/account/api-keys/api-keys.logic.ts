export const LIFETIMES = ['never', 'month', 'quarter', 'year'] as const;
export type Lifetime = (typeof LIFETIMES)[number];

const DAYS: Record<Exclude<Lifetime, 'never'>, number> = { month: 30, quarter: 90, year: 365 };

/** @returns the expiry of a key created now, in the API's format */
export function endOf(lifetime: Lifetime, now = Date.now()): string | null {
  return lifetime === 'never' ? null : new Date(now + DAYS[lifetime] * 86_400_000).toISOString();
}

/** Only the first use of an hour is recorded (`server/accounts/api-keys/key-uses.ts`): there may be one after it. */
export function isRecentUse(lastUsedAt: string, now: number): boolean {
  return now - Date.parse(lastUsedAt) < 3_600_000;
}
