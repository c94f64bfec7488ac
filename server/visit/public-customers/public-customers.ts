import type { LeaveReason } from '#contract/choices.ts';
import type { ListPreference } from '#contract/customers.ts';
import { emailKey } from '#contract/email-key.ts';
import type { PendingChange } from '#contract/pending-changes.ts';
import type { OpenedCustomerPage, PauseLength, PublicCustomer } from '#contract/public-preferences.ts';
import {
  type CustomerSession,
  openSessionToken,
  sealSessionToken,
  type Sight,
} from '#server/accounts/access/customer-session-token.ts';
import {
  type CustomerOnPageRow,
  type CustomerRow,
  customersOnPage,
  findCustomer,
  findCustomerByEmail,
} from '#server/audience/customers/customers.ts';
import {
  authorityOf,
  emailFor,
  levelNow,
  linkExpired,
  refuseExpired,
  whoseLink,
} from '#server/audience/customers/link-levels.ts';
import { recordReason } from '#server/audience/evidence/reasons.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import {
  type ExtraStatements,
  type ChoiceResult,
  type ChoiceChange,
  type Precondition,
  saveChoice,
} from '#server/choices/choices/choices.ts';
import { choiceContextOf } from '#server/choices/choices/choice-context.ts';
import type { WantedList } from '#server/audience/evidence/transitions.ts';
import type { PageSeen } from '#server/choices/choices/untouched.ts';
import {
  meetsProofRequired,
  findOpenedPage,
  requireLinkedPage,
  requireOpenedPage,
  requirePageByPathOrId,
  type OpenedPage,
  type ServedPage,
} from '#server/pages/preference-pages/public-pages.ts';
import { batcherOf, createBatcher } from '#server/platform/batcher.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import { runForSite } from '#server/platform/tenant-budget.ts';
import { queuePersonalLink } from '#server/visit/customer-mails/personal-link.ts';
import { pendingChangesOf } from '#server/visit/pending-changes/pending-changes.ts';
import { combineStatements, addressChangeNotice, resubscribeNotice } from './notices.ts';
import { pauseEnd } from './pause-end.ts';
import { requireUndoToken, sealUndoToken } from './undo-tokens.ts';
import { countSave, onlyOff } from './save-limit.ts';
import { undoChoice } from './undo.ts';
import { saveOrHold } from './hold-changes.ts';

const LOOKUPS_OF_ADDRESS: Limit = { name: 'lookup-address', points: 20, perSeconds: 600 };
// A whole office may share one IP; each look-up also counts against the typed address.
const LOOKUPS_OF_IP: Limit = { name: 'lookup-ip', points: 300, perSeconds: 600 };
// A hundred times the limit of one IP, so that a few clients cannot use up the site's limit.
const LOOKUPS_OF_SITE: Limit = { name: 'lookup-site', points: 30_000, perSeconds: 600 };
// Each change mails the old address, and reveals whether the new one is taken.
const EMAIL_CHANGES_OF_CUSTOMER: Limit = { name: 'email-changes', points: 10, perSeconds: 3600 };

/** @param session what its page has shown; without a visit, a new one begins */
export function presentPublic(
  services: Services,
  siteId: string,
  session: Pick<CustomerSession, 'pageId' | 'level'> & Sight,
  customer: Pick<CustomerRow, 'id' | 'email' | 'global_unsubscribe' | 'paused_until' | 'link_generation'>,
): PublicCustomer {
  const { id, link_generation: generation } = customer;
  const { level } = session;
  return {
    id: sealSessionToken(services, siteId, { ...session, id, generation }),
    level,
    email: emailFor(level, customer.email),
    global_unsubscribe: customer.global_unsubscribe,
    paused_until: customer.paused_until?.toISOString() ?? null,
  };
}

function unknownCustomer(): AppError {
  return new AppError('customer_not_found', 'No customer has this email or link.');
}

/** The same response for every address, known or not. */
function proofNeeded(): AppError {
  return new AppError(
    'proof_needed',
    "This page only opens with a personal link. If we know this email, we've sent a link to it.",
  );
}

async function findByChallenge(services: Services, siteId: string, challenge: string) {
  const link = await whoseLink(services, siteId, challenge);
  if (link === null) return null;
  const customer = await services.database.readSite(siteId, (site) => findCustomer(site, link.id));
  return customer === undefined ? null : { customer, level: levelNow(link, customer) };
}

