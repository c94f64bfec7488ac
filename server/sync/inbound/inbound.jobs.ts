import { ConnectorError, type InboundEvent } from '#server/connectors/connector.ts';
import { type Job, queueTask } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { connectorOf } from '#server/tools/integrations/integrations.ts';
import { forgetOld, handleEvents, recordFailed, type Told } from './inbound.ts';
import { closeRequest, findRequest, type InboundRequestRow } from './inbound.sql.ts';
import { INBOUND, openRequest } from './receive.ts';

const CONCURRENCY = 8;

export const INBOUND_WORKER = queueTask(INBOUND, CONCURRENCY, workOff);

/** Works off one request of a tool. What cannot be read is kept with its reason. */
export async function workOff(services: Services, job: Job): Promise<void> {
  const row = await services.database.readSite(job.site_id, (site) => findRequest(site, job.id));
  if (row === undefined || row.state !== 'waiting') return;
  const told: Told = {
    siteId: job.site_id,
    integrationId: row.integration_id,
    connector: connectorOf(row),
    receivedAt: row.received_at,
  };
  const read = readRequest(services, told, row);
  if ('reason' in read) await recordFailed(services, told, row.id, read.reason);
  else await handleEvents(services, told, read.events);
  const state = 'reason' in read ? 'failed' : 'done';
  await services.database.inSite(job.site_id, (site) => closeRequest(site, row.id, state));
  await forgetOld(services, told);
}

function readRequest(
  services: Services,
  { connector }: Told,
  row: InboundRequestRow,
): { events: InboundEvent[] } | { reason: string } {
  const request = openRequest(services, row);
  if (request === null) return { reason: 'It cannot be opened any more: its key is gone.' };
  if (connector.inbound.kind !== 'webhook') return { reason: `${connector.name} has no webhooks.` };
  try {
    return { events: connector.inbound.parse(request) };
  } catch (error) {
    if (error instanceof ConnectorError) return { reason: error.message };
    services.log.error({ err: error, connector: connector.id }, 'a webhook could not be read');
    return { reason: `This could not be read as a webhook of ${connector.name}.` };
  }
}
