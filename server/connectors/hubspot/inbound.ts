import { z } from 'zod';
import { sha256 } from '#server/platform/secrets.ts';
import { ConnectorError, type InboundEvent, type PollResult, type ToolApi } from '../connector.ts';
import { dateOf } from '../timestamps.ts';
import { anId, CONTACTS, each, read } from './answers.ts';
import {
  brandsOf,
  isOurs,
  isOut,
  isOutOfAll,
  subscriptionTypes,
  typeStatuses,
  wideOptOuts,
} from './subscriptions.ts';

/*
 * HubSpot tells apps of no opt-out, and a key can have no webhooks at all: what has changed is looked for, and
 * then read where it is kept.
 */

const changed = z.object({
  id: anId,
  properties: z.record(z.string(), z.string().nullish()),
});

const page = z.object({
  results: z.array(z.unknown()),
  paging: z.object({ next: z.object({ after: z.string() }).nullish() }).nullish(),
});

type Changed = z.infer<typeof changed>;

const LARGEST_PAGE = 200;
/** A poll's share of the 10,000 that one search shows. */
const MAX_PAGES = 10;
/** Five searches a second are allowed. */
const BETWEEN_SEARCHES_MS = 250;
/** A contact appears in the search a while after it was changed. */
const LAG_MS = 5 * 60_000;

const BOUNCE = 'hs_email_hard_bounce_reason_enum';
const OPT_OUT = 'hs_email_optout';
const BRAND_OPT_OUT = 'business_unit_optout_';

async function changedSince(api: ToolApi, since: number): Promise<{ contacts: Changed[]; isAll: boolean }> {
  const types = await subscriptionTypes(api);
  const brands = await brandsOf(api);
  const properties = [
    'email',
    'lastmodifieddate',
    BOUNCE,
    OPT_OUT,
    ...types.map(({ id }) => `${OPT_OUT}_${id}`),
    ...brands.map((brand) => `${BRAND_OPT_OUT}${brand}`),
  ];
  const filter = { propertyName: 'lastmodifieddate', operator: 'GTE', value: String(since) };
  const sorts = [{ propertyName: 'lastmodifieddate', direction: 'ASCENDING' }];
  const contacts: Changed[] = [];
  let after: string | undefined;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    if (count > 0) await api.wait(BETWEEN_SEARCHES_MS);
    const json = { filterGroups: [{ filters: [filter] }], sorts, properties, limit: LARGEST_PAGE, after };
    const { results, paging } = read(
      page,
      await api.call({ method: 'POST', path: `${CONTACTS}/search`, json }),
    );
    contacts.push(...each(changed, results));
    after = paging?.next?.after;
    if (after === undefined) return { contacts, isAll: true };
  }
  return { contacts, isAll: false };
}

async function optOutsOf(api: ToolApi, email: string, contact: Changed): Promise<InboundEvent[]> {
  const wide = await wideOptOuts(api, email);
  const left = (await typeStatuses(api, email)).filter(isOut);
  const leftThere = left.filter((row) => !isOurs(row));
  if (await isOutOfAll(wide, contact.properties[OPT_OUT] === 'true', () => brandsOf(api))) {
    // What we wrote ourselves is no news; every type then says that it came by the API.
    if (left.length > 0 && leftThere.length === 0) return [];
    const at = dateOf(wide.since);
    return [{ id: `all:${contact.id}:${at?.toISOString() ?? ''}`, at, email, kind: 'unsubscribed' }];
  }
  // Who left a brand has left each of its types.
  return leftThere.map(({ subscriptionId, timestamp }) => {
    const at = dateOf(timestamp);
    return {
      id: `type:${contact.id}:${subscriptionId}:${at?.toISOString() ?? ''}`,
      at,
      email,
      kind: 'group_suppressed',
      resource: subscriptionId,
    };
  });
}

async function eventsOf(api: ToolApi, contact: Changed): Promise<InboundEvent[]> {
  const { properties, id } = contact;
  const { email } = properties;
  if (typeof email !== 'string' || email === '') return [];
  const events: InboundEvent[] = [];
  const isAnyOut = Object.entries(properties).some(
    ([name, value]) => [OPT_OUT, BRAND_OPT_OUT].some((start) => name.startsWith(start)) && value === 'true',
  );
  if (isAnyOut) events.push(...(await optOutsOf(api, email, contact)));
  if (properties[BOUNCE]) {
    const address = sha256(email).toString('hex').slice(0, 16);
    events.push({ id: `bounce:${id}:${address}`, at: null, email, kind: 'bounced' });
  }
  return events;
}

/** One contact whose address HubSpot itself refuses keeps no other's opt-out from counting. */
async function eventsOrNone(api: ToolApi, contact: Changed): Promise<InboundEvent[]> {
  try {
    return await eventsOf(api, contact);
  } catch (error) {
    if (error instanceof ConnectorError && error.isAboutChange) return [];
    throw error;
  }
}

export async function poll(api: ToolApi, cursor: string | null): Promise<PollResult> {
  const settled = api.now().getTime() - LAG_MS;
  if (cursor === null) return { events: [], cursor: String(settled) };
  const since = Number(cursor);
  const { contacts, isAll } = await changedSince(api, since);
  const events: InboundEvent[] = [];
  for (const contact of contacts) events.push(...(await eventsOrNone(api, contact)));
  if (isAll) return { events, cursor: String(Math.max(since, settled)) };
  const last = dateOf(contacts.at(-1)?.properties.lastmodifieddate)?.getTime() ?? since;
  return { events, cursor: String(Math.max(last, since + 1)) };
}