/**
 * Counts a look-up by address against the limits per IP, per address from this IP, and per site. One that exceeds its IP's
 * limit does not count against the others, and a stranger's do not count against the person's own.
 */
export async function limitLookups(
  services: Services,
  visit: Visit,
  email: string,
  how: 'use' | 'useHere',
): Promise<void> {
  const { limits } = services;
  const network = networkOf(visit.ip);
  await limits[how](LOOKUPS_OF_IP, `${visit.siteId}:${network}`);
  await limits[how](LOOKUPS_OF_ADDRESS, `${visit.siteId}:${network}:${emailKey(email)}`);
  await limits[how](LOOKUPS_OF_SITE, visit.siteId);
}

/**
 * Read-only: the customer of a typed or linked address on an open page. Enhanced pages find nobody by address.
 */
export async function findByEmail(
  services: Services,
  visit: Visit,
  served: ServedPage,
  email: string,
): Promise<CustomerRow | null> {
  if (served.page.attrs.enhanced_security) return null;
  return (
    (await services.database.readSite(visit.siteId, (site) => findCustomerByEmail(site, emailKey(email)))) ??
    null
  );
}

/**
 * Finds the customer of a challenge or an address, or creates one if the page allows it. A page that asks for proof
 * mails a personal link instead, with the same response for every address.
 * @throws AppError `customer_not_found`, `proof_needed`, `rate_limited`
 */
export async function openCustomer(
  services: Services,
  visit: Visit,
  input: { custom_path: string; renews?: string | undefined } & ({ email: string } | { challenge: string }),
): Promise<PublicCustomer> {
  const former = input.renews === undefined ? null : openSessionToken(services, visit.siteId, input.renews);
  const openedId = former?.session.pageId;
  const present = (pageId: string, level: CustomerSession['level'], customer: CustomerRow) => {
    const seen = seenBefore(customer, former?.session);
    return presentPublic(services, visit.siteId, { pageId, level, ...seen }, customer);
  };
  if ('challenge' in input) {
    const page = await requireLinkedPage(services, visit.siteId, input.custom_path, openedId);
    const found = await findByChallenge(services, visit.siteId, input.challenge);
    if (found === null) throw unknownCustomer();
    return present(page.id, found.level, found.customer);
  }
  const served = await requirePageByPathOrId(services, visit.siteId, input.custom_path, openedId);
  await limitLookups(services, visit, input.email, 'use');
  if (served.page.attrs.enhanced_security) {
    await queuePersonalLink(services, visit, served, input.email);
    throw proofNeeded();
  }
  const known = await findByEmail(services, visit, served, input.email);
  if (known !== null) return present(served.id, 'open', known);
  if (!served.allowCustomerCreate) throw unknownCustomer();
  const created = await addCustomer(
    services,
    visit.siteId,
    input.email,
    choiceContextOf(services, visit, served, { source: 'page', authority: 'open', saveId: null }),
  );
  // Created concurrently: find it now.
  const customer = created ?? (await findByEmail(services, visit, served, input.email));
  if (customer === null) throw unknownCustomer();
  return present(served.id, 'open', customer);
}

/** What the page has shown: what it shows now, or what it showed when its id, which has expired, was made. */
function seenBefore(customer: CustomerRow, former: CustomerSession | undefined): Sight {
  return former?.id === customer.id ? sameSight(former) : { sequence: customer.sequence };
}

/** What a page shows of a customer: every list off after a global opt-out, the later state during a pause. */
export interface CustomerOnPage extends Omit<PublicCustomer, 'id'> {
  /** `subscribed` null: never chosen. */
  lists: { id: string; subscribed: boolean | null }[];
  pending: PendingChange[];
  /** Of the last choice that this shows. */
  sequence: number;
}

/** The rows of a customer, read in one batch with those of others who open their pages at the same time. */
const readRows = batcherOf((services: Services) =>
  createBatcher<string, readonly CustomerOnPageRow[]>(
    async (siteId, ids) => {
      const rows = await runForSite(siteId, () =>
        services.database.readOnce(siteId, (db) => customersOnPage(db, siteId, ids)),
      );
      const rowsOf = Map.groupBy(rows, ({ id }) => id);
      return ids.map((id) => ({ status: 'fulfilled', value: rowsOf.get(id) ?? [] }));
    },
    { maxSize: 64, concurrency: 2 },
  ),
);

