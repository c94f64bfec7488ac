import type { InboundEventView } from '#contract/inbound.ts';
import type { Connector, InboundEvent } from '#server/connectors/connector.ts';
import { idToBytes, newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import { reencryptText, type SealedRow, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { requireIntegration } from '#server/tools/integrations/integrations.ts';
import { applyInboundEvent, type InboundResult } from './apply-inbound-event.ts';
import {
  eventsOfIntegration,
  deleteOldInbound,
  hasEvent,
  type InboundEventRow,
  insertEvent,
} from './inbound.sql.ts';

export { eraseInboundOfCustomer } from './inbound.sql.ts';

/** The tool that reported an event, and when. */
export interface EventOrigin {
  siteId: string;
  integrationId: string;
  connector: Connector;
  receivedAt: Date;
}

const PURPOSE = 'inbound-email';
const MAX_EMAIL_LENGTH = 254;

/** Events are deduplicated and shown for this long. */
const KEPT_DAYS = 90;

const contextOf = (siteId: string, id: string) => Buffer.concat([idToBytes(siteId), idToBytes(id)]);

/** Handles events in order, each once however often it is reported. An interrupted run can be repeated. */
export async function handleEvents(
  services: Services,
  origin: EventOrigin,
  events: readonly InboundEvent[],
): Promise<void> {
  for (const event of events) {
    const key = sha256(event.id);
    const isKnown = await services.database.readSite(origin.siteId, (site) =>
      hasEvent(site, origin.integrationId, key),
    );
    if (!isKnown)
      await record(services, origin, key, event, await applyInboundEvent(services, origin, event));
  }
}

async function record(
  services: Services,
  { siteId, integrationId, receivedAt }: EventOrigin,
  key: Buffer,
  event: Pick<InboundEvent, 'email'> & { kind: InboundEvent['kind'] | null },
  verdict: InboundResult,
): Promise<void> {
  const id = newId();
  const email = event.email?.slice(0, MAX_EMAIL_LENGTH) ?? '';
  const sealed = services.keyring.seal(PURPOSE, Buffer.from(email, 'utf8'), contextOf(siteId, id));
  await services.database.inSite(siteId, (site) =>
    insertEvent(site, {
      id,
      integration_id: integrationId,
      event_key: key,
      kind: event.kind,
      occurred_at: verdict.at,
      received_at: receivedAt,
      customer_id: verdict.customerId,
      email_sealed: email === '' ? null : sealed,
      outcome: verdict.outcome,
      reason: verdict.reason,
      choice_id: verdict.choiceId,
    }),
  );
}

/**
 * Records an event or poll that failed.
 * @param occasion failures with the same value are recorded once
 */
export async function recordFailed(
  services: Services,
  origin: EventOrigin,
  occasion: string,
  reason: string,
): Promise<void> {
  const verdict = {
    outcome: 'failed',
    reason,
    at: origin.receivedAt,
    customerId: null,
    choiceId: null,
  } as const;
  await record(services, origin, sha256(`failed:${occasion}`), { email: null, kind: null }, verdict);
}

export async function deleteOldEvents(
  services: Services,
  { siteId, integrationId }: EventOrigin,
): Promise<void> {
  const before = new Date(services.clock.now().getTime() - KEPT_DAYS * 86_400_000);
  await services.database.inSite(siteId, (site) => deleteOldInbound(site, integrationId, newId(before)));
}

export function reencryptEmail({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  return reencryptText(keyring, PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

function present(services: Services, row: InboundEventRow): InboundEventView {
  const email = services.keyring.open(PURPOSE, row.email_sealed ?? '', contextOf(row.site_id, row.id));
  return {
    id: row.id,
    at: row.occurred_at.toISOString(),
    received_at: row.received_at.toISOString(),
    kind: row.kind,
    email: email?.toString('utf8') ?? null,
    customer_id: row.customer_id,
    choice_id: row.choice_id,
    outcome: row.outcome,
    reason: row.reason,
  };
}

export async function listInbound(
  services: Services,
  siteId: string,
  integrationId: string,
  query: { cursor?: string | undefined; limit: number },
) {
  const before = cursorOf(query.cursor);
  const rows = await services.database.readSite(siteId, async (site) => {
    await requireIntegration(site, integrationId);
    return eventsOfIntegration(site, integrationId, { before, limit: query.limit });
  });
  return pageOf(rows, query.limit, (row) => present(services, row));
}
