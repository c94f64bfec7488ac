import { setTimeout as sleep } from 'node:timers/promises';
import { type Connector, ConnectorError } from '#server/connectors/connector.ts';
import { findConnector } from '#server/connectors/index.ts';
import { type OAuthClient, type Grant, GrantEnded, refreshGrant } from '#server/connectors/oauth.ts';
import type { TokenSource } from '#server/connectors/tool-api.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import type { OwnerNotice } from '#server/tools/health/owner-notices.mails.ts';
import { notifyOwners } from '#server/tools/health/notify-owners.ts';
import { recordToolFailure } from '#server/tools/health/tool-failures.ts';
import { decryptAuth, encryptAuth } from '#server/tools/integrations/credentials.ts';
import {
  findIntegration,
  type IntegrationRow,
  lockIntegration,
  updateIntegration,
} from '#server/tools/integrations/integrations.sql.ts';
import { oauthClientOf, tokenEndpointOf } from '#server/tools/integrations/oauth-app.ts';
import {
  dueRenewals,
  releaseRenewal,
  type TokensKey,
  saveRenewal,
  backoffUntil,
  postponeRenewal,
  claimRenewal,
} from './tokens.sql.ts';

export { deleteRenewal, saveRenewal } from './tokens.sql.ts';

/*
 * Refresh tokens are single-use; using one twice may lose the connection. One process at a time renews the tokens of
 * an integration under a lease (no transaction stays open while the tool is called); the others wait and read the new
 * tokens.
 */

/** A token is renewed this long before it expires. */
const MARGIN_MS = 60_000;
/** The background job renews earlier still, so that GET requests find a valid token and refresh tokens stay alive. */
const AHEAD_MS = 5 * 60_000;
/** Longer than the call and saving its answer take in the worst case. */
const LEASE_MS = 60_000;
const POLL_EVERY_MS = 100;
const MAX_WAIT_MS = 30_000;
/** Backoff after a failure that does not concern the grant. */
const BACKOFF_MS = 10_000;
const SAVE_TRIES = 6;

/** When the background job renews tokens; null: never. */
export function renewalOf({ expiresAt, refreshToken }: Grant, now: Date): Date | null {
  if (expiresAt === null || refreshToken === null) return null;
  const life = Math.max(0, expiresAt - now.getTime());
  return new Date(expiresAt - Math.min(AHEAD_MS, life / 4));
}

const endsWithin = ({ expiresAt }: Grant, ms: number, now: Date) =>
  expiresAt !== null && expiresAt - now.getTime() <= ms;

/**
 * The tokens of an integration, for a client.
 * @param isReading renews nothing, so that no row changes
 */
export function tokenSourceFor(
  services: Services,
  connector: Connector,
  row: IntegrationRow,
  grant: Grant,
  isReading: boolean,
): TokenSource {
  const { clock } = services;
  let current = grant;

  return {
    learned: grant.learned,
    async token() {
      if (isReading) {
        if (endsWithin(current, 0, clock.now())) current = await readGrant(services, row);
        if (endsWithin(current, 0, clock.now())) throw endedError(connector, current);
      } else if (endsWithin(current, MARGIN_MS, clock.now())) {
        current = await renew(services, connector, row, current.accessToken);
      }
      return current.accessToken;
    },
    async tokenAfter(refused) {
      if (isReading || connector.oauth?.refreshWith === null) {
        current = await readGrant(services, row);
        return current.accessToken === refused ? null : current.accessToken;
      }
      current = await renew(services, connector, row, refused);
      return current.accessToken;
    },
  };
}

function endedError(connector: Connector, { refreshToken }: Grant): ConnectorError {
  return refreshToken === null ? new GrantEnded(connector.name) : renewingError(connector);
}

/** Not a failure of the tool: callers retry in a moment without using a try. */
function renewingError({ name }: Connector): ConnectorError {
  const seconds = BACKOFF_MS / 1000;
  return new ConnectorError('rate_limited', `We're renewing the connection to ${name}.`, seconds);
}

