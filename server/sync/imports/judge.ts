import type { CustomerRow } from '#server/audience/customers/customers.ts';
import { cameBackSince, wasPausedBefore } from '#server/audience/evidence/told-moments.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { type ActionRow, allActions } from '#server/delivery/actions/actions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { listsTiedTo, tellsOfPauses } from '#server/sync/inbound/ties.ts';
import { connectorOf, findIntegration } from '#server/tools/integrations/integrations.ts';
import { decide, type Decision } from './decide.ts';
import type { ImportJob } from './imports.sql.ts';
import type { Person } from './people.ts';
import type { RowWish } from './wish.ts';

/** What rows are held against. */
export interface Context {
  revive: boolean;
  /** Where the lists of wishes stand; null for one that is to be made yet. */
  listOf(of: string): string | null;
  hasList(listId: string): boolean;
  nameOf: (listId: string) => string;
  /** The tool that told it, with the actions that it hears from. */
  teller: { integrationId: string; connector: Connector; actions: ActionRow[] } | null;
  now: Date;
}

export async function contextOf(site: SiteDb, job: ImportJob, now: Date): Promise<Context> {
  const lists = new Map((await allLists(site)).map(({ id, name }) => [id, name]));
  const byResource = new Map((job.resources ?? []).map((one) => [one.resource.id, one]));
  return {
    revive: job.options.revive,
    listOf: (of) => (job.source === 'csv' ? of : (byResource.get(of)?.list_id ?? null)),
    hasList: (listId) => lists.has(listId),
    nameOf: (listId) => lists.get(listId) ?? '',
    teller: await tellerOf(site, job),
    now,
  };
}

async function tellerOf(
  site: SiteDb,
  { integration_id: integrationId }: ImportJob,
): Promise<Context['teller']> {
  if (integrationId === null) return null;
  const integration = await findIntegration(site, integrationId);
  if (integration === undefined) return null;
  return { integrationId, connector: connectorOf(integration), actions: await allActions(site) };
}

export interface Judgement extends Decision {
  /** Is somebody who is no customer yet made one? */
  adds: boolean;
}

const SAYS_NOTHING =
  'The tool says neither that they receive it nor that they left: not confirmed, bounced or archived.';
const ERASED_AS_LEFT = 'The person was erased after leaving everything, and starts as having left.';
const LIST_IS_GONE = 'One of the lists was deleted meanwhile.';
const CHOSEN_SINCE = 'The person has chosen otherwise here since.';

/** Reads where there is something to read: most rows need nothing but the person. */
export type Reader = <T>(work: (site: SiteDb) => Promise<T>) => Promise<T>;

/** What becomes of a row, with the person as they are. @param isNew made by this row a moment ago */
export async function judge(
  read: Reader,
  context: Context,
  { customer, state }: Person,
  wish: RowWish,
  isNew = customer === null,
): Promise<Judgement> {
  if (wish.note === 'unclear') {
    return { verdict: 'unchanged', reason: SAYS_NOTHING, wish: null, adds: false };
  }
  const { teller } = context;
  const current =
    customer === null || teller === null
      ? wish
      : await read((site) => withoutOutdated(site, { ...context, teller }, customer, state, wish));
  const { lists, isMissing } = siteListsOf(context, current);
  const decision = decide(
    state,
    { lists, leaves: current.leaves !== null },
    { isNew, revive: context.revive, nameOf: context.nameOf },
  );
  const isOutdated =
    current.lists.length < wish.lists.length || (wish.leaves !== null && current.leaves === null);
  const reason =
    decision.reason ??
    (isMissing ? LIST_IS_GONE : null) ??
    (isOutdated ? CHOSEN_SINCE : null) ??
    (isNew && state.globalUnsubscribe ? ERASED_AS_LEFT : null);
  return { ...decision, reason, adds: true };
}

/** Resources that stand for the same list say one thing: the opt-out. */
function siteListsOf(context: Context, wish: RowWish) {
  const byList = new Map<string, boolean>();
  let isMissing = false;
  for (const { of, subscribed } of wish.lists) {
    const listId = context.listOf(of);
    if (listId !== null && !context.hasList(listId)) isMissing = true;
    // One that is to be made yet was chosen by nobody.
    else byList.set(listId ?? `new:${of}`, subscribed && byList.get(listId ?? `new:${of}`) !== false);
  }
  const lists = [...byList].map(([list_id, subscribed]) => ({ list_id, subscribed }));
  return { lists, isMissing };
}

type ToldContext = Context & { teller: NonNullable<Context['teller']> };

/** Takes out what a tool says of the time before the person chose otherwise here. */
async function withoutOutdated(
  site: SiteDb,
  context: ToldContext,
  customer: CustomerRow,
  state: CustomerState,
  wish: RowWish,
): Promise<RowWish> {
  const lists: RowWish['lists'] = [];
  for (const list of wish.lists) {
    const listId = context.listOf(list.of);
    const isOn = listId !== null && state.subscriptions.get(listId) === true;
    if (!list.subscribed && isOn && (await isListOutdated(site, context, customer, listId, list))) continue;
    lists.push(list);
  }
  const hasLeft = state.globalUnsubscribe && state.pausedUntil === null;
  const isLeaveOutdated =
    wish.leaves !== null && !hasLeft && (await isOutdatedLeave(site, context, customer, wish.leaves));
  return { ...wish, lists, leaves: isLeaveOutdated ? null : wish.leaves };
}

async function isListOutdated(
  site: SiteDb,
  { teller, now }: ToldContext,
  customer: CustomerRow,
  listId: string,
  { of, since }: RowWish['lists'][number],
): Promise<boolean> {
  // A tool that took them off the list because they paused here says only what it was told.
  const wasTold = listsTiedTo(teller.actions, teller, of).includes(listId);
  if (wasTold && (await wasPausedBefore(site, customer, since === null ? now : new Date(since)))) return true;
  return since !== null && cameBackSince(site, customer.id, { at: new Date(since), about: { listId } });
}

async function isOutdatedLeave(
  site: SiteDb,
  { teller, now }: ToldContext,
  customer: CustomerRow,
  { since }: NonNullable<RowWish['leaves']>,
): Promise<boolean> {
  const wasTold = tellsOfPauses(teller.actions, teller);
  if (wasTold && (await wasPausedBefore(site, customer, since === null ? now : new Date(since)))) return true;
  return since !== null && cameBackSince(site, customer.id, { at: new Date(since), about: 'everything' });
}
