import type { ChoiceEvent, ChoiceSource, Evidence, ImportedDetails, Requested } from '#contract/choices.ts';
import type { Language } from '#contract/fields.ts';
import { siteTag } from '#server/accounts/sites/change-site.ts';
import { type TestRules, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import type { CustomerRow } from '#server/audience/customers/customers.ts';
import type { ToolMoment } from '#server/audience/evidence/stale-events.ts';
import type {
  ChoosableList,
  CustomerState,
  PreferenceChange,
} from '#server/audience/evidence/transitions.ts';
import type { KeptOptOut } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import { allLists, type ListRow } from '#server/audience/lists/lists.ts';
import { enabledActions, type WaitingAction } from '#server/delivery/actions/actions.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { SAVES } from './choices.metrics.ts';
import { draftChoice } from './draft.ts';
import { prepareKeptChoice } from './kept-choice.ts';
import { isRehearsal } from './rehearsal.ts';
import { choiceStatements, contextOfCaller, saveInBatch } from './save-batch.ts';
import type { PageSeen } from './untouched.ts';
import { wantedActions } from './wanted-actions.ts';

export { NO_VISIT, NOTHING_SHOWN } from './no-visit.ts';

/** How a choice was made: what the evidence records besides the change itself. */
export interface ChoiceContext {
  source: ChoiceSource;
  authority: Evidence['authority'];
  /** Idempotency key sent by the client; repeating it changes nothing. */
  saveId: string | null;
  /** The body sent with the save id: the same id with another body is rejected. */
  saveBody?: unknown;
  language: Language | null;
  ip: string | null;
  userAgent: string | null;
  shown: Evidence['shown'];
  /** Of a choice that was made on a page with all its lists. */
  seen?: PageSeen;
  /** The day that the pressed link says it was made on, in days since 1970-01-01; absent where it doesn't say. */
  linkDay?: number;
  /** The parameters of the pressed link were changed on the way. */
  isLinkChanged?: boolean;
  /** Sequence of the address change that this choice undoes. */
  takesBack?: number;
  /** The original request, if the choice is confirmed only now. */
  requested?: { record: Requested; userAgent: string | null };
  /** When and from where it was confirmed elsewhere, as an import says. */
  confirmation?: { at: string; ip: string | null };
  /** What the file of an import says that may name the person; `shown.imported` has its hash. */
  imported?: ImportedDetails;
  /** The tool that reported the choice does not get it back, unless we wrote to it after this time. */
  toldBy?: { integrationId: string; since: Date };
  /** The person said this to the tool; what else a tool reports may be what we wrote there. */
  isSaidInTool?: true;
  /** What the customer is subscribed to is sent to nobody; that they left is. */
  sendsOnlyOptOuts?: true;
}

export type ChoiceChange = PreferenceChange & { email?: string };

/** Checked once the customer is locked; if it fails, nothing changes. */
export interface Precondition {
  /** The customer's last choice still has this sequence. */
  sequence?: number;
  /** The customer is still on this pause. */
  pausedUntil?: Date;
  /** The address change with this sequence can be undone; see `canUndoAddressChange`. */
  addressChange?: number;
  /** The customer has not chosen otherwise since this event in a tool. */
  notBackSince?: ToolMoment;
  /** The customer's pause, if any, did not begin before this time. */
  notPausedBefore?: Date;
  /** The customer's links have not been revoked since this generation. */
  linkGeneration?: number;
  /** The change gives the customer nothing that they do not receive now. */
  lowersOnly?: true;
}

/** Additional statements for the transaction of a choice that changes something. */
export type ExtraStatements = (
  site: SiteDb,
  before: CustomerRow,
  choiceId: string,
  states: { before: CustomerState; after: CustomerState },
) => Promise<Statement[]>;

/**
 * Decides, once the customer is locked, which part of a change is made now. `statements` are written in the same
 * transaction even if nothing else changes; null rejects the whole change.
 */
export type Admission = (
  site: SiteDb,
  locked: LockedCustomer,
  change: ChoiceChange,
) => Promise<{ change: ChoiceChange; statements: Statement[] } | null>;

export interface ChoiceResult extends CustomerState {
  /** null if nothing changed and nothing was written. */
  choiceId: string | null;
  /** The customer of the choice; for a merged customer, the surviving one. */
  customerId: string;
  email: string;
  /** Sequence of the customer's last choice. */
  sequence: number;
  /** The state before this choice; null if nothing changed. */
  before: CustomerState | null;
  /** Time of this choice; null if nothing changed. */
  at: Date | null;
  /** Lists of the change that the site does not have any more; nothing of them was saved. */
  goneLists: readonly string[];
  /** The precondition that failed. */
  refused: keyof Precondition | 'admission' | null;
}

export interface LockedCustomer {
  customer: CustomerRow;
  before: CustomerState;
  /** When each list was last chosen. */
  changedAt: ReadonlyMap<string, Date>;
}

/**
 * Commits one choice of a customer: state, evidence, deliveries and their jobs, all or nothing; nothing in a rehearsal.
 * @throws AppError `not_found`, `error_exists`; `invalid_field` for a list that the site does not have
 */
export async function saveChoice(
  services: Services,
  siteId: string,
  customerId: string,
  change: ChoiceChange,
  context: ChoiceContext,
  precondition: Precondition = {},
  extraStatements?: ExtraStatements,
  admission?: Admission,
): Promise<ChoiceResult> {
  // Read before the transaction, because it must not wait for a second connection while holding one.
  const rules = await choiceRulesOf(services, siteId);
  const saved = await saveInBatch(services)(siteId, {
    customerId,
    change,
    context,
    precondition,
    extraStatements,
    admission,
    rules,
    isRehearsal: isRehearsal(),
    inContext: contextOfCaller(),
  });
  if (saved.kind === 'merged') {
    return saveChoice(
      services,
      siteId,
      saved.into,
      change,
      context,
      precondition,
      extraStatements,
      admission,
    );
  }
  if (saved.result.at !== null && !isRehearsal())
    services.metrics.counter(SAVES).inc({ source: context.source });
  return saved.result;
}

/**
 * Records a new customer's first evidence, in the transaction that creates the customer, and what was kept about their
 * email until then.
 * @returns the customer afterwards
 */
export async function recordCreation(
  services: Services,
  site: SiteDb,
  rules: ChoiceRules,
  customer: CustomerRow,
  context: ChoiceContext,
  kept: readonly KeptOptOut[],
): Promise<CustomerRow> {
  const { lists, actions, test } = rules;
  const before = {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: null,
    subscriptions: new Map<string, boolean>(),
  };
  const firstEvents: ChoiceEvent[] = ['customer_created'];
  const made = { id: newId(), at: customer.created_at, firstEvents, context, test };
  const draft = draftChoice(services.keyring, site.id, lists, { customer, before }, {}, made);
  if (draft === null) throw new Error('That a customer was created is always recorded');
  const following = await prepareKeptChoice(services, site, rules, { customer, before }, draft, kept);
  const created = {
    draft,
    actions: wantedActions(actions, context),
    isHeld: test.isOn,
    following: following.prepared,
  };
  await site.commitWith([...choiceStatements(services, site, [created]), ...following.statements]);
  return { ...customer, ...(following.prepared?.draft ?? draft).customer };
}

/** What a choice is checked against. */
export interface ChoiceRules {
  lists: ChoosableList[];
  actions: WaitingAction[];
  test: TestRules;
}

/** A list as far as choices are concerned. */
export function choosable({ id, name, default_state, double_opt_in, legal_basis }: ListRow): ChoosableList {
  return { id, name, default_state, double_opt_in, legal_basis };
}

/** Cached between changes; see `changeSite`. */
export async function choiceRulesOf(services: Services, siteId: string): Promise<ChoiceRules> {
  const [rules, test] = await Promise.all([
    services.cache.get(siteTag(siteId), 'rules', () =>
      services.database.readSite(siteId, async (site) => {
        const [lists, actions] = await Promise.all([allLists(site), enabledActions(site)]);
        return { lists: lists.map(choosable), actions };
      }),
    ),
    testRulesOf(services, siteId),
  ]);
  return { ...rules, test };
}
