import { createHash } from 'node:crypto';
import { linkLifetimeOf } from '#server/accounts/sites/sites.ts';
import { dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { type CustomerRow, findCustomer } from '#server/audience/customers/customers.ts';
import { type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';
import { inTurn } from '#server/delivery/sending/tool-turns.ts';
import { isForeignKeyViolation } from '#server/platform/database-errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { recordRefusedCredentials } from '#server/tools/health/tool-failures.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import { scheduledTask } from '#server/tools/schedule/scheduled-tasks.ts';
import { isInTool } from './link-field.ts';
import * as statements from './tool-links.sql.ts';
import type { KeptLinkRow, LinkFieldRow } from './tool-links.sql.ts';

/*
 * Keeps the challenge of every customer in a custom field of a tool. A round goes over everybody once a day, and at once
 * when there is a new field; in between, those who made a choice are looked at. What is current costs no call.
 */

const MINUTE_MS = 60_000;
const EVERY_MS = 5 * MINUTE_MS;
const ROUND_EVERY_MS = 24 * 60 * MINUTE_MS;
/** When a delivery has a customer's turn. */
const BUSY_MS = 30_000;
const FIELD_GONE_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const REFUSED_DAYS = 7;
const MOST_UNKNOWN_DAYS = 30;

/** Of one turn; then others of the tool's users may come first. */
const MOST_CUSTOMERS = 50;
const MOST_MS = 20_000;
const CHOICES_AT_ONCE = 500;
/** By then a choice has been committed, and its deliveries have brought the tool to where the customer is. */
const SETTLED_MS = MINUTE_MS;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export const LINKS = scheduledTask({ kind: 'links', run: keepLinks });

/** The field was taken away, or exchanged for another one. */
class FieldChanged extends Error {}

/** Somebody took the field out of the tool. */
class FieldGone extends Error {}

type End = 'done' | 'more' | 'busy';

/** One turn with one tool. */
interface Turn {
  services: Services;
  connector: Connector;
  row: IntegrationRow;
  field: LinkFieldRow;
  api: ToolApi;
  /** As `Now` has it. */
  renewedOf: number;
  /** The tool was asked in this turn. */
  isFieldThere: boolean;
  customers: number;
  until: number;
  signal: AbortSignal | undefined;
}

/** @returns how long to wait until the next turn */
export async function keepLinks(
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
  const { row, field } = found;
  try {
    const lifetime = await linkLifetimeOf(services, siteId);
    const turn = openTurn(services, row, { field, lifetime }, signal);
    const end = await workOff(turn);
    return { done: EVERY_MS, more: 0, busy: BUSY_MS }[end];
  } catch (error) {
    return waitAfter(services, row, field, error);
  }
}

function openTurn(
  services: Services,
  row: IntegrationRow,
  { field, lifetime }: { field: LinkFieldRow; lifetime: number },
  signal: AbortSignal | undefined,
): Turn {
  const connector = connectorOf(row);
  const { api } = toolClientFor(services, connector, row, { purpose: 'background' });
  return {
    services,
    connector,
    row,
    field,
    api,
    renewedOf: dayOf(services.clock.now()) - Math.floor(lifetime / 2),
    isFieldThere: false,
    customers: 0,
    until: performance.now() + MOST_MS,
    signal,
  };
}

/** @throws what is neither the tool's fault nor the owner's */
async function waitAfter(
  services: Services,
  row: IntegrationRow,
  field: LinkFieldRow,
  error: unknown,
): Promise<number> {
  if (error instanceof FieldChanged || isForeignKeyViolation(error)) return 0;
  if (error instanceof FieldGone) {
    const trouble = `The field “${field.field_name}” is no longer in ${connectorOf(row).name}. Make it again there, or choose another one.`;
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

async function workOff(turn: Turn): Promise<End> {
  const ofChoices = await lookAtChoices(turn);
  if (ofChoices === 'more') return ofChoices;
  const ofRound = await goRound(turn);
  return ofRound === 'done' ? ofChoices : ofRound;
}

async function save(turn: Turn, changes: Partial<LinkFieldRow>): Promise<void> {
  const { services, row, field } = turn;
  const isSaved = await services.database.inSite(row.site_id, (site) =>
    statements.updateLinkField(site, field.id, changes),
  );
  if (!isSaved) throw new FieldChanged();
  turn.field = { ...field, ...changes };
}

const nowOf = ({ services, renewedOf }: Turn): statements.Now => ({
  keyIds: services.keyring.ids,
  now: services.clock.now(),
  renewedOf,
});

/** Those who chose something since the last look. */
async function lookAtChoices(turn: Turn): Promise<End> {
  const { services, row } = turn;
  const before = newId(new Date(services.clock.now().getTime() - SETTLED_MS));
  for (;;) {
    const { choice_cursor: after, id } = turn.field;
    if (after === null) {
      const last = await services.database.readSite(row.site_id, (site) =>
        statements.lastChoiceBefore(site, before),
      );
      await save(turn, { choice_cursor: last ?? FIRST_ID });
      return 'done';
    }
    const { choices, ids } = await services.database.readSite(row.site_id, async (site) => {
      const found = await statements.choicesBetween(site, { after, before, limit: CHOICES_AT_ONCE });
      const customerIds = [...new Set(found.map(({ customer_id }) => customer_id))];
      const stale =
        found.length === 0
          ? []
          : await statements.withoutLinkAmong(site, id, { customerIds, ...nowOf(turn) });
      return { choices: found, ids: stale };
    });
    const { end } = await keepAll(turn, ids);
    if (end !== 'done') return end;
    const last = choices.at(-1);
    if (last === undefined) return 'done';
    await save(turn, { choice_cursor: last.id });
    if (choices.length < CHOICES_AT_ONCE) return 'done';
  }
}

/** Goes on with the round over everybody, or begins one that is due. */
async function goRound(turn: Turn): Promise<End> {
  const { services, row } = turn;
  const now = services.clock.now();
  if (turn.field.round_cursor === null) {
    if (turn.field.round_due_at > now) return 'done';
    await requireFieldThere(turn);
    const round_due_at = new Date(now.getTime() + ROUND_EVERY_MS);
    await save(turn, { round_cursor: FIRST_ID, round_due_at });
  }
  for (;;) {
    const after = turn.field.round_cursor ?? FIRST_ID;
    const ids = await services.database.readSite(row.site_id, (site) =>
      statements.nextWithoutLink(site, turn.field.id, { after, limit: MOST_CUSTOMERS, ...nowOf(turn) }),
    );
    const { end, reached } = await keepAll(turn, ids);
    if (ids.length === 0) {
      await save(turn, { round_cursor: null });
      return 'done';
    }
    if (reached !== null) await save(turn, { round_cursor: reached });
    if (end !== 'done') return end;
  }
}

/** @returns `reached`: the last one before anybody whose turn somebody else has */
async function keepAll(turn: Turn, ids: readonly string[]): Promise<{ end: End; reached: string | null }> {
  let reached: string | null = null;
  let isBusy = false;
  for (const id of ids) {
    const isOver = turn.customers >= MOST_CUSTOMERS || performance.now() > turn.until;
    if (isOver || turn.signal?.aborted === true) return { end: 'more', reached };
    turn.customers += 1;
    if (!(await keepOne(turn, id))) isBusy = true;
    else if (!isBusy) reached = id;
  }
  return { end: isBusy ? 'busy' : 'done', reached };
}

/**
 * Brings one customer's link into the tool, beside no delivery of theirs.
 * @returns false while a delivery has their turn
 */
async function keepOne(turn: Turn, customerId: string): Promise<boolean> {
  const { services, row, field } = turn;
  const place = { siteId: row.site_id, integrationId: row.id, customerId };
  const isDone = await inTurn(services, place, async () => {
    const { customer, kept } = await services.database.readSite(row.site_id, async (site) => ({
      customer: await findCustomer(site, customerId),
      kept: await statements.findKeptLink(site, field.id, customerId),
    }));
    // Who was erased meanwhile has no link.
    if (customer === undefined || customer.email === null) return true;
    const link = await linkFor(turn, { ...customer, email: customer.email }, kept);
    await services.database.inSite(row.site_id, (site) => statements.saveKeptLink(site, link));
    return true;
  });
  return isDone ?? false;
}

type Reachable = CustomerRow & { email: string };

/** What is to be kept of the customer, once the tool has been told where it has to be. */
async function linkFor(turn: Turn, customer: Reachable, kept: KeptLinkRow | undefined): Promise<KeptLinkRow> {
  const { keyring, clock } = turn.services;
  const token = tokenOf(customer);
  const isCurrent =
    kept?.state === 'kept' &&
    kept.token.equals(token) &&
    keyring.ids.some((id) => id.equals(kept.key_id)) &&
    kept.link_generation === customer.link_generation &&
    kept.issued_on > turn.renewedOf;
  if (isCurrent) return { ...kept, sequence: customer.sequence };
  const issuedOn = dayOf(clock.now());
  const { state, error } = await write(turn, customer, issuedOn);
  const tries = state === 'kept' ? 0 : (kept?.tries ?? 0) + 1;
  const now = clock.now();
  return {
    site_id: turn.row.site_id,
    link_field_id: turn.field.id,
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

/** Who the challenge was written for; a new key alone is no reason to write it again, the old ones still open. */
function tokenOf({ id, email }: Reachable): Buffer {
  return createHash('sha256').update(`${id}:${email.toLowerCase()}`).digest();
}

/** Whom the tool does not know may come there later, by a choice or by another way; less and less likely. */
function retryAt(now: Date, state: KeptLinkRow['state'], tries: number): Date | null {
  if (state === 'kept') return null;
  const days = state === 'refused' ? REFUSED_DAYS : Math.min(2 ** (tries - 1), MOST_UNKNOWN_DAYS);
  return new Date(now.getTime() + days * DAY_MS);
}

const UNKNOWN = { state: 'unknown', error: null } as const;

/** @throws ConnectorError for what is wrong with the tool; FieldGone */
async function write(
  turn: Turn,
  customer: Reachable,
  issuedOn: number,
): Promise<{ state: KeptLinkRow['state']; error: string | null }> {
  const { connector, field, api, services, row } = turn;
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
    // Where nobody has the address, a connector writes nothing.
    if (!(await connector.setField(api, customer.email, resource, value))) return UNKNOWN;
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    if (error.kind !== 'refused' && error.kind !== 'not_found') throw error;
    // Of one person it may be; without the field it would be said of everybody.
    await requireFieldThere(turn);
    return { state: 'refused', error: error.message };
  }
  if (field.trouble !== null) await save(turn, { trouble: null });
  return { state: 'kept', error: null };
}

async function requireFieldThere(turn: Turn): Promise<void> {
  if (turn.isFieldThere) return;
  if (!(await isInTool(turn.connector, turn.api, turn.field.field_id))) throw new FieldGone();
  turn.isFieldThere = true;
  if (turn.field.trouble !== null) await save(turn, { trouble: null });
}
