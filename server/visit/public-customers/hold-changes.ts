import type { Requested } from '#contract/choices.ts';
import { isSameAddress } from '#contract/email-key.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { setCustomerTimer } from '#server/audience/customers/customer-timers.ts';
import type { CustomerRow } from '#server/audience/customers/customers.ts';
import { anonymiseIp } from '#server/audience/evidence/evidence.ts';
import type { ChoosableList } from '#server/audience/evidence/transitions.ts';
import {
  type Admission,
  type ChoiceResult,
  type ChoiceChange,
  type ChoiceContext,
  choiceRulesOf,
  type LockedCustomer,
} from '#server/choices/choices/choices.ts';
import { refuseTakenEmail } from '#server/choices/choices/preconditions.ts';
import { receivesDoubleOptIn, splitChange, splitDoubleOptIn } from '#server/choices/choices/reversals.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { customerMailStatement } from '#server/visit/customer-mails/customer-mails.ts';
import { consumeMailLimit } from '#server/visit/customer-mails/mail-limits.ts';
import {
  cancelSubscribe,
  findPending,
  replacePending,
} from '#server/visit/pending-changes/pending-changes.sql.ts';
import { type HeldChange, seal, changeOfPending } from '#server/visit/pending-changes/pending-changes.ts';

/** How long the emailed link is valid. */
const PENDING_HOURS: Record<PendingKind, number> = { resubscribe: 48, email_change: 48, subscribe: 7 * 24 };

/** The customer, the page and how the change is requested. */
interface Asking {
  siteId: string;
  ip: string;
  served: ServedPage;
  session: CustomerSession;
  context: ChoiceContext;
}

/** On a page with `confirm_changes`, a customer who only typed an address confirms by email. */
function needsConfirmation({ page }: ServedPage, { level }: Pick<CustomerSession, 'level'>): boolean {
  return page.attrs.confirm_changes && level === 'open';
}

/**
 * Splits a change into what is applied now and what must be confirmed by email: what subscribes to a list with double
 * opt-in, always; on pages that ask for it, also what `splitChange` holds. If both do, one email asks for both.
 * @param holdsAll the page asks for it, of this visitor
 */
export function splitHeld(
  { customer, before }: Pick<LockedCustomer, 'before'> & { customer: Pick<CustomerRow, 'email'> },
  change: ChoiceChange,
  lists: readonly ChoosableList[],
  holdsAll: boolean,
): { now: ChoiceChange; held: HeldChange | null } {
  const double = splitDoubleOptIn(before, change, lists);
  const other = holdsAll ? splitChange(before, double.now) : { now: double.now, held: null };
  if (double.held !== null) {
    const everything = double.held.everything || (other.held?.everything ?? false);
    const listIds = [...double.held.listIds, ...(other.held?.listIds ?? [])];
    return { now: other.now, held: { kind: 'subscribe', everything, listIds } };
  }
  if (other.held !== null) return { now: other.now, held: { kind: 'resubscribe', ...other.held } };
  const { email, ...rest } = other.now;
  // Another spelling of the same mailbox is not an address change.
  if (email === undefined || isSameAddress(email, customer.email ?? ''))
    return { now: other.now, held: null };
  const isHeld = holdsAll || receivesDoubleOptIn(before, lists);
  return isHeld ? { now: rest, held: { kind: 'email_change', email } } : { now: other.now, held: null };
}

/** What the change no longer wants of lists that wait to be confirmed; null: of all; empty: of none. */
function withdrawn(
  { before }: LockedCustomer,
  change: ChoiceChange,
  lists: readonly ChoosableList[],
): string[] | null {
  if (!('lists' in change) && !('globalUnsubscribe' in change)) return [];
  if (change.globalUnsubscribe === true) return null;
  return (change.lists ?? []).flatMap(({ list_id: id, subscribed }) =>
    !subscribed &&
    before.subscriptions.get(id) !== true &&
    lists.some((one) => one.id === id && one.double_opt_in)
      ? [id]
      : [],
  );
}

/** Together with the lists that already wait: one email asks for all of them. */
function withWaiting(
  held: HeldChange,
  waiting: HeldChange | null,
  off: readonly string[] | null,
): HeldChange {
  if (held.kind !== 'subscribe' || waiting?.kind !== 'subscribe' || off === null) return held;
  const kept = waiting.listIds.filter((id) => !off.includes(id));
  return {
    kind: 'subscribe',
    everything: held.everything || waiting.everything,
    listIds: [...new Set([...kept, ...held.listIds])],
  };
}

/** Whether the email about pending changes already asks for all of it. */
function isAskedFor(held: HeldChange, waiting: HeldChange | null): boolean {
  if (held.kind !== 'subscribe' || waiting?.kind !== 'subscribe') return false;
  return (waiting.everything || !held.everything) && held.listIds.every((id) => waiting.listIds.includes(id));
}

