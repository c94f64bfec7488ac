import { AsyncLocalStorage } from 'node:async_hooks';
import type { AlreadyOff } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import {
  choiceCounts,
  countStatements,
  customerCounts,
  deliveryCounts,
  subscriberCounts,
} from '#server/audience/counters/counters.ts';
import { setCustomerTimer } from '#server/audience/customers/customer-timers.ts';
import {
  type CustomerRow,
  lockCustomers,
  lockAndReadSubscriptions,
} from '#server/audience/customers/customers.ts';
import {
  choicesWithSaveIds,
  hasAskedToLeaveDeleted,
  insertChoices,
  insertMoves,
  isChosenForThem,
  saveCustomerStates,
  type SavedChoice,
  clearSubscriptions,
  saveSubscriptions,
} from '#server/audience/evidence/evidence.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { rememberAddress } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import type { WaitingAction } from '#server/delivery/actions/actions.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import { actionsForAskedAgain, actionsForDeclined } from '#server/delivery/actions/stops-in-tools.ts';
import { actionsAboutToRun, createDeliveries } from '#server/delivery/deliveries/deliveries.ts';
import { batcherOf, createBatcher, type Outcome } from '#server/platform/batcher.ts';
import {
  isDatabaseUnable,
  isForeignKeyViolation,
  isUniqueViolation,
} from '#server/platform/database-errors.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { sign } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { withSharedConnectionSlot, runForSite } from '#server/platform/tenant-budget.ts';
import { actionsToNotify } from './actions-to-notify.ts';
import { alreadyOffOf } from './already-off.ts';
import { optOutsOfEmail, prepareKeptChoice } from './kept-choice.ts';
import type {
  Admission,
  ExtraStatements,
  ChoiceResult,
  ChoiceChange,
  ChoiceContext,
  LockedCustomer,
  Precondition,
  ChoiceRules,
} from './choices.ts';
import { type Draft, draftChoice, rowOfDraft } from './draft.ts';
import { lowersConsent, withoutJoins } from './lowering.ts';
import {
  brokenPrecondition,
  emailExists,
  refuseTakenEmail,
  refuseUnknownLists,
  splitGoneLists,
} from './preconditions.ts';
import { withoutUntouched } from './untouched.ts';

/*
 * Saves of one site that arrive while others are being written share the next transaction: two round trips and one
 * commit, however many there are. A rejected save does not affect the others; after an unexpected error each save is
 * retried alone.
 */

/** Saves in a batch commit together; a larger batch would delay the first save. */
const MAX_SAVES = 64;

/** A batch that waits for a locked customer does not block the next one. */
const BATCH_CONCURRENCY = 2;

export interface Save {
  customerId: string;
  change: ChoiceChange;
  context: ChoiceContext;
  precondition: Precondition;
  extraStatements: ExtraStatements | undefined;
  admission: Admission | undefined;
  rules: ChoiceRules;
  /** Decided like any other, and then not written. */
  isRehearsal: boolean;
  /** Runs callbacks in the caller's context. */
  inContext: <T>(work: () => T) => T;
}

/** The result of a save, or the customer that a merged customer's save belongs to. */
export type Saved = { kind: 'done'; result: ChoiceResult } | { kind: 'merged'; into: string };

/** Captures the caller's context. */
export function contextOfCaller(): Save['inContext'] {
  return AsyncLocalStorage.snapshot();
}

/** Commits a save, batched with others of its site. Saves of one customer keep their order. */
export const saveInBatch = batcherOf((services: Services) =>
  createBatcher<Save, Saved>(
    (siteId, saves) => runForSite(siteId, () => saveBatch(services, siteId, saves)),
    { maxSize: MAX_SAVES, concurrency: BATCH_CONCURRENCY, exclusiveBy: ({ customerId }) => customerId },
  ),
);