/** Whether the page shows a list as on that waits to be confirmed by email. */
export function isSomeWaiting(pending: readonly PendingChange[]): boolean {
  return pending.some(({ kind }) => kind === 'subscribe');
}

/** A single read; null if the customer does not exist (any more), or the page asks for more proof. */
export async function readCustomerOnPage(
  services: Services,
  siteId: string,
  served: ServedPage,
  customerSession: Pick<CustomerSession, 'id' | 'level' | 'generation'>,
): Promise<CustomerOnPage | null> {
  if (!meetsProofRequired(served, customerSession)) return null;
  const [rows, pending] = await Promise.all([
    readRows(services)(siteId, customerSession.id),
    pendingChangesOf(services, siteId, served, customerSession.id),
  ]);
  const [customer] = rows;
  if (customer === undefined) return null;
  if (customer.merged_into !== null) {
    return readCustomerOnPage(services, siteId, served, { ...customerSession, id: customer.merged_into });
  }
  const hasLeft = customer.global_unsubscribe && customer.paused_until === null;
  const chosen = new Map(rows.map((row) => [row.list_id, row.subscribed]));
  const level = levelNow(customerSession, customer);
  return {
    level,
    email: emailFor(level, customer.email),
    global_unsubscribe: customer.global_unsubscribe,
    paused_until: customer.paused_until?.toISOString() ?? null,
    lists: served.page.lists.map(({ id }) => ({
      id,
      subscribed: hasLeft ? false : (chosen.get(id) ?? null),
    })),
    pending,
    sequence: customer.sequence,
  };
}

/** The page with the customer's own state. */
export async function getCustomerPage(
  services: Services,
  siteId: string,
  session: CustomerSession,
  customPath: string,
): Promise<OpenedCustomerPage> {
  const served = await requirePageByPathOrId(services, siteId, customPath, session.pageId);
  const found = await readCustomerOnPage(services, siteId, served, session);
  if (found === null) throw notFound('This customer');
  const { pending, lists, sequence, ...customer } = found;
  const { id, generation } = session;
  const sight = { sequence, showsWaiting: isSomeWaiting(pending) };
  const opened = { id, generation, level: customer.level, pageId: session.pageId, ...sight };
  return {
    ...served.page,
    customer: { ...customer, id: sealSessionToken(services, siteId, opened) },
    lists: served.page.lists.map((list, index) => ({
      ...list,
      subscribed: lists[index]?.subscribed ?? null,
    })),
    pending,
  };
}

export interface SaveOptions {
  saveId: string | null;
  source: 'page' | 'state_link';
  /** A form without a script, of which the person pressed a button. */
  isForm?: boolean;
}

/** A page without `confirm_links` follows a `state=` link by itself. */
function seenOn(
  session: CustomerSession,
  served: ServedPage,
  { source, isForm = false }: SaveOptions,
): PageSeen {
  const { sequence, visitId, showsWaiting } = session;
  const seen = { sequence, visitId, isForm, showsWaiting };
  if (source === 'page') return { ...seen, by: 'switches' };
  return { ...seen, by: isForm || served.page.attrs.confirm_links ? 'button' : 'itself' };
}

async function savePublic(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  options: SaveOptions & { saveBody: unknown },
  { served, isClosed }: OpenedPage,
  change: ChoiceChange,
  extraStatements?: ExtraStatements,
) {
  const { siteId } = visit;
  if (isClosed && !onlyLowers(change)) throw notFound('This customer');
  const tooMany = await countSave(services, visit, session);
  const notice = resubscribeNotice(services, visit, served.id);
  const told = extraStatements === undefined ? notice : combineStatements(notice, extraStatements);
  const saveAs = (level: CustomerSession['level'], part: ChoiceChange, saveId: string | null) => {
    const context = {
      ...choiceContextOf(services, visit, served, {
        source: options.source,
        authority: authorityOf(level),
        saveId,
        saveBody: options.saveBody,
      }),
      seen: seenOn(session, served, options),
    };
    const precondition = {
      ...preconditionOf(session, level),
      ...((isClosed || tooMany !== null) && { lowersOnly: true as const }),
    };
    const asking = { siteId, ip: visit.ip, served, session, context };
    return saveOrHold(services, asking, (admission) =>
      saveChoice(services, siteId, session.id, part, context, precondition, told, admission),
    );
  };
  let { level } = session;
  let result = await saveAs(level, change, options.saveId);
  if (result.refused === 'linkGeneration') {
    level = 'leave';
    result = await saveAs(level, change, options.saveId);
  }
  if (result.refused === 'lowersOnly' && tooMany !== null) {
    // Without the save ID, which is for all of it.
    await saveAs(level, onlyOff(change), null);
    throw tooMany;
  }
  if (result.refused === 'lowersOnly') throw isClosed ? notFound('This customer') : linkExpired();
  const pending = await pendingAfter(result, () =>
    pendingChangesOf(services, siteId, served, result.customerId),
  );
  return { served, isClosed, result, level, pending };
}

