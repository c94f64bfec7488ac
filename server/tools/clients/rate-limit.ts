import type { Connector, RateLimit } from '#server/connectors/connector.ts';

/** For tools without a documented pace; a 429 slows them down. */
const DEFAULT_LIMIT: RateLimit = { requests: 100, perSeconds: 1 };

/**
 * From here on, a limit is a quota rather than a pace: customers change most in the hours after a newsletter, so half of it
 * may be used at any time, and the other half comes back evenly.
 */
const QUOTA_SECONDS = 86_400;
const QUOTA_MARGIN = 1;
/** Part of what may be used at any time that background calls leave to deliveries. */
const KEPT_FOR_DELIVERIES = 0.5;

export const isQuota = ({ perSeconds }: RateLimit): boolean => perSeconds >= QUOTA_SECONDS;

/** @returns at least one pace */
export function limitsOf({ limits }: Connector): readonly RateLimit[] {
  return limits.every(isQuota) ? [DEFAULT_LIMIT, ...limits] : limits;
}

/** Share of each window left unused, so that an account is used to 95 %. */
const SAFETY_MARGIN = 0.05;
/** Part of the safety margin for calls with a higher latency. The rest is the burst allowance. */
const LATENCY = { share: 0.01, atLeastMs: 25 };

export interface Pace {
  /** Average time between calls. */
  intervalMs: number;
  /** How far calls may run ahead of that. */
  aheadMs: number;
  /** The same for background calls: of a pace, only what nobody else uses is theirs. */
  backgroundAheadMs: number;
}

/**
 * An even pace with a burst, small for a pace and large for a quota: no window holds more calls than the tool allows,
 * wherever the tool starts counting.
 */
export function paceOf(limit: RateLimit): Pace {
  const windowMs = limit.perSeconds * 1000;
  const margin = isQuota(limit) ? QUOTA_MARGIN : SAFETY_MARGIN;
  const onTheWayMs = Math.max(LATENCY.atLeastMs, windowMs * LATENCY.share);
  const intervalMs = (windowMs * (1 + margin)) / limit.requests;
  const aheadMs = Math.max(0, windowMs * margin - onTheWayMs);
  return {
    intervalMs,
    aheadMs,
    backgroundAheadMs: isQuota(limit) ? aheadMs * (1 - KEPT_FOR_DELIVERIES) : -intervalMs,
  };
}
