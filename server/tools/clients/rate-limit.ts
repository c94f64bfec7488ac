import type { Connector, RateLimit } from '#server/connectors/connector.ts';

/** Of a tool that names no limit: to be held back when it says that it is too much. */
const DEFAULT_LIMIT: RateLimit = { requests: 100, perSeconds: 1 };

export function limitsOf({ limits }: Connector): readonly RateLimit[] {
  return limits.length === 0 ? [DEFAULT_LIMIT] : limits;
}

/** Of a window: so much of it is given up, so that an account is used to nineteen twentieths. */
const SAFETY_MARGIN = 0.05;
/** Of what is given up, so much is for calls that take longer than others on their way. The rest lets calls run ahead. */
const LATENCY = { share: 0.01, atLeastMs: 25 };

/**
 * An even pace with some calls at once: in no window are there more than the tool allows, however it counts them.
 * @returns how far apart calls are on average, and how far ahead of that pace they may run
 */
export function paceOf({ requests, perSeconds }: RateLimit): { intervalMs: number; aheadMs: number } {
  const windowMs = perSeconds * 1000;
  const onTheWayMs = Math.max(LATENCY.atLeastMs, windowMs * LATENCY.share);
  return {
    intervalMs: (windowMs * (1 + SAFETY_MARGIN)) / requests,
    aheadMs: Math.max(0, windowMs * SAFETY_MARGIN - onTheWayMs),
  };
}