/** What a page that is closed by now still does. */
function onlyLowers(change: ChoiceChange): boolean {
  if (change.email !== undefined) return false;
  if ('pauseUntil' in change) return true;
  if (!('lists' in change) && !('globalUnsubscribe' in change)) return false;
  const { lists = [], globalUnsubscribe } = change;
  return globalUnsubscribe !== false && lists.every(({ subscribed }) => !subscribed);
}

/** The choice is committed: if this read fails, the error says that the choice was saved. */
async function pendingAfter(
  { choiceId }: ChoiceResult,
  read: () => Promise<PendingChange[]>,
): Promise<PendingChange[]> {
  try {
    return await read();
  } catch (cause) {
    throw new AppError(
      'unavailable',
      "Your choice is saved, but we couldn't load your pending changes. Try again in a moment.",
      { cause, data: { choice_id: choiceId } },
    );
  }
}

function preconditionOf({ generation }: CustomerSession, level: CustomerSession['level']): Precondition {
  if (level === 'proven') return { linkGeneration: generation };
  return level === 'leave' ? { lowersOnly: true } : {};
}

/** An aged link and a closed page get none, because they may not undo anything. */
function undoTokenFor(
  services: Services,
  siteId: string,
  customerId: string,
  { level, isClosed, result }: { level: CustomerSession['level']; isClosed: boolean; result: ChoiceResult },
): Promise<string | null> | null {
  return level === 'leave' || isClosed ? null : sealUndoToken(services, siteId, customerId, result);
}

/**
 * Lists that the page no longer offers are ignored; the others are saved.
 * @param options.leavesAll “Unsubscribe from all” was pressed: sets the global opt-out together with these lists
 * @throws AppError `invalid_field` for a list that is on despite `leavesAll`
 */
export async function saveLists(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  preferences: readonly ListPreference[],
  options: SaveOptions & { leavesAll: boolean },
) {
  const { leavesAll } = options;
  if (leavesAll && preferences.some(({ subscribed }) => subscribed)) {
    throw invalidField(
      'x-unsubscribe-all',
      'x-unsubscribe-all: a list in the body is on. Leave the header out, or switch every list off.',
    );
  }
  const sent = { ...options, saveBody: { preferences, leavesAll } };
  const sentIds = preferences.map((one) => one.notification_list_id);
  const opened = await findOpenedPage(services, visit.siteId, session, sentIds);
  const lists = preferences
    .map((one) => ({ list_id: one.notification_list_id, subscribed: one.subscribed }))
    .filter((one) => isOffered(opened, one));
  const change = { lists, ...(leavesAll && { globalUnsubscribe: true }) };
  const saved = await savePublic(services, visit, session, sent, opened, change);
  const { served, isClosed, result } = saved;
  const offered = new Set(lists.map((one) => one.list_id));
  const ignored = sentIds.filter((id) => !offered.has(id) || result.goneLists.includes(id));
  const hasLeft = result.globalUnsubscribe && result.pausedUntil === null;
  return {
    choice_id: result.choiceId,
    global_unsubscribe: result.globalUnsubscribe,
    customer: presentResult(services, visit, session, saved, {
      sequence: result.sequence,
      showsWaiting: isSomeWaiting(saved.pending),
    }),
    lists: served.page.lists.flatMap((list) => {
      // Who came without proof to a page that asks for it by now learns nothing but what they asked for.
      if (isClosed && !offered.has(list.id)) return [];
      const subscribed = hasLeft ? false : result.subscriptions.get(list.id);
      return subscribed === undefined ? [] : [{ notification_list_id: list.id, subscribed }];
    }),
    receipt: await undoTokenFor(services, visit.siteId, session.id, saved),
    ignored,
    pending: saved.pending,
  };
}

