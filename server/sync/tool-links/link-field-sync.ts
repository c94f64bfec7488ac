import { createHash } from 'node:crypto';
import { isTestEmail, type TestRules, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { linkLifetimeOf } from '#server/accounts/sites/sites.ts';
import { dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { customersByIds, type CustomerRow, findCustomer } from '#server/audience/customers/customers.ts';
import { type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';
import { withCustomerLease } from '#server/delivery/sending/customer-leases.ts';
import { isForeignKeyViolation } from '#server/platform/database-errors.ts';
import { FIRST_ID, newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { recordRefusedCredentials } from '#server/tools/health/tool-failures.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import { scheduledTask } from '#server/tools/schedule/scheduled-tasks.ts';
import { isFieldInTool } from './link-field.ts';
import * as statements from './link-fields.sql.ts';
import type { SyncedLinkRow, LinkFieldRow } from './link-fields.sql.ts';

/*
 * Link-field sync: writes every customer's `manage` challenge into a custom field of a tool. A round over all
 * customers runs once a day and whenever a field is chosen; in between, customers with new choices are synced.
 * Current links cost no call.
 */

const MINUTE_MS = 60_000;
const EVERY_MS = 5 * MINUTE_MS;
const ROUND_EVERY_MS = 24 * 60 * MINUTE_MS;
/** Retry delay while a delivery holds a customer's lease. */
const BUSY_MS = 30_000;
const FIELD_GONE_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const REFUSED_DAYS = 7;
const MAX_UNKNOWN_DAYS = 30;

/** Limits of one run, after which other background work with the tool may come first. */
const MAX_CUSTOMERS = 50;
const MAX_MS = 20_000;
const CHOICES_AT_ONCE = 500;
/** After this time a choice is committed and its deliveries have synced the tool. */
const SETTLE_DELAY_MS = MINUTE_MS;

export const LINKS = scheduledTask({ kind: 'link_field_sync', run: syncLinkField });

/** The owner removed the field or chose another one. */
class FieldChanged extends Error {}

/** The field was deleted in the tool. */
class FieldGone extends Error {}

type End = 'done' | 'more' | 'busy';

/** One run for one tool. */
interface Sync {
  services: Services;
  connector: Connector;
  row: IntegrationRow;
  field: LinkFieldRow;
  api: ToolApi;
  /** Test customers get no link. */
  test: TestRules;
  /** See `LinkFreshness`. */
  renewedOf: number;
  /** The field was checked in this run. */
  isFieldThere: boolean;
  customers: number;
  until: number;
  signal: AbortSignal | undefined;
}

/** @returns how long to wait until the next turn */
export async function syncLinkField(
  services: Services,
  { siteId, integrationId }: { siteId: string; integrationId: string },
  signal?: AbortSignal,
): Promise<number> {
  const found = await services.database.readSite(siteId, async (site) => ({
    row: await findIntegration(site, integrationId),
    field: await statements.findLinkField(site, integrationId),
  }));
  if (found.row === undefined || found.field === undefined) return EVERY_MS;
  if (found.row.status !== 'connected') return EVERY_MS;
  const test = await testRulesOf(services, siteId);
  if (test.isOn) return EVERY_MS;
  const { row, field } = found;
  try {
    const lifetime = await linkLifetimeOf(services, siteId);
    const sync = openSync(services, row, { field, lifetime, test }, signal);
    const end = await syncDue(sync);
    return { done: EVERY_MS, more: 0, busy: BUSY_MS }[end];
  } catch (error) {
    return waitAfter(services, row, field, error);
  }
}

function openSync(
  services: Services,
  row: IntegrationRow,
  { field, lifetime, test }: { field: LinkFieldRow; lifetime: number; test: TestRules },
  signal: AbortSignal | undefined,
): Sync {
  const connector = connectorOf(row);
  const { api } = toolClientFor(services, connector, row, { purpose: 'background' });
  return {
    services,
    connector,
    row,
    field,
    api,
    test,
    renewedOf: dayOf(services.clock.now()) - Math.floor(lifetime / 2),
    isFieldThere: false,
    customers: 0,
    until: performance.now() + MAX_MS,
    signal,
  };
}

/** @throws errors caused neither by the tool nor by the owner */
async function waitAfter(
  services: Services,
  row: IntegrationRow,
  field: LinkFieldRow,
  error: unknown,
): Promise<number> {
  if (error instanceof FieldChanged || isForeignKeyViolation(error)) return 0;
  if (error instanceof FieldGone) {
    const trouble = `${connectorOf(row).name} no longer has the field "${field.field_name}". Create it again there, or choose another one.`;
    await services.database.inSite(row.site_id, (site) =>
      statements.updateLinkField(site, field.id, { trouble }),
    );
    return FIELD_GONE_MS;
  }
  if (!(error instanceof ConnectorError)) throw error;
  const { kind, message, retryAfterSeconds } = error;
  if (kind === 'rate_limited') return (retryAfterSeconds ?? 60) * 1000;
  if (kind === 'bad_credentials') await recordRefusedCredentials(services, row, message);
  return Math.max(EVERY_MS, (retryAfterSeconds ?? 0) * 1000);
}

async function syncDue(sync: Sync): Promise<End> {
  const ofChoices = await syncRecentChoices(sync);
  if (ofChoices === 'more') return ofChoices;
  const ofRound = await syncRound(sync);
  return ofRound === 'done' ? ofChoices : ofRound;
}

async function save(sync: Sync, changes: Partial<LinkFieldRow>): Promise<void> {
  const { services, row, field } = sync;
  const isSaved = await services.database.inSite(row.site_id, (site) =>
    statements.updateLinkField(site, field.id, changes),
  );
  if (!isSaved) throw new FieldChanged();
  sync.field = { ...field, ...changes };
}

const nowOf = ({ services, renewedOf }: Sync): statements.LinkFreshness => ({
  latestRetry: new Date(services.clock.now().getTime() + (MAX_UNKNOWN_DAYS + 1) * DAY_MS),
  keyIds: services.keyring.ids,
  now: services.clock.now(),
  renewedOf,
});

/** Syncs customers with choices since the last run. */
async function syncRecentChoices(sync: Sync): Promise<End> {
  const { services, row } = sync;
  const before = newId(new Date(services.clock.now().getTime() - SETTLE_DELAY_MS));
  for (;;) {
    const { choice_cursor: after, id } = sync.field;
    if (after === null) {
      const last = await services.database.readSite(row.site_id, (site) =>
        statements.lastChoiceBefore(site, before),
      );
      await save(sync, { choice_cursor: last ?? FIRST_ID });
      return 'done';
    }
    const { choices, ids } = await services.database.readSite(row.site_id, async (site) => {
      const found = await statements.choicesBetween(site, { after, before, limit: CHOICES_AT_ONCE });
      const customerIds = [...new Set(found.map(({ customer_id }) => customer_id))];
      const stale =
        found.length === 0 ? [] : await statements.staleLinksAmong(site, id, { customerIds, ...nowOf(sync) });
      return { choices: found, ids: stale };
    });
    const { end } = await syncCustomers(sync, ids);
    if (end !== 'done') return end;
    const last = choices.at(-1);
    if (last === undefined) return 'done';
    await save(sync, { choice_cursor: last.id });
    if (choices.length < CHOICES_AT_ONCE) return 'done';
  }
}

/** Continues the round over all customers, or starts one that is due. */
async function syncRound(sync: Sync): Promise<End> {
  const { services, row } = sync;
  const now = services.clock.now();
  if (sync.field.full_sync_cursor === null) {
    if (sync.field.full_sync_due_at > now) return 'done';
    await requireFieldThere(sync);
    const full_sync_due_at = new Date(now.getTime() + ROUND_EVERY_MS);
    await save(sync, { full_sync_cursor: FIRST_ID, full_sync_due_at });
  }
  for (;;) {
    const after = sync.field.full_sync_cursor ?? FIRST_ID;
    const ids = await services.database.readSite(row.site_id, (site) =>
      statements.staleLinksAfter(site, sync.field.id, { after, limit: MAX_CUSTOMERS, ...nowOf(sync) }),
    );
    const { end, reached } = await syncCustomers(sync, ids);
    if (ids.length === 0) {
      await save(sync, { full_sync_cursor: null });
      return 'done';
    }
    if (reached !== null) await save(sync, { full_sync_cursor: reached });
    if (end !== 'done') return end;
  }
}

/** @returns `reached`: the last customer before one with a busy lease */
async function syncCustomers(
  sync: Sync,
  ids: readonly string[],
): Promise<{ end: End; reached: string | null }> {
  let reached: string | null = null;
  let isBusy = false;
  const withoutLink = await findThoseWithoutLink(sync, ids);
  for (const id of ids) {
    if (withoutLink.has(id)) {
      if (!isBusy) reached = id;
      continue;
    }
    const isOver = sync.customers >= MAX_CUSTOMERS || performance.now() > sync.until;
    if (isOver || sync.signal?.aborted === true) return { end: 'more', reached };
    sync.customers += 1;
    if (!(await syncCustomer(sync, id))) isBusy = true;
    else if (!isBusy) reached = id;
  }
  return { end: isBusy ? 'busy' : 'done', reached };
}

/** Test customers and erased ones get no link, and never have a row that says when it was written. */
async function findThoseWithoutLink(sync: Sync, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const customers = await sync.services.database.readSite(sync.row.site_id, (site) =>
    customersByIds(site, ids),
  );
  const withLink = customers.filter(({ email }) => email !== null && !isTestEmail(sync.test, email));
  const isWithLink = new Set(withLink.map(({ id }) => id));
  return new Set(ids.filter((id) => !isWithLink.has(id)));
}

/**
 * Writes one customer's link while no delivery of theirs runs.
 * @returns false while a delivery holds their lease
 */
async function syncCustomer(sync: Sync, customerId: string): Promise<boolean> {
  const { services, row, field } = sync;
  const place = { siteId: row.site_id, integrationId: row.id, customerId };
  const isDone = await withCustomerLease(services, place, async () => {
    const { customer, kept } = await services.database.readSite(row.site_id, async (site) => ({
      customer: await findCustomer(site, customerId),
      kept: await statements.findSyncedLink(site, field.id, customerId),
    }));
    // Erased a moment ago.
    if (customer === undefined || customer.email === null) return true;
    const link = await linkFor(sync, { ...customer, email: customer.email }, kept);
    await services.database.inSite(row.site_id, (site) => statements.saveSyncedLink(site, link));
    return true;
  });
  return isDone ?? false;
}

type Reachable = CustomerRow & { email: string };

/** Writes the link if it is not current, and returns the row to save. */
async function linkFor(
  sync: Sync,
  customer: Reachable,
  kept: SyncedLinkRow | undefined,
): Promise<SyncedLinkRow> {
  const { keyring, clock } = sync.services;
  const token = tokenOf(customer);
  const isCurrent =
    kept?.state === 'synced' &&
    kept.token.equals(token) &&
    keyring.ids.some((id) => id.equals(kept.key_id)) &&
    kept.link_generation === customer.link_generation &&
    kept.issued_on > sync.renewedOf;
  if (isCurrent) return { ...kept, sequence: customer.sequence };
  const issuedOn = dayOf(clock.now());
  const { state, error } = await write(sync, customer, issuedOn);
  const tries = state === 'synced' ? 0 : (kept?.tries ?? 0) + 1;
  const now = clock.now();
  return {
    site_id: sync.row.site_id,
    link_field_id: sync.field.id,
    customer_id: customer.id,
    state,
    token,
    key_id: keyring.ids[0] ?? Buffer.alloc(0),
    issued_on: issuedOn,
    link_generation: customer.link_generation,
    sequence: customer.sequence,
    tries,
    error,
    tried_at: now,
    retry_at: retryAt(now, state, tries),
  };
}

/**
 * Identifies whom the challenge was written for. A new key is no reason to rewrite it, as old challenges still
 * open.
 */
function tokenOf({ id, email }: Reachable): Buffer {
  return createHash('sha256').update(`${id}:${email.toLowerCase()}`).digest();
}

/** A person unknown to the tool may be added there later, with decreasing likelihood. */
function retryAt(now: Date, state: SyncedLinkRow['state'], tries: number): Date | null {
  if (state === 'synced') return null;
  const days = state === 'refused' ? REFUSED_DAYS : Math.min(2 ** (tries - 1), MAX_UNKNOWN_DAYS);
  return new Date(now.getTime() + days * DAY_MS);
}

const UNKNOWN = { state: 'unknown', error: null } as const;

/** @throws ConnectorError if the tool fails; FieldGone */
async function write(
  sync: Sync,
  customer: Reachable,
  issuedOn: number,
): Promise<{ state: SyncedLinkRow['state']; error: string | null }> {
  const { connector, field, api, services, row } = sync;
  const value = makeChallenge(services.keyring, {
    purpose: 'manage',
    siteId: row.site_id,
    customerId: customer.id,
    issuedOn,
    generation: customer.link_generation,
    listId: null,
  });
  try {
    const resource = { id: field.field_id, name: field.field_name };
    // Connectors do not create people for a field.
    if (!(await connector.setField(api, customer.email, resource, value))) return UNKNOWN;
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    if (!error.isAboutChange) throw error;
    // The refusal may concern one person; if the field is gone, it concerns all.
    await requireFieldThere(sync);
    return { state: 'refused', error: error.message };
  }
  if (field.trouble !== null) await save(sync, { trouble: null });
  return { state: 'synced', error: null };
}

async function requireFieldThere(sync: Sync): Promise<void> {
  if (sync.isFieldThere) return;
  if (!(await isFieldInTool(sync.connector, sync.api, sync.field.field_id))) throw new FieldGone();
  sync.isFieldThere = true;
  if (sync.field.trouble !== null) await save(sync, { trouble: null });
}
