import { ConnectorError } from '#server/connectors/connector.ts';
import { tellOwners } from '#server/features/deliveries/tell-owners.ts';
import { noteToolFailure } from '#server/features/deliveries/tool-health.ts';
import { connectorOf } from '#server/features/integrations/integrations.ts';
import { findIntegration, type IntegrationRow } from '#server/features/integrations/integrations.sql.ts';
import { claimDuePoll, type PollRow, updateClaim } from '#server/features/integrations/polls.sql.ts';
import { lineOf } from '#server/features/integrations/tool-line.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import { forgetOld, handleEvents, recordFailed, type Told } from './inbound.ts';
import { savePoll } from './inbound.sql.ts';

const LOOK_EVERY_MS = 15_000;
const POLL_EVERY_MS = 5 * 60_000;
/** A worker that dies in the middle leaves the tool to the others after this time. */
const LEASE_MS = 3 * 60_000;
const RENEW_EVERY_MS = 60_000;
/** A slow tool holds up one of so many. */
const AT_ONCE = 8;

/** Asks the tools that tell nothing by themselves, in this process. */
export function startPolls(services: Services): Ticks {
  return startTicks('tool-polls', LOOK_EVERY_MS, services.log, (signal) => pollDue(services, signal));
}

const later = (services: Services, ms: number) => new Date(services.clock.now().getTime() + ms);

/** Polls every tool whose turn it is, each in one process at a time. */
export async function pollDue(services: Services, signal?: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: AT_ONCE }, () => pollOneAfterTheOther(services, signal)));
}

async function pollOneAfterTheOther(services: Services, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true) {
    const claim = await services.database.inTransaction((tx) =>
      claimDuePoll(tx, { now: services.clock.now(), until: later(services, LEASE_MS), lease: newId() }),
    );
    if (claim === undefined) return;
    await pollWhileClaimed(services, claim);
  }
}

async function pollWhileClaimed(services: Services, claim: PollRow): Promise<void> {
  const { global } = services.database;
  const renewing = setInterval(() => {
    updateClaim(global, claim, { due_at: later(services, LEASE_MS) }).catch((error: unknown) =>
      services.log.warn({ err: error }, 'the turn of a poll could not be made longer'),
    );
  }, RENEW_EVERY_MS);
  let waitMs = POLL_EVERY_MS;
  try {
    waitMs = await poll(services, claim);
  } catch (error) {
    services.log.warn({ err: error, poll: claim }, 'a tool could not be polled and will be again');
  } finally {
    clearInterval(renewing);
  }
  await updateClaim(global, claim, { due_at: later(services, waitMs), lease: null });
}

/** @returns how long to wait until the next time */
async function poll(services: Services, { site_id: siteId, integration_id: id }: PollRow): Promise<number> {
  const row = await services.database.readSite(siteId, (site) => findIntegration(site, id));
  if (row === undefined || row.status !== 'connected') return POLL_EVERY_MS;
  const connector = connectorOf(row);
  const { inbound } = connector;
  if (inbound.kind !== 'poll') return POLL_EVERY_MS;
  const told = (): Told => ({ siteId, integrationId: id, connector, receivedAt: services.clock.now() });
  try {
    const { line } = lineOf(services, connector, row);
    const { events, cursor } = await inbound.poll(line, row.poll_cursor);
    const toldNow = told();
    await handleEvents(services, toldNow, events);
    // After the events: whoever dies before asks for the same ones again, and knows them.
    await services.database.inSite(siteId, (site) =>
      savePoll(site, id, { poll_cursor: cursor, poll_error: null }),
    );
    await forgetOld(services, toldNow);
    return POLL_EVERY_MS;
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    await noteFailure(services, row, told(), error);
    return Math.max(POLL_EVERY_MS, (error.retryAfterSeconds ?? 0) * 1000);
  }
}

/** The same trouble is told once, until a poll goes well. */
async function noteFailure(
  services: Services,
  row: IntegrationRow,
  told: Told,
  { kind, message }: ConnectorError,
): Promise<void> {
  if (kind === 'rate_limited') return;
  if (row.poll_error === kind) return;
  await recordFailed(services, told, `poll:${newId()}`, message);
  await services.database.inSite(row.site_id, (site) => savePoll(site, row.id, { poll_error: kind }));
  if (kind !== 'bad_credentials') return;
  const mail = await services.database.inSite(row.site_id, (site) =>
    noteToolFailure(services, site, row.id, { outcome: kind, error: message }, services.clock.now()),
  );
  if (mail !== null) await tellOwners(services, row.site_id, mail);
}