async function saveBatch(
  services: Services,
  siteId: string,
  saves: readonly Save[],
): Promise<readonly Outcome<Saved>[]> {
  try {
    return await saveTogether(services, siteId, saves);
  } catch (error) {
    if (isDatabaseUnable(error)) throw error;
    const [first] = saves;
    if (saves.length === 1 && first !== undefined) return [await saveAgain(services, siteId, first, error)];
    const outcomes: Outcome<Saved>[] = [];
    for (const save of saves) outcomes.push(...(await saveBatch(services, siteId, [save]).catch(rejected)));
    return outcomes;
  }
}

function rejected(reason: unknown): Outcome<Saved>[] {
  return [{ status: 'rejected', reason }];
}

/** Retries a save on its own after an error of its batch. */
async function saveAgain(
  services: Services,
  siteId: string,
  save: Save,
  error: unknown,
): Promise<Outcome<Saved>> {
  if (isForeignKeyViolation(error)) return saveWithoutDeleted(services, siteId, save);
  if (!isUniqueViolation(error) || save.change.email === undefined)
    return { status: 'rejected', reason: error };
  // Another customer has taken the address meanwhile; the retry reads that.
  try {
    const [outcome] = await saveTogether(services, siteId, [save]);
    if (outcome !== undefined) return outcome;
  } catch (again) {
    if (!isUniqueViolation(again)) return { status: 'rejected', reason: again };
  }
  return { status: 'rejected', reason: emailExists() };
}

/** A list was deleted since the rules were read. */
async function saveWithoutDeleted(services: Services, siteId: string, save: Save): Promise<Outcome<Saved>> {
  try {
    const existing = new Set((await services.database.readSite(siteId, allLists)).map(({ id }) => id));
    const lists = save.rules.lists.filter(({ id }) => existing.has(id));
    const [outcome] = await saveTogether(services, siteId, [{ ...save, rules: { ...save.rules, lists } }]);
    if (outcome !== undefined) return outcome;
  } catch (again) {
    if (!isForeignKeyViolation(again)) return { status: 'rejected', reason: again };
  }
  return { status: 'rejected', reason: listDeleted() };
}

function listDeleted(): AppError {
  return new AppError('invalid_field', 'One of the lists was just deleted. Load the page again.', {
    field: 'body',
  });
}

function saveTogether(
  services: Services,
  siteId: string,
  saves: readonly Save[],
): Promise<readonly Outcome<Saved>[]> {
  const ids = saves.map(({ customerId }) => customerId);
  const identified = saves.flatMap(({ customerId, context: { saveId } }) =>
    saveId === null ? [] : [{ customerId, saveId }],
  );
  return services.database.inSiteAfter(
    siteId,
    // Locks come first, so that later reads see the state after they were granted.
    (db) => [
      lockCustomers(db, siteId, ids),
      lockAndReadSubscriptions(db, siteId, ids),
      choicesWithSaveIds(
        db,
        identified.map(({ customerId }) => customerId),
        identified.map(({ saveId }) => saveId),
        siteId,
      ),
    ],
    async (site, [customers, subscriptions, repeated]) => {
      const customerOf = new Map(customers.map((customer) => [customer.id, customer]));
      const subscriptionsOf = Map.groupBy(subscriptions, (one) => one.customer_id);
      const decided = await Promise.all(
        saves.map(async (save): Promise<Outcome<SaveDecision>> => {
          const { customerId, context } = save;
          const customer = customerOf.get(customerId);
          const first = repeated.find(
            (one) => one.customer_id === customerId && one.save_id === context.saveId,
          );
          try {
            if (customer === undefined) throw notFound('This customer');
            const ofCustomer = subscriptionsOf.get(customerId) ?? [];
            const before = stateOf(customer, ofCustomer);
            const changedAt = new Map(ofCustomer.map((one) => [one.list_id, one.changed_at]));
            const decide = () => prepareSave(services, site, save, { customer, before, changedAt }, first);
            const decision = await withSharedConnectionSlot(save.inContext, decide);
            const value = save.isRehearsal ? { ...decision, prepared: null, statements: [] } : decision;
            return { status: 'fulfilled', value };
          } catch (reason) {
            if (!(reason instanceof AppError)) throw reason;
            return { status: 'rejected', reason };
          }
        }),
      );
      const decisions = decided.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const statements = [
        ...choiceStatements(
          services,
          site,
          decisions.flatMap(({ prepared }) => prepared ?? []),
        ),
        ...decisions.flatMap((one) => one.statements),
      ];
      if (statements.length > 0) await site.commitWith(statements);
      return decided.map((one) =>
        one.status === 'fulfilled' ? { status: 'fulfilled', value: one.value.saved } : one,
      );
    },
  );
}