async function readRow(services: Services, { site_id, id }: Pick<IntegrationRow, 'site_id' | 'id'>) {
  return services.database.readSite(site_id, (site) => findIntegration(site, id));
}

/** @throws ConnectorError if the integration was disconnected or reconnected meanwhile */
function grantOf(services: Services, row: IntegrationRow | undefined): Grant {
  const auth = row === undefined ? null : decryptAuth(services, row);
  if (auth?.kind === 'oauth') return auth.grant;
  throw new ConnectorError('unavailable', 'The integration was just disconnected or reconnected.');
}

async function readGrant(services: Services, row: IntegrationRow): Promise<Grant> {
  return grantOf(services, await readRow(services, row));
}

/**
 * Replaces a token that expires or was refused. However many callers and processes ask at once, the tool is called
 * once.
 * @throws ConnectorError; `bad_credentials` once only an owner can fix it
 */
export async function renew(
  services: Services,
  connector: Connector,
  row: IntegrationRow,
  stale: string,
): Promise<Grant> {
  const held = { siteId: row.site_id, integrationId: row.id };
  const { global } = services.database;
  const begun = performance.now();
  while (performance.now() - begun < MAX_WAIT_MS) {
    const grant = await readGrant(services, row);
    if (grant.accessToken !== stale) return grant;
    if (grant.refreshToken === null) throw new GrantEnded(connector.name);
    const now = services.clock.now();
    const turn = { now, until: new Date(now.getTime() + LEASE_MS), lease: newId() };
    if (await claimRenewal(global, held, turn)) {
      return renewWithLease(services, connector, row, { stale, lease: turn.lease });
    }
    if ((await backoffUntil(global, held, now)) !== null) break;
    await sleep(POLL_EVERY_MS);
  }
  throw renewingError(connector);
}

async function renewWithLease(
  services: Services,
  connector: Connector,
  { site_id: siteId, id }: IntegrationRow,
  { stale, lease }: { stale: string; lease: string },
): Promise<Grant> {
  const { global } = services.database;
  const held = { siteId, integrationId: id };
  try {
    const row = await readRow(services, { site_id: siteId, id });
    const grant = grantOf(services, row);
    if (row === undefined || grant.accessToken !== stale) {
      await releaseRenewal(global, held, lease, { locked_until: null });
      return grant;
    }
    return await requestTokens(services, connector, row, grant);
  } catch (error) {
    // Has no effect if the lease is no longer ours, as after saving the tool's answer.
    const now = services.clock.now().getTime();
    await releaseRenewal(global, held, lease, {
      locked_until: new Date(now + BACKOFF_MS),
      renew_at: new Date(now + AHEAD_MS),
    });
    throw error;
  }
}

async function requestTokens(
  services: Services,
  connector: Connector,
  row: IntegrationRow,
  grant: Grant,
): Promise<Grant> {
  const asking = oauthClientOf(services, connector);
  if (asking === null) throw noAppError(connector);
  const fresh = await refreshOrEnd(services, asking, grant);
  const { isKept, notice } = await retryUntilSaved(services, () =>
    saveTokens(services, connector, row, grant, fresh),
  );
  if (!isKept) return readGrant(services, row);
  if (notice !== null) await notifyOwners(services, row.site_id, notice);
  if (fresh === null) throw new GrantEnded(connector.name);
  return fresh;
}

function noAppError({ name, envName }: Connector): ConnectorError {
  return new ConnectorError(
    'unavailable',
    `This server no longer has a ${name} app. The person who runs it has to set CONNECTOR_${envName}_CLIENT_ID and _SECRET.`,
  );
}

