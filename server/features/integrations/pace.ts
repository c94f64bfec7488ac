import type { Connector, RateLimit } from '#server/connectors/connector.ts';

/** Of a tool that names no limit: to be held back when it says that it is too much. */
const UNNAMED: RateLimit = { requests: 100, perSeconds: 1 };

export function limitsOf({ limits }: Connector): readonly RateLimit[] {
  return limits.length === 0 ? [UNNAMED] : limits;
}

/**
 * An even pace with some calls at once: in no window are there more than the tool allows, however it counts them.
 * @returns how far apart calls are on average, and how far ahead of that pace they may run
 */
export function paceOf({ requests, perSeconds }: RateLimit): { intervalMs: number; aheadMs: number } {
  const atOnce = Math.max(1, Math.floor(requests / 5));
  const intervalMs = (perSeconds * 1000) / Math.max(1, requests - atOnce);
  return { intervalMs, aheadMs: (atOnce - 1) * intervalMs };
}