interface SaveDecision {
  saved: Saved;
  /** The choice to write; null if nothing changes. */
  prepared: PreparedChoice | null;
  statements: readonly Statement[];
}

/** A choice with everything written along with it. */
export interface PreparedChoice {
  draft: Draft;
  actions: readonly WaitingAction[];
  /** The site is in test mode: the deliveries wait until it goes live. */
  isHeld: boolean;
  /** A second choice of the same customer, made by the first. */
  following?: PreparedChoice | null;
}

function stateOf(
  customer: CustomerRow,
  subscriptions: readonly { list_id: string; subscribed: boolean }[],
): CustomerState {
  return {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: customer.paused_until,
    wrongRecipientAt: customer.wrong_recipient_at,
    subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
  };
}

function unchanged(
  { customer, before }: LockedCustomer,
  more: Partial<Pick<ChoiceResult, 'choiceId' | 'refused' | 'sequence'>> = {},
): Saved {
  const { id: customerId, email, sequence } = customer;
  const nothing = { choiceId: null, customerId, before: null, at: null, goneLists: [], refused: null };
  return { kind: 'done', result: { ...nothing, email: email ?? '', sequence, ...before, ...more } };
}

/** Works out what a save changes for the locked customer. @throws AppError if it is rejected */
async function prepareSave(
  services: Services,
  site: SiteDb,
  save: Save,
  locked: LockedCustomer,
  first: SavedChoice | undefined,
): Promise<SaveDecision> {
  const { change: asked, context, rules } = save;
  const { merged_into: into } = locked.customer;
  if (into !== null) return { saved: { kind: 'merged', into }, prepared: null, statements: [] };
  // A page may show lists, and an undo may name them, that were deleted meanwhile.
  const mayNameGone = context.seen !== undefined || 'restore' in asked;
  const { change: known, gone } = mayNameGone
    ? splitGoneLists(asked, rules.lists)
    : { change: asked, gone: [] };
  const decision = await prepareKnown(services, site, { ...save, change: known }, locked, first);
  return gone.length === 0 ? decision : withGoneLists(decision, gone);
}

function withGoneLists(decision: SaveDecision, goneLists: readonly string[]): SaveDecision {
  const { saved } = decision;
  if (saved.kind === 'merged') return decision;
  return { ...decision, saved: { ...saved, result: { ...saved.result, goneLists } } };
}

