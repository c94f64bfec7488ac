import type { InboundEventView } from '#contract/inbound.ts';
import type { Connector, InboundEvent } from '#server/connectors/connector.ts';
import { idToBytes, newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import { resealText, type SealedRow, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { requireIntegration } from '#server/tools/integrations/integrations.ts';
import { becomeChoice, type Verdict } from './become-choice.ts';
import {
  eventsOfIntegration,
  forgetOldInbound,
  hasEvent,
  type InboundEventRow,
  insertEvent,
} from './inbound.sql.ts';

export { eraseInboundOfCustomer } from './inbound.sql.ts';

/** Who told, and when it came in. */
export interface Told {
  siteId: string;
  integrationId: string;
  connector: Connector;
  receivedAt: Date;
}

const PURPOSE = 'inbound-email';
const MAX_EMAIL_LENGTH = 254;

/** For so long the same event is known again, and is shown. */
const KEPT_DAYS = 90;

const contextOf = (siteId: string, id: string) => Buffer.concat([idToBytes(siteId), idToBytes(id)]);

/**
 * Works off what a tool told, one after the other, each once however often it is told. Stopped in the middle it may begin
 * again: what was done is found done.
 */
export async function handleEvents(
  services: Services,
  told: Told,
  events: readonly InboundEvent[],
): Promise<void> {
  for (const event of events) {
    const key = sha256(event.id);
    const isKnown = await services.database.readSite(told.siteId, (site) =>
      hasEvent(site, told.integrationId, key),
    );
    if (!isKnown) await record(services, told, key, event, await becomeChoice(services, told, event));
  }
}

async function record(
  services: Services,
  { siteId, integrationId, receivedAt }: Told,
  key: Buffer,
  event: Pick<InboundEvent, 'email'> & { kind: InboundEvent['kind'] | null },
  verdict: Verdict,
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
      email_sealed: email === '' ? null : sealed.toString('base64url'),
      outcome: verdict.outcome,
      reason: verdict.reason,
      choice_id: verdict.choiceId,
    }),
  );
}

/**
 * Keeps that something could not be read, or asked for.
 * @param occasion the same one is kept once
 */
export async function recordFailed(
  services: Services,
  told: Told,
  occasion: string,
  reason: string,
): Promise<void> {
  const verdict = {
    outcome: 'failed',
    reason,
    at: told.receivedAt,
    customerId: null,
    choiceId: null,
  } as const;
  await record(services, told, sha256(`failed:${occasion}`), { email: null, kind: null }, verdict);
}

export async function forgetOld(services: Services, { siteId, integrationId }: Told): Promise<void> {
  const before = new Date(services.clock.now().getTime() - KEPT_DAYS * 86_400_000);
  await services.database.inSite(siteId, (site) => forgetOldInbound(site, integrationId, newId(before)));
}

export function resealEmail({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  return resealText(keyring, PURPOSE, row.sealed, contextOf(row.site_id, row.id));
}

function present(services: Services, row: InboundEventRow): InboundEventView {
  const sealed = Buffer.from(row.email_sealed ?? '', 'base64url');
  const email = services.keyring.open(PURPOSE, sealed, contextOf(row.site_id, row.id));
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
