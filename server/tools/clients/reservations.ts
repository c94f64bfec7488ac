import type { Connector } from '#server/connectors/connector.ts';
import type { Services } from '#server/platform/services.ts';
import { accountKeyOf, decryptAuth } from '#server/tools/integrations/credentials.ts';
import type { IntegrationRow } from '#server/tools/integrations/integrations.sql.ts';
import { isQuota, limitsOf, paceOf } from './rate-limit.ts';
import { reserveNextSlot } from './rate-limit.sql.ts';

export { clearReservations } from './rate-limit.sql.ts';

/** No reservation is further ahead; a caller that finds no slot then reserves again. */
const MAX_AHEAD_MS = 30 * 60_000;

/** How many of a delivery's calls count against the same limit. */
function callsAgainst(connector: Connector, calls: number): number {
  const isShared = limitsOf(connector).some(({ endpointOf }) => endpointOf === undefined);
  // A delivery seldom makes the same call twice.
  return isShared ? Math.max(1, calls) : 1;
}

function slowestOf(connector: Connector): number {
  const paces = limitsOf(connector).filter((limit) => !isQuota(limit));
  return Math.max(...paces.map((limit) => paceOf(limit).intervalMs));
}

/**
 * Reserves a time to retry for work that found no rate-limit slot, spaced as the limit that it met allows.
 * @param wait.calls number of calls that it will make
 * @param wait.intervalMs average time between calls that the limit allows; default: that of the account's slowest pace
 */
export async function reserveToolSlot(
  services: Services,
  connector: Connector,
  row: Pick<IntegrationRow, 'site_id' | 'id' | 'credentials_sealed'>,
  { calls, intervalMs = slowestOf(connector) }: { calls: number; intervalMs?: number | undefined },
): Promise<Date> {
  const spacingMs = intervalMs * callsAgainst(connector, calls);
  const account = accountKeyOf(connector, decryptAuth(services, row), row.id);
  return reserveSlot(services, `${account}:line`, spacingMs);
}

export async function reserveSlot(
  services: Services,
  line: string,
  spacingMs: number,
  longestMs = MAX_AHEAD_MS,
): Promise<Date> {
  const now = services.clock.now();
  const end = new Date(now.getTime() + longestMs);
  const place = await reserveNextSlot(services.database.global, line, { now, spacingMs, end });
  // Spreads the callers beyond the end, so that they do not all retry at once.
  const latest = now.getTime() + longestMs * (1 - Math.random() / 5);
  return new Date(Math.min(place.getTime(), latest));
}
