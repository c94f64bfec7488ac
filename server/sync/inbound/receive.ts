import type { InboundRequest } from '#server/connectors/connector.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { idToBytes, newId } from '#server/platform/ids.ts';
import type { JobQueue } from '#server/platform/queue.ts';
import { reencryptText, type SealedRow } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { decryptWebhookSecret } from '#server/tools/integrations/credentials.ts';
import { siteOfHook } from '#server/tools/integrations/hook-address.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
  updateIntegration,
} from '#server/tools/integrations/integrations.ts';
import { type InboundRequestRow, insertRequest } from './inbound.sql.ts';

export const INBOUND: JobQueue = {
  name: 'inbound',
  options: {
    // Events are handled in the end, however long the database or a worker is down.
    retryLimit: 1000,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 300,
    // A body of a megabyte may hold thousands of events.
    expireInSeconds: 1800,
    deleteAfterSeconds: 3600,
    retentionSeconds: 14 * 24 * 3600,
  },
};

const PURPOSE = 'inbound-request';

/** To the day: no call waits for the row of its integration. */
const DAY_MS = 86_400_000;

const contextOf = (siteId: string, id: string) => Buffer.concat([idToBytes(siteId), idToBytes(id)]);

/** Credentials of the request are useless afterwards. */
const STRIPPED_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

function encryptRequest({ keyring }: Services, siteId: string, id: string, request: InboundRequest): string {
  const headers = Object.entries(request.headers).filter(([name]) => !STRIPPED_HEADERS.has(name));
  const head = Buffer.from(JSON.stringify(Object.fromEntries(headers)), 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  const plain = Buffer.concat([length, head, request.rawBody]);
  return keyring.seal(PURPOSE, plain, contextOf(siteId, id));
}

export function reencryptRequest({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  return reencryptText(keyring, PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

/** null if it is gone or cannot be decrypted */
export function decryptRequest({ keyring }: Services, row: InboundRequestRow): InboundRequest | null {
  const plain = keyring.open(PURPOSE, row.sealed ?? '', contextOf(row.site_id, row.id));
  if (plain === null) return null;
  const bodyAt = 4 + plain.readUInt32BE();
  const headers = JSON.parse(plain.subarray(4, bodyAt).toString('utf8')) as Record<string, string>;
  return { headers, rawBody: plain.subarray(bodyAt) };
}

/** @throws AppError `not_found` for any URL but a connected tool's own */
export async function requireHook(
  services: Services,
  address: { integration: string; secret: string },
): Promise<IntegrationRow> {
  const siteId = siteOfHook(services, address.integration, address.secret);
  if (siteId === null) throw notFound('This URL');
  const integration = await services.database.readSite(siteId, (site) =>
    findIntegration(site, address.integration),
  );
  if (integration === undefined || connectorOf(integration).inbound.kind !== 'webhook') {
    throw notFound('This URL');
  }
  return integration;
}

/**
 * Saves a request together with its job before the tool is answered.
 * @throws AppError `invalid_credentials` if the signature is wrong
 */
export async function receive(
  services: Services,
  integration: IntegrationRow,
  request: InboundRequest,
): Promise<void> {
  const connector = connectorOf(integration);
  const now = services.clock.now();
  const secret = decryptWebhookSecret(services, integration);
  const isGenuine =
    connector.inbound.kind === 'webhook' &&
    secret !== null &&
    connector.inbound.isGenuine(request, secret, now);
  if (!isGenuine) {
    throw new AppError(
      'invalid_credentials',
      `The signature doesn't match this integration's secret. Enter the secret from ${connector.name} as webhook_secret.`,
    );
  }
  const id = newId();
  await services.database.inSite(integration.site_id, async (site) => {
    await insertRequest(site, {
      id,
      integration_id: integration.id,
      provider: integration.provider,
      state: 'waiting',
      sealed: encryptRequest(services, integration.site_id, id, request),
      received_at: now,
    });
    await services.queue.enqueue(site, INBOUND, [{ id, round: 0 }]);
    const last = integration.webhook_called_at?.getTime() ?? 0;
    if (now.getTime() - last >= DAY_MS)
      await updateIntegration(site, integration.id, { webhook_called_at: now });
  });
}