function requestOf({ ip, context }: Asking, at: Date): Requested {
  const { source, language, shown } = context;
  return { at: at.toISOString(), source, ip: anonymiseIp(ip), language, shown };
}

/** Stores the pending change, sets the timer that deletes it, and mails the link. */
async function holdStatements(
  services: Services,
  site: SiteDb,
  { customer }: LockedCustomer,
  client: Asking,
  change: HeldChange,
): Promise<Statement[]> {
  const now = services.clock.now();
  const expiresAt = new Date(now.getTime() + PENDING_HOURS[change.kind] * 3_600_000);
  const { saveId, userAgent, language } = client.context;
  const pending = {
    customer_id: customer.id,
    kind: change.kind,
    id: newId(),
    save_id: saveId,
    sequence: customer.sequence,
    change_sealed: seal(services, site.id, { wish: change, userAgent }),
    requested: JSON.stringify(requestOf(client, now)),
    expires_at: expiresAt,
    list_ids: change.kind === 'subscribe' ? change.listIds : null,
  };
  const mail = {
    kind: 'confirm_change',
    customerId: customer.id,
    pendingKind: change.kind,
    pendingId: pending.id,
    pageId: client.served.id,
    language,
  } as const;
  return [
    replacePending(site, pending),
    setCustomerTimer(site, {
      customerId: customer.id,
      kind: 'pending_end',
      dueAt: expiresAt,
      now,
      soonest: true,
    }),
    await customerMailStatement(services, site, mail),
  ];
}

/** What was found when admitting a change. */
interface Found {
  held: HeldChange | null;
  /** The customer's current one. */
  email: string;
  /** A change of that kind is already pending. */
  waits: boolean;
}

/**
 * Saves a public choice. Changes that need confirmation by email are held back; the rest is saved at once.
 * @param save makes the choice, with the check that runs behind the lock
 * @throws AppError `error_exists`; `rate_limited` if nothing was saved because too many emails were requested
 */
export async function saveOrHold(
  services: Services,
  client: Asking,
  save: (admission?: Admission) => Promise<ChoiceResult>,
): Promise<ChoiceResult> {
  const holdsAll = needsConfirmation(client.served, client.session);
  const { lists } = await choiceRulesOf(services, client.siteId);
  const hasDouble = lists.some((list) => list.double_opt_in);
  if (!holdsAll && !hasDouble) return save();
  const found: Found = { held: null, email: '', waits: false };
  const { saveId } = client.context;

  /** @param mails null: the mail limit of the address has not been checked yet */
  const admit =
    (mails: boolean | null): Admission =>
    async (site, locked, change) => {
      const { now, held } = splitHeld(locked, change, lists, holdsAll);
      const off = hasDouble ? withdrawn(locked, change, lists) : [];
      // Among the last statements of the save, so that it needs no round trip of its own.
      const cancelled =
        off === null || off.length > 0 ? [cancelSubscribe(site, locked.customer.id, off)] : [];
      if (held === null) return { change: now, statements: cancelled };
      // To someone who only typed an address, this would say who else is a customer: the mailbox is told instead.
      if (held.kind === 'email_change' && !holdsAll)
        await refuseTakenEmail(site, locked.customer, held.email);
      const waiting = await findPending(site, locked.customer.id, held.kind);
      const alive = waiting ? await changeOfPending(services, site, waiting) : null;
      found.held = held;
      found.email = locked.customer.email ?? '';
      found.waits = alive !== null;
      // A retry of a save whose response was lost: its mail is already queued.
      const isRepeated = alive !== null && saveId !== null && waiting?.save_id === saveId;
      const isCovered = isRepeated || isAskedFor(held, alive?.wish ?? null);
      if (isCovered || mails === false) return { change: now, statements: cancelled };
      if (mails === null) return null;
      const asked = withWaiting(held, alive?.wish ?? null, off);
      return { change: now, statements: await holdStatements(services, site, locked, client, asked) };
    };

  const result = await save(admit(null));
  if (result.refused !== 'admission' || found.held === null) return result;
  const to = found.held.kind === 'email_change' ? found.held.email : found.email;
  const refusal = await mailRefusal(services, client, found.held.kind, to);
  const saved = await save(admit(refusal === null));
  if (refusal !== null && saved.choiceId === null && !found.waits) throw refusal;
  return saved;
}

/** null if the address may get another mail. Changes that need no confirmation are saved either way. */
export async function mailRefusal(
  services: Services,
  { siteId, ip }: Pick<Asking, 'siteId' | 'ip'>,
  kind: PendingKind,
  email: string,
): Promise<AppError | null> {
  try {
    if (await consumeMailLimit(services, kind, { siteId, ip, email })) return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return error;
    throw error;
  }
  return new AppError(
    'rate_limited',
    "We've sent too many emails about this. Open the link in the last one, or try again in an hour.",
    { retryAfterSeconds: 3600 },
  );
}
