import type { Suppression } from '#contract/choices.ts';
import type { CustomerRow } from '#server/audience/customers/customers.ts';
import { hasChosenSince, wasPausedBefore } from '#server/audience/evidence/stale-events.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import { EVERYTHING, isLaterYes, type KeptOptOut } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { type ActionRow, allActions } from '#server/delivery/actions/actions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { listMappingsOf, mirrorsPauses } from '#server/sync/inbound/list-mappings.ts';
import { connectorOf, findIntegration } from '#server/tools/integrations/integrations.ts';
import { mergePolicy, type MergeDecision } from './merge-policy.ts';
import type { ImportJob } from './imports.sql.ts';
import type { ImportedCustomer } from './find-customers.ts';
import type { RowPreferences } from './row-preferences.ts';

/** What rows are evaluated against. */
export interface ImportContext {
  revive: boolean;
  /** Maps a list in the file or tool to one of the site; null for a list still to be created. */
  listOf(of: string): string | null;
  hasList(listId: string): boolean;
  nameOf: (listId: string) => string;
  /** The tool that was read, with the site's actions. */
  source: { integrationId: string; connector: Connector; actions: ActionRow[] } | null;
  now: Date;
}

export async function importContextOf(site: SiteDb, job: ImportJob, now: Date): Promise<ImportContext> {
  const lists = new Map((await allLists(site)).map(({ id, name }) => [id, name]));
  const byResource = new Map((job.resources ?? []).map((one) => [one.resource.id, one]));
  return {
    revive: job.options.revive,
    listOf: (of) => (job.source === 'csv' ? of : (byResource.get(of)?.list_id ?? null)),
    hasList: (listId) => lists.has(listId),
    nameOf: (listId) => lists.get(listId) ?? '',
    source: await eventSourceOf(site, job),
    now,
  };
}

async function eventSourceOf(
  site: SiteDb,
  { integration_id: integrationId }: ImportJob,
): Promise<ImportContext['source']> {
  if (integrationId === null) return null;
  const integration = await findIntegration(site, integrationId);
  if (integration === undefined) return null;
  return { integrationId, connector: connectorOf(integration), actions: await allActions(site) };
}

export interface RowEvaluation extends MergeDecision {
  /** Does the row create a customer if there is none? */
  adds: boolean;
}

const SAYS_NOTHING =
  "The tool doesn't say whether they're subscribed: they're unconfirmed, bounced or archived.";
const HELD_BACK: Record<Exclude<Suppression, 'unsubscribed'>, string> = {
  bounced: 'The file says that this email bounced, so nothing is subscribed.',
  complained: 'The file says that they reported spam, so they are unsubscribed from all.',
  blocked: 'The file says that they are blocked, so they are unsubscribed from all.',
  unconfirmed: 'The file says that they never confirmed or subscribed, so nothing is subscribed.',
};
const ERASED_AS_LEFT =
  'This customer unsubscribed from all before they were erased, so they start unsubscribed.';
const OPTED_OUT_BEFORE =
  'A tool had reported that this email unsubscribed, before it was a customer. They start unsubscribed.';
const LIST_IS_GONE = 'One of the lists was deleted in the meantime.';
const CHOSEN_SINCE = 'The customer has changed this here since.';

/** Runs a read only if one is needed: most rows need only the customer. */
export type Reader = <T>(work: (site: SiteDb) => Promise<T>) => Promise<T>;

/**
 * Evaluates a row against the customer's present state.
 * @param isNew created by this row a moment ago
 */
export async function evaluateRow(
  read: Reader,
  context: ImportContext,
  { customer, state, kept }: ImportedCustomer,
  preferences: RowPreferences,
  isNew = customer === null,
): Promise<RowEvaluation> {
  if (preferences.note === 'unclear') {
    return { verdict: 'unchanged', reason: SAYS_NOTHING, change: null, adds: false };
  }
  const { source } = context;
  const current =
    customer === null || source === null
      ? preferences
      : await read((site) => withoutStale(site, { ...context, source }, customer, state, preferences));
  const { lists, isMissing } = siteListsOf(context, current);
  const decision = mergePolicy(
    state,
    { lists, leaves: current.leaves !== null },
    {
      isNew,
      revive: context.revive,
      nameOf: context.nameOf,
      isLaterYes: (listId) => isYesAfter(kept, context, current, listId),
    },
  );
  const isOutdated =
    current.lists.length < preferences.lists.length ||
    (preferences.leaves !== null && current.leaves === null);
  const reason =
    decision.reason ??
    (isMissing ? LIST_IS_GONE : null) ??
    (isOutdated ? CHOSEN_SINCE : null) ??
    heldBackReason(preferences) ??
    (isNew && kept.length > 0 ? OPTED_OUT_BEFORE : null) ??
    (isNew && state.globalUnsubscribe ? ERASED_AS_LEFT : null);
  return { ...decision, reason: withRemark(reason, preferences), adds: true };
}

