import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connector,
  ConnectorError,
  type OwnWebhook,
  type WebhookPlace,
} from '#server/connectors/connector.ts';
import { registerWebhook, removeWebhook } from '#server/connectors/webhook-places.ts';
import { looksPublic } from '#server/platform/ip-addresses.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { decryptWebhookSecret, encryptWebhookSecret } from '#server/tools/integrations/credentials.ts';
import { hookUrl } from '#server/tools/integrations/hook-address.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
  updateIntegration,
} from '#server/tools/integrations/integrations.ts';
import { nextNightlyRun } from '#server/tools/schedule/nightly-schedule.ts';
import { scheduledTask } from '#server/tools/schedule/scheduled-tasks.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A tool that doesn't answer holds up nobody who disconnects it. */
const REMOVED_WITHIN_MS = 10_000;

type Purpose = 'owner' | 'background';

/** Looks every night whether the tools still have our webhooks, and puts right what isn't. */
export const WEBHOOK_CHECKS = scheduledTask({ kind: 'webhook', run: check });

async function check(
  services: Services,
  { siteId, integrationId: id }: { siteId: string; integrationId: string },
): Promise<number> {
  const row = await services.database.readSite(siteId, (site) => findIntegration(site, id));
  if (row === undefined) return DAY_MS;
  // New credentials make it due at once.
  if (row.status !== 'connected') return HOUR_MS;
  const error = await bringIn(services, row, 'background');
  if (error !== null && !error.isFinal) return Math.max(HOUR_MS, (error.retryAfterSeconds ?? 0) * 1000);
  const now = services.clock.now();
  return nextNightlyRun(id, now).getTime() - now.getTime();
}

/**
 * Registers the integration's webhook in the tool, where it is missing or not as we need it, and remembers what came of it.
 * @returns why it couldn't be done
 */
export async function bringIn(
  services: Services,
  row: IntegrationRow,
  purpose: Purpose,
): Promise<ConnectorError | null> {
  const found = await register(services, row, purpose);
  const now = services.clock.now();
  const { error } = found;
  await services.database.inSite(row.site_id, (site) =>
    updateIntegration(site, row.id, {
      webhook_checked_at: now,
      webhook_reason: error?.message ?? null,
      ...(error === null ? { webhook_registered_at: now } : {}),
      ...(error?.isFinal === true ? { webhook_registered_at: null } : {}),
      // One that is gone says no more that another has been set up by hand.
      ...(found.isMissing ? { webhook_called_at: null } : {}),
    }),
  );
  return error;
}

async function register(
  services: Services,
  row: IntegrationRow,
  purpose: Purpose,
): Promise<{ error: ConnectorError | null; isMissing: boolean }> {
  try {
    const own = ownWebhookOf(services, row);
    const error = await registerWebhook(await placesOf(services, row, own, purpose), own.url);
    return { error, isMissing: error !== null };
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return { error, isMissing: false };
  }
}

function ownWebhookOf(services: Services, row: IntegrationRow): OwnWebhook {
  const { site_id: siteId, id } = row;
  let secret = decryptWebhookSecret(services, row) ?? '';
  return {
    url: hookUrl(services, siteId, id),
    secret: () => secret,
    async keep(next) {
      secret = next;
      const sealed = encryptWebhookSecret(services, siteId, id, next);
      await services.database.inSite(siteId, (site) =>
        updateIntegration(site, id, { webhook_secret_sealed: sealed }),
      );
    },
  };
}

/** @throws ConnectorError `refused` where the tool has no way to us */
async function placesOf(
  services: Services,
  row: IntegrationRow,
  own: OwnWebhook,
  purpose: Purpose,
): Promise<readonly WebhookPlace[]> {
  const connector = connectorOf(row);
  const { inbound } = connector;
  if (inbound.kind !== 'webhook' || inbound.places === undefined) {
    throw new ConnectorError('refused', `${connector.name}'s API can't set up webhooks.`);
  }
  const { api, baseUrl } = toolClientFor(services, connector, row, { purpose });
  requireWay(connector, own.url, baseUrl);
  return inbound.places(api, own);
}

/** A tool on the internet can't call an address in a network of its own; a stand-in beside us can. */
function requireWay({ name }: Connector, ours: string, theirs: string): void {
  const url = new URL(ours);
  if (looksPublic(url) || !looksPublic(new URL(theirs))) return;
  throw new ConnectorError(
    'refused',
    `${name} can't reach ${url.origin}: it isn't an address on the internet (APP_URL).`,
  );
}

/** Takes our webhook out of the tool, as far as that goes: whoever disconnects it doesn't depend on it. */
export async function takeOut(services: Services, row: IntegrationRow): Promise<void> {
  if (connectorOf(row).inbound.kind !== 'webhook') return;
  const removing = remove(services, row).catch((error: unknown) => {
    services.log.info({ err: error, integration: row.id }, 'a webhook stays in its tool');
  });
  await Promise.race([removing, sleep(REMOVED_WITHIN_MS, undefined, { ref: false })]);
}

async function remove(services: Services, row: IntegrationRow): Promise<void> {
  const own = ownWebhookOf(services, row);
  await removeWebhook(await placesOf(services, row, own, 'owner'), own.url);
}
