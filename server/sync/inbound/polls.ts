import { ConnectorError } from '#server/connectors/connector.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { recordRefusedCredentials } from '#server/tools/health/tool-failures.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import { scheduledTask } from '#server/tools/schedule/scheduled-tasks.ts';
import { deleteOldEvents, handleEvents, recordFailed, type EventOrigin } from './inbound.ts';
import { savePoll } from './inbound.sql.ts';
import { newsOf, rememberNews } from './known-opt-outs.ts';

const POLL_EVERY_MS = 5 * 60_000;

/** Polls the tools that have no webhooks. */
export const POLLS = scheduledTask({ kind: 'poll', run: poll });

/** @returns milliseconds until the next poll */
async function poll(
  services: Services,
  { siteId, integrationId: id }: { siteId: string; integrationId: string },
): Promise<number> {
  const row = await services.database.readSite(siteId, (site) => findIntegration(site, id));
  if (row === undefined || row.status !== 'connected') return POLL_EVERY_MS;
  const connector = connectorOf(row);
  const { inbound } = connector;
  if (inbound.kind !== 'poll') return POLL_EVERY_MS;
  const told = (): EventOrigin => ({
    siteId,
    integrationId: id,
    connector,
    receivedAt: services.clock.now(),
  });
  try {
    const { api } = toolClientFor(services, connector, row, { purpose: 'background' });
    const asked = told();
    const { events, standings = [], cursor } = await inbound.poll(api, row.poll_cursor);
    const toldNow = told();
    const news = await newsOf(services, asked, standings);
    await handleEvents(services, toldNow, [...events, ...news.events]);
    await rememberNews(services, asked, news);
    // Saved after the events: after a crash they are fetched again and recognized.
    await services.database.inSite(siteId, (site) =>
      savePoll(site, id, { poll_cursor: cursor, poll_error: null }),
    );
    await deleteOldEvents(services, toldNow);
    return POLL_EVERY_MS;
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    await noteFailure(services, row, told(), error);
    return Math.max(POLL_EVERY_MS, (error.retryAfterSeconds ?? 0) * 1000);
  }
}

/** Records the same failure once, until a poll succeeds. */
async function noteFailure(
  services: Services,
  row: IntegrationRow,
  origin: EventOrigin,
  { kind, message }: ConnectorError,
): Promise<void> {
  if (kind === 'rate_limited') return;
  if (row.poll_error === kind) return;
  await recordFailed(services, origin, `poll:${newId()}`, message);
  await services.database.inSite(row.site_id, (site) => savePoll(site, row.id, { poll_error: kind }));
  if (kind === 'bad_credentials') await recordRefusedCredentials(services, row, message);
}
