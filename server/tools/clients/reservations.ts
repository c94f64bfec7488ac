import type { Connector } from '#server/connectors/connector.ts';
import type { Services } from '#server/platform/services.ts';
import { accountKeyOf, decryptAuth } from '#server/tools/integrations/credentials.ts';
import type { IntegrationRow } from '#server/tools/integrations/integrations.sql.ts';
import { limitsOf, paceOf } from './rate-limit.ts';
import { reserveNextSlot } from './rate-limit.sql.ts';

export { clearReservations } from './rate-limit.sql.ts';

/** Nobody stands in line for longer; who still finds no room then stands in line again. */
const MAX_AHEAD_MS = 30 * 60_000;

/**
 * When something that found no room comes again: each at its own time, as far apart as the account allows.
 * @param calls how many it will make
 */
export async function reserveToolSlot(
  services: Services,
  connector: Connector,
  row: Pick<IntegrationRow, 'site_id' | 'id' | 'credentials_sealed'>,
  calls: number,
): Promise<Date> {
  const intervals = limitsOf(connector).map((limit) => paceOf(limit).intervalMs);
  const spacingMs = Math.max(...intervals) * Math.max(1, calls);
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
  // Those beyond the end do not all come at once either.
  const latest = now.getTime() + longestMs * (1 - Math.random() / 5);
  return new Date(Math.min(place.getTime(), latest));
}