function withRemark(reason: string | null, { remark }: RowPreferences): string | null {
  return remark === undefined ? reason : [reason, remark].filter((one) => one !== null).join(' ');
}

function heldBackReason({ file }: RowPreferences): string | null {
  const suppression = file?.suppression;
  return suppression === undefined || suppression === 'unsubscribed' ? null : HELD_BACK[suppression];
}

/** Does the row say that they subscribed to the list after the opt-outs that were kept about them? */
function isYesAfter(
  kept: readonly KeptOptOut[],
  context: ImportContext,
  { lists, file, proof }: RowPreferences,
  listId: string,
): boolean {
  const optOuts = kept.filter(({ about }) => about === EVERYTHING || about === listId);
  const said = lists.filter(({ of, subscribed }) => subscribed && context.listOf(of) === listId);
  return (
    optOuts.length > 0 &&
    said.every(({ since }) => {
      const at = since ?? proof?.at ?? file?.consent_at ?? null;
      return optOuts.every((optOut) => isLaterYes(at === null ? null : new Date(at), optOut));
    })
  );
}

/** Several resources mapped to one list are merged; the opt-out wins. */
function siteListsOf(context: ImportContext, preferences: RowPreferences) {
  const byList = new Map<string, boolean>();
  let isMissing = false;
  for (const { of, subscribed } of preferences.lists) {
    const listId = context.listOf(of);
    if (listId !== null && !context.hasList(listId)) isMissing = true;
    // One that is to be made yet was chosen by nobody.
    else byList.set(listId ?? `new:${of}`, subscribed && byList.get(listId ?? `new:${of}`) !== false);
  }
  const lists = [...byList].map(([list_id, subscribed]) => ({ list_id, subscribed }));
  return { lists, isMissing };
}

type ToolContext = ImportContext & { source: NonNullable<ImportContext['source']> };

/** Drops what a tool reports from before the customer chose otherwise here. */
async function withoutStale(
  site: SiteDb,
  context: ToolContext,
  customer: CustomerRow,
  state: CustomerState,
  preferences: RowPreferences,
): Promise<RowPreferences> {
  const lists: RowPreferences['lists'] = [];
  for (const list of preferences.lists) {
    const listId = context.listOf(list.of);
    const isOn = listId !== null && state.subscriptions.get(listId) === true;
    if (!list.subscribed && isOn && (await isListStale(site, context, customer, listId, list))) continue;
    lists.push(list);
  }
  const hasLeft = state.globalUnsubscribe && state.pausedUntil === null;
  const isLeaveOutdated =
    preferences.leaves !== null &&
    !hasLeft &&
    (await isStaleOptOut(site, context, customer, preferences.leaves));
  return { ...preferences, lists, leaves: isLeaveOutdated ? null : preferences.leaves };
}

async function isListStale(
  site: SiteDb,
  { source, now }: ToolContext,
  customer: CustomerRow,
  listId: string,
  { of, since }: RowPreferences['lists'][number],
): Promise<boolean> {
  // A tool that removed them from the list because they paused here only repeats our own write.
  const wasTold = listMappingsOf(source.actions, source, of).includes(listId);
  if (wasTold && (await wasPausedBefore(site, customer, since === null ? now : new Date(since)))) return true;
  return since !== null && hasChosenSince(site, customer.id, { at: new Date(since), about: { listId } });
}

async function isStaleOptOut(
  site: SiteDb,
  { source, now }: ToolContext,
  customer: CustomerRow,
  { since }: NonNullable<RowPreferences['leaves']>,
): Promise<boolean> {
  const wasTold = mirrorsPauses(source.actions, source);
  if (wasTold && (await wasPausedBefore(site, customer, since === null ? now : new Date(since)))) return true;
  return since !== null && hasChosenSince(site, customer.id, { at: new Date(since), about: 'everything' });
}