async function prepareKnown(
  services: Services,
  site: SiteDb,
  save: Save,
  locked: LockedCustomer,
  first: SavedChoice | undefined,
): Promise<SaveDecision> {
  const { change: asked, context, precondition, extraStatements, admission, rules } = save;
  const { customer, before } = locked;
  const nothing = { prepared: null, statements: [] };
  const wanted = await withoutUntouched(site, locked, rules.lists, asked, context.seen);
  const refused = await brokenPrecondition(site, locked, rules.lists, wanted, precondition);
  if (refused !== null) return { saved: unchanged(locked, { refused }), ...nothing };
  const allowed: ChoiceChange = precondition.lowersOnly ? withoutJoins(wanted) : wanted;
  const admitted =
    admission === undefined ? { change: allowed, statements: [] } : await admission(site, locked, allowed);
  if (admitted === null) return { saved: unchanged(locked, { refused: 'admission' }), ...nothing };
  const { change } = admitted;
  refuseUnknownLists(change, rules.lists);
  const { email } = change;
  const isNewEmail = email !== undefined && emailKey(email) !== customer.email_key;
  if (email !== undefined) await refuseTakenEmail(site, customer, email);
  const kept = isNewEmail ? await optOutsOfEmail(services, site, email) : [];
  const made = { id: newId(), at: services.clock.now(), firstEvents: [], context, test: rules.test };
  const draft = draftChoice(services.keyring, site.id, rules.lists, locked, change, made);
  if (first !== undefined) refuseOtherBody(customer, first, context);
  if (draft === null) {
    const { statements } = admitted;
    const asked =
      first === undefined
        ? (context.shown.already_off ?? alreadyOffOf(before, change, context, rules.lists))
        : null;
    const actions =
      asked === null ? [] : await actionsToRunAgain(site, locked, asked, { context, rules, at: made.at });
    if (asked === null || (actions.length === 0 && !(await isToBeRecorded(site, customer.id, asked)))) {
      return { saved: unchanged(locked, { choiceId: first?.id ?? null }), prepared: null, statements };
    }
    // Their save ID is not used up: for them, nothing was saved.
    const record = draftChoice(services.keyring, site.id, rules.lists, locked, change, {
      ...made,
      context: { ...context, saveId: null },
      isAskedAgain: true,
    });
    return {
      saved: unchanged(locked, { sequence: customer.sequence + 1 }),
      prepared: record && { draft: record, actions, isHeld: rules.test.isOn },
      statements,
    };
  }
  if (first !== undefined) {
    // Without a script, nothing tells a form that is sent twice from somebody who went back to leave once more.
    const lowered = context.seen?.isForm === true ? withoutJoins(change) : {};
    if (!lowersConsent(before, lowered, rules.lists)) {
      // Repeating a save changes nothing and returns the first result.
      return { saved: unchanged(locked, { choiceId: first.id }), ...nothing };
    }
    const again = { ...save, change: lowered, context: { ...context, saveId: null } };
    return prepareKnown(services, site, again, locked, undefined);
  }
  draft.choice.save_hash = saveHashOf(customer, context);
  const following = await prepareKeptChoice(services, site, rules, locked, draft, kept);
  const { choice } = draft;
  const { after } = following.prepared?.draft ?? draft;
  return {
    saved: {
      kind: 'done',
      result: {
        choiceId: choice.id,
        customerId: customer.id,
        email: draft.customer.email,
        sequence: choice.sequence,
        before,
        at: made.at,
        goneLists: [],
        refused: null,
        ...after,
      },
    },
    prepared: {
      draft,
      actions: await actionsToNotify(site, customer.id, rules.actions, context),
      isHeld: rules.test.isOn,
      following: following.prepared,
    },
    statements: [
      ...((await extraStatements?.(site, customer, choice.id, { before, after })) ?? []),
      ...admitted.statements,
      ...following.statements,
      ...(isNewEmail && customer.email !== null
        ? rememberAddress(services, site.id, {
            customerId: customer.id,
            email: customer.email,
            movedAt: made.at,
          })
        : []),
    ],
  };
}

/** Mail programs repeat a one-click, and people press twice. */
const REPEATED_WITHIN_MS = 10_000;

/** The actions that repeat an opt-out in the tools, which may send what is already off here. */
async function actionsToRunAgain(
  site: SiteDb,
  { customer, before }: LockedCustomer,
  asked: AlreadyOff,
  { context, rules, at }: Pick<Save, 'context' | 'rules'> & { at: Date },
): Promise<WaitingAction[]> {
  // A tool may be reporting our own change, and two tools would tell each other for ever.
  if (context.toldBy !== undefined) return [];
  const actions = actionsForAskedAgain(rules.actions, asked, before);
  if (actions.length === 0) return [];
  const since = new Date(at.getTime() - REPEATED_WITHIN_MS);
  const running = new Set(await actionsAboutToRun(site, customer.id, since));
  return actions.filter(({ id }) => !running.has(id));
}

/** Does an undo or a proof need this request, which changes nothing and is sent to no tool? Once is enough. */
async function isToBeRecorded(site: SiteDb, customerId: string, asked: AlreadyOff): Promise<boolean> {
  const deleted = asked.lists.find((list) => list.deleted === true);
  if (deleted === undefined) return isChosenForThem(site, customerId, asked);
  return !(await hasAskedToLeaveDeleted(site, customerId, deleted.list_id));
}