function isOffered({ served, isClosed }: OpenedPage, { list_id: id, subscribed }: WantedList): boolean {
  return served.page.lists.some((list) => list.id === id) && !(isClosed && subscribed);
}

type CustomerUpdate = { global_unsubscribe: boolean } | { email: string } | PauseLength;

function isPause(input: CustomerUpdate): input is PauseLength {
  return 'pause_days' in input || 'pause_until' in input;
}

function changeOfUpdate({ clock }: Services, { page }: ServedPage, input: CustomerUpdate): ChoiceChange {
  if ('global_unsubscribe' in input) return { globalUnsubscribe: input.global_unsubscribe };
  // Also where the page has stopped offering a pause since it was opened: what lowers consent always works.
  if (isPause(input)) return { pauseUntil: pauseEnd(input, clock.now()) };
  if (!page.attrs.allow_email_change) {
    throw invalidField('email', "email: this page doesn't let customers change their email.");
  }
  return { email: input.email };
}

/**
 * Unsubscribes from everything, resubscribes, pauses, or changes the address, where the page allows that.
 * @throws AppError `invalid_field`, `error_exists`; `rate_limited` for too many changes of the address
 */
export async function updatePublicCustomer(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  input: CustomerUpdate,
  options: SaveOptions,
) {
  const isMove = 'email' in input;
  if (isMove) await services.limits.use(EMAIL_CHANGES_OF_CUSTOMER, `${visit.siteId}:${session.id}`);
  const opened = await findOpenedPage(services, visit.siteId, session);
  const saved = await savePublic(
    services,
    visit,
    session,
    { ...options, saveBody: input },
    opened,
    changeOfUpdate(services, opened.served, input),
    isMove ? addressChangeNotice(services, visit, session.pageId, input.email) : undefined,
  );
  return {
    ...presentResult(services, visit, session, saved, sameSight(session)),
    receipt: await undoTokenFor(services, visit.siteId, session.id, saved),
    pending: saved.pending,
  };
}

/** An answer without the lists shows nothing new of them. */
function sameSight({ sequence, visitId, showsWaiting }: CustomerSession): Sight {
  return { sequence, visitId, showsWaiting };
}

function presentResult(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  { result, level }: { result: ChoiceResult; level: CustomerSession['level'] },
  shown: Sight,
): PublicCustomer {
  const { id, pageId, generation } = session;
  return presentPublic(
    services,
    visit.siteId,
    { pageId, level, ...shown },
    {
      id,
      link_generation: generation,
      email: result.email,
      global_unsubscribe: result.globalUnsubscribe,
      paused_until: result.pausedUntil,
    },
  );
}

/** @throws AppError `invalid_field` for an invalid or expired receipt, `conflict` after a later choice, `rate_limited` */
export async function undoPublicChoice(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  sealed: string,
  saveId: string | null,
): Promise<PublicCustomer> {
  await refuseExpired(services, visit.siteId, session);
  const undoToken = requireUndoToken(services, visit.siteId, session.id, sealed);
  const served = await requireOpenedPage(services, visit, session);
  const { source: _, ...context } = choiceContextOf(services, visit, served, {
    source: 'undo',
    authority: authorityOf(session.level),
    saveId,
  });
  const seen = seenOn(session, served, { saveId, source: 'page' });
  const tooMany = await countSave(services, visit, session);
  const precondition = tooMany === null ? {} : { lowersOnly: true as const };
  const result = await undoChoice(services, visit.siteId, undoToken, { ...context, seen }, precondition);
  if (result.refused === 'lowersOnly' && tooMany !== null) throw tooMany;
  return presentResult(services, visit, session, { result, level: session.level }, sameSight(session));
}

/** @throws AppError `invalid_field` for an invalid or expired receipt */
export async function givePublicReason(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  input: { receipt: string; reason: LeaveReason },
): Promise<void> {
  await refuseExpired(services, visit.siteId, session);
  const undoToken = requireUndoToken(services, visit.siteId, session.id, input.receipt);
  await requireOpenedPage(services, visit, session);
  await recordReason(services, visit.siteId, undoToken, input.reason);
}
