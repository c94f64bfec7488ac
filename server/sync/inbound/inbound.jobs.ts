import { ConnectorError, type InboundEvent } from '#server/connectors/connector.ts';
import { type Job, queueTask } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { connectorOf } from '#server/tools/integrations/integrations.ts';
import { deleteOldEvents, handleEvents, recordFailed, type EventOrigin } from './inbound.ts';
import { closeRequest, findRequest, type InboundRequestRow } from './inbound.sql.ts';
import { INBOUND, decryptRequest } from './receive.ts';

const CONCURRENCY = 8;

export const INBOUND_WORKER = queueTask(INBOUND, CONCURRENCY, handleJob);

/** Handles one webhook request. An unreadable one is stored with the reason. */
export async function handleJob(services: Services, job: Job): Promise<void> {
  const row = await services.database.readSite(job.site_id, (site) => findRequest(site, job.id));
  if (row === undefined || row.state !== 'waiting') return;
  const origin: EventOrigin = {
    siteId: job.site_id,
    integrationId: row.integration_id,
    connector: connectorOf(row),
    receivedAt: row.received_at,
  };
  const read = readRequest(services, origin, row);
  if ('reason' in read) await recordFailed(services, origin, row.id, read.reason);
  else await handleEvents(services, origin, read.events);
  const state = 'reason' in read ? 'failed' : 'done';
  await services.database.inSite(job.site_id, (site) => closeRequest(site, row.id, state));
  await deleteOldEvents(services, origin);
}

function readRequest(
  services: Services,
  { connector }: EventOrigin,
  row: InboundRequestRow,
): { events: InboundEvent[] } | { reason: string } {
  const request = decryptRequest(services, row);
  if (request === null) return { reason: "We can't decrypt it anymore: its key is gone." };
  if (connector.inbound.kind !== 'webhook') return { reason: `${connector.name} has no webhooks.` };
  try {
    return { events: connector.inbound.parse(request) };
  } catch (error) {
    if (error instanceof ConnectorError) return { reason: error.message };
    services.log.error({ err: error, connector: connector.id }, 'a webhook could not be read');
    return { reason: `We couldn't read this as a ${connector.name} webhook.` };
  }
}