/** null: the tool has revoked the grant */
async function refreshOrEnd(services: Services, client: OAuthClient, grant: Grant): Promise<Grant | null> {
  try {
    return await refreshGrant(client, tokenEndpointOf(services, client.connector), grant);
  } catch (error) {
    if (error instanceof GrantEnded) return null;
    throw error;
  }
}

/**
 * Saves in one transaction; leaves a grant alone that an owner has renewed meanwhile.
 * @param fresh null: the tool has revoked the grant
 */
async function saveTokens(
  services: Services,
  connector: Connector,
  row: IntegrationRow,
  used: Grant,
  fresh: Grant | null,
): Promise<{ isKept: boolean; notice: OwnerNotice | null }> {
  const now = services.clock.now();
  // The access token may still work for some minutes; using it would only notify the owners again when it expires.
  const grant = fresh ?? { ...used, refreshToken: null, expiresAt: 0 };
  const after = encryptAuth(services, row.site_id, row.id, { kind: 'oauth', grant });
  return services.database.inSite(row.site_id, async (site) => {
    // Compares plaintexts: the ciphertext may have been re-encrypted with another key meanwhile.
    const current = await lockIntegration(site, row.id);
    const isKept = current !== undefined && holdsGrant(services, current, used);
    if (!isKept) return { isKept, notice: null };
    await updateIntegration(site, row.id, { credentials_sealed: after });
    await saveRenewal(site, row.id, renewalOf(grant, now));
    if (fresh !== null) return { isKept, notice: null };
    const { message: error } = new GrantEnded(connector.name);
    const trouble = { outcome: 'bad_credentials', error } as const;
    return { isKept, notice: await recordToolFailure(site, row.id, trouble, now) };
  });
}

function holdsGrant(services: Services, row: IntegrationRow, { accessToken, refreshToken }: Grant): boolean {
  const auth = decryptAuth(services, row);
  if (auth.kind !== 'oauth') return false;
  return auth.grant.accessToken === accessToken && auth.grant.refreshToken === refreshToken;
}

/** The old tokens are used up: a short database outage must not lose the new ones. */
async function retryUntilSaved<T>(services: Services, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      services.log.warn({ err: error }, 'renewed tokens could not be stored yet');
      if (tries === SAVE_TRIES) throw error;
      await sleep(2 ** tries * POLL_EVERY_MS);
    }
  }
}

const BATCH_SIZE = 48;
/** A slow tool blocks one of these. */
const CONCURRENCY = 8;

/** Renews tokens that expire soon even if nobody uses the tool, since unused refresh tokens expire as well. */
export async function renewDue(services: Services, signal?: AbortSignal): Promise<void> {
  const due = await dueRenewals(services.database.global, services.clock.now(), BATCH_SIZE);
  const lanes = Array.from({ length: CONCURRENCY }, async () => {
    for (let held = due.shift(); held !== undefined && signal?.aborted !== true; held = due.shift()) {
      await renewOrPostpone(services, held);
    }
  });
  await Promise.all(lanes);
}

async function renewOrPostpone(services: Services, held: TokensKey): Promise<void> {
  try {
    await renewOne(services, held);
  } catch (error) {
    const { integrationId: integration } = held;
    services.log.info({ err: error, integration }, 'tokens of a tool were not renewed');
    // A failing renewal must not block the others.
    const until = new Date(services.clock.now().getTime() + AHEAD_MS);
    await postponeRenewal(services.database.global, held, until);
  }
}

async function renewOne(services: Services, { siteId, integrationId }: TokensKey): Promise<void> {
  const row = await readRow(services, { site_id: siteId, id: integrationId });
  const connector = row === undefined ? undefined : findConnector(row.provider);
  if (row === undefined || connector === undefined) return;
  const grant = grantOf(services, row);
  const due = renewalOf(grant, services.clock.now());
  // Another process has renewed them meanwhile.
  if (due !== null && !endsWithin(grant, AHEAD_MS, services.clock.now())) return;
  await renew(services, connector, row, grant.accessToken);
}