/** Keyed with the person's salt, so that it identifies nobody after an erasure. */
function saveHashOf({ person_salt: salt }: CustomerRow, { saveId, saveBody }: ChoiceContext): Buffer | null {
  if (saveId === null || saveBody === undefined || salt === null) return null;
  return sign(salt, Buffer.from(JSON.stringify(saveBody), 'utf8'));
}

/** @throws AppError `conflict` */
function refuseOtherBody(customer: CustomerRow, first: SavedChoice, context: ChoiceContext): void {
  const hash = saveHashOf(customer, context);
  if (hash === null || first.save_hash === null || first.save_hash.equals(hash)) return;
  throw new AppError(
    'conflict',
    'idempotency-key: this save ID was already used for another choice. Send a new ID.',
    { field: 'idempotency-key' },
  );
}

/**
 * Statements that write state, evidence, moves, timers, deliveries and counters for choices of different customers, and
 * then for those that follow from them.
 */
export function choiceStatements(
  services: Services,
  site: SiteDb,
  prepared: readonly PreparedChoice[],
): Statement[] {
  const following = prepared.flatMap((one) => one.following ?? []);
  const statements = statementsOfChoices(services, site, prepared);
  return following.length === 0
    ? statements
    : [...statements, ...statementsOfChoices(services, site, following)];
}

/** One that runs because a list was left needn't run because another was declined. */
function actionsOf(
  { events, transition: { lists }, after, record }: Draft,
  actions: readonly WaitingAction[],
) {
  const { already_off: again } = record.shown;
  return [
    ...new Set([
      ...matchActions(actions, { events, lists }),
      ...actionsForDeclined(actions, lists, after),
      ...(again === undefined ? [] : actionsForAskedAgain(actions, again, after)),
    ]),
  ];
}

function statementsOfChoices(
  services: Services,
  site: SiteDb,
  prepared: readonly PreparedChoice[],
): Statement[] {
  const drafts = prepared.map(({ draft }) => draft);
  // Figures and moves leave out what test customers choose; how many customers there are does not.
  const counted = drafts.filter(({ choice }) => choice.is_test === null);
  const matched = prepared.map(({ draft, actions, isHeld }) => ({
    draft,
    choice: rowOfDraft(site.id, draft),
    isHeld,
    actions: actionsOf(draft, actions),
  }));
  return [
    ...saveCustomerStates(
      site.id,
      drafts.map(({ choice, customer }) => ({ id: choice.customer_id, ...customer })),
    ),
    ...saveSubscriptions(
      site.id,
      drafts.flatMap(({ choice, changed }) =>
        changed.map((one) => ({ customer_id: choice.customer_id, changed_at: choice.occurred_at, ...one })),
      ),
    ),
    ...clearSubscriptions(
      site.id,
      drafts.flatMap(({ choice, cleared }) =>
        cleared.map((list_id) => ({ customer_id: choice.customer_id, list_id })),
      ),
    ),
    ...insertChoices(
      site.id,
      drafts.map(({ choice }) => choice),
    ),
    ...insertMoves(
      site.id,
      counted.flatMap(({ choice, moves }) => moves.map((move) => ({ choice_id: choice.id, ...move }))),
    ),
    ...drafts.flatMap(({ choice: { customer_id: customerId, paused_until: dueAt, occurred_at: now } }) =>
      dueAt === null ? [] : [setCustomerTimer(site, { customerId, kind: 'resume', dueAt, now })],
    ),
    ...createDeliveries(services, site, matched),
    ...countStatements(site.id, [
      ...drafts.flatMap(({ choice, events, subscribers }) => [
        ...(events.includes('customer_created') ? customerCounts(choice.customer_id, 1) : []),
        ...subscriberCounts(subscribers),
      ]),
      ...matched
        .filter(({ draft }) => draft.choice.is_test === null)
        .flatMap(({ draft: { choice, events, transition, moves, record }, actions }) => [
          ...(record.shown.undone === undefined
            ? choiceCounts({ ...choice, events, lists: transition.lists }, actions.length, moves)
            : []),
          ...deliveryCounts(choice.id, actions.length),
        ]),
    ]),
  ];
}
