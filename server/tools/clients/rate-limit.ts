import type { Connector, RateLimit } from '#server/connectors/connector.ts';

/** For tools without a documented limit; a 429 slows them down. */
const DEFAULT_LIMIT: RateLimit = { requests: 100, perSeconds: 1 };

export function limitsOf({ limits }: Connector): readonly RateLimit[] {
  return limits.length === 0 ? [DEFAULT_LIMIT] : limits;
}

/** Share of each window left unused, so that an account is used to 95 %. */
const SAFETY_MARGIN = 0.05;
/** Part of the safety margin for calls with a higher latency. The rest is the burst allowance. */
const LATENCY = { share: 0.01, atLeastMs: 25 };

/**
 * An even pace with a small burst: no window holds more calls than the tool allows, wherever the tool starts
 * counting.
 * @returns average interval between calls, and how far they may run ahead of that pace
 */
export function paceOf({ requests, perSeconds }: RateLimit): { intervalMs: number; aheadMs: number } {
  const windowMs = perSeconds * 1000;
  const onTheWayMs = Math.max(LATENCY.atLeastMs, windowMs * LATENCY.share);
  return {
    intervalMs: (windowMs * (1 + SAFETY_MARGIN)) / requests,
    aheadMs: Math.max(0, windowMs * SAFETY_MARGIN - onTheWayMs),
  };
}
