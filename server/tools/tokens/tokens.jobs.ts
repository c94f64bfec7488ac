import type { Services } from '#server/platform/services.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import { renewDue } from './tokens.ts';

const LOOK_EVERY_MS = 15_000;

/** Keeps the tokens of tools that were connected by OAuth good, in this process. */
export function startTokenRenewals(services: Services): Ticks {
  return startTicks('tool-tokens', LOOK_EVERY_MS, services.log, (signal) => renewDue(services, signal));
}
