import { emailKey } from '#contract/email-key.ts';
import { addressHashesOf, customersByEmails } from '#server/audience/customers/customers.ts';
import { customersWhoHad } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import type { InboundEvent, Standing } from '#server/connectors/connector.ts';
import { unblockedAt } from '#server/delivery/deliveries/deliveries.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { capabilityOf } from '#server/tools/integrations/catalogue.ts';
import type { EventOrigin } from './inbound.ts';
import {
  forgetOptOuts,
  type KnownOptOutRow,
  knownOptOutsOf,
  saveKnownOptOuts,
} from './known-opt-outs.sql.ts';

/*
 * Some tools show how a record stands, and not what was changed of it. Which records have opted out is remembered, so
 * that only a change of that is an event (decision 071).
 */

/** As many rows as one lookup names. */
const CHUNK = 500;

/** What the records of a poll say that is new. */
interface News {
  events: InboundEvent[];
  /** Known from now on, at their address. */
  out: Standing[];
  /** Known no longer. */
  back: Standing[];
}

/** @param origin received when the tool was asked, not later: what was written meanwhile may not show in the answer */
export async function newsOf(
  services: Services,
  origin: EventOrigin,
  standings: readonly Standing[],
): Promise<News> {
  const news: News = { events: [], out: [], back: [] };
  for (let start = 0; start < standings.length; start += CHUNK) {
    const some = standings.slice(start, start + CHUNK);
    await services.database.readSite(origin.siteId, (site) => addNews(services, site, origin, some, news));
  }
  return news;
}

/** To be called once the events are recorded: after a crash they are found again. */
export async function rememberNews(
  services: Services,
  { siteId, integrationId, receivedAt }: EventOrigin,
  { out, back }: News,
): Promise<void> {
  if (out.length + back.length === 0) return;
  const rows = out.map((one): KnownOptOutRow => {
    const [address_hash = Buffer.alloc(0)] = addressHashesOf(services, siteId, one.email);
    const record_hash = sha256(one.record);
    return { integration_id: integrationId, record_hash, address_hash, known_at: receivedAt };
  });
  await services.database.inSite(siteId, async (site) => {
    for (const { sql, parameters } of saveKnownOptOuts(siteId, rows)) await site.query(sql, [...parameters]);
    await forgetOptOuts(
      site,
      integrationId,
      back.map(({ record }) => sha256(record)),
    );
  });
}

async function addNews(
  services: Services,
  site: SiteDb,
  origin: EventOrigin,
  standings: readonly Standing[],
  news: News,
): Promise<void> {
  const rows = await knownOptOutsOf(
    site,
    origin.integrationId,
    standings.map(({ record }) => sha256(record)),
  );
  const known = new Map(rows.map((row) => [row.record_hash.toString('hex'), row]));
  const before = (one: Standing) => known.get(sha256(one.record).toString('hex'));
  const seenBefore = standings.filter((one) => before(one) !== undefined);
  const customers = await customerIds(site, seenBefore);
  const unblocked = await unblockedByUs(site, origin, [...customers.values()]);
  for (const one of standings) {
    const row = before(one);
    const customerId = customers.get(emailKey(one.email));
    const unblockedTime = customerId === undefined ? undefined : unblocked.get(customerId);
    const isUnblocked = row !== undefined && unblockedTime !== undefined && unblockedTime > row.known_at;
    if (!one.hasLeft) {
      if (row === undefined) continue;
      news.back.push(one);
      if (!isUnblocked) news.events.push(eventOf(one, 'resubscribed'));
      continue;
    }
    const isSamePerson = row !== undefined && (await isAbout(services, site, row, one.email, customerId));
    if (isSamePerson && !isUnblocked) {
      if (!hasAddress(services, site, row, one.email)) news.out.push(one);
      continue;
    }
    news.out.push(one);
    if (one.isEarlier !== true) news.events.push(eventOf(one, 'unsubscribed'));
  }
}

const eventOf = ({ record, email, at }: Standing, kind: 'unsubscribed' | 'resubscribed'): InboundEvent => ({
  id: `${record}:${kind}:${at.toISOString()}`,
  at,
  email,
  kind,
});

async function customerIds(site: SiteDb, standings: readonly Standing[]): Promise<Map<string, string>> {
  const keys = [...new Set(standings.map(({ email }) => emailKey(email)))];
  if (keys.length === 0) return new Map();
  const rows = await customersByEmails(site, keys);
  return new Map(rows.flatMap((row) => (row.email === null ? [] : [[emailKey(row.email), row.id]])));
}

/** When the tool last confirmed to us that a customer is mailed again: what has opted out there now did so since. */
async function unblockedByUs(
  site: SiteDb,
  { connector, integrationId, receivedAt }: EventOrigin,
  customerIds: readonly string[],
): Promise<Map<string, Date>> {
  const capability = capabilityOf(connector, 'global_unsubscribe');
  const [, operation] = capability.can ? capability.operations : [];
  if (operation === undefined || customerIds.length === 0) return new Map();
  return unblockedAt(site, { integrationId, operation, customerIds, until: receivedAt });
}

const hasAddress = (services: Services, site: SiteDb, { address_hash }: KnownOptOutRow, email: string) =>
  addressHashesOf(services, site.id, email).some((hash) => hash.equals(address_hash));

/** Is this the address that had opted out, or has its person another one since? */
async function isAbout(
  services: Services,
  site: SiteDb,
  row: KnownOptOutRow,
  email: string,
  customerId: string | undefined,
): Promise<boolean> {
  if (hasAddress(services, site, row, email)) return true;
  if (customerId === undefined) return false;
  const former = await customersWhoHad(site, [row.address_hash]);
  return former.some((one) => one.customer_id === customerId);
}
