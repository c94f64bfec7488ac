import type { Requested } from '#contract/choices.ts';
import { isSameAddress } from '#contract/email-key.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { setCustomerTimer } from '#server/audience/customers/customer-timers.ts';
import { anonymiseIp } from '#server/audience/evidence/evidence.ts';
import type {
  Admission,
  ChoiceResult,
  ChoiceChange,
  ChoiceContext,
  LockedCustomer,
} from '#server/choices/choices/choices.ts';
import { refuseTakenEmail } from '#server/choices/choices/preconditions.ts';
import { splitChange } from '#server/choices/choices/reversals.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { customerMailStatement } from '#server/visit/customer-mails/customer-mails.ts';
import { consumeMailLimit } from '#server/visit/customer-mails/mail-limits.ts';
import { findPending, replacePending } from '#server/visit/pending-changes/pending-changes.sql.ts';
import { type HeldChange, seal, changeOfPending } from '#server/visit/pending-changes/pending-changes.ts';

/** How long the emailed link is valid. */
const PENDING_HOURS = 48;

/** The customer, the page and the requested change. */
interface Asking {
  siteId: string;
  ip: string;
  served: ServedPage;
  session: CustomerSession;
  change: ChoiceChange;
  context: ChoiceContext;
}

/** On a page with `confirm_changes`, a customer who only typed an address confirms by email. */
function needsConfirmation({ page }: ServedPage, { level }: Pick<CustomerSession, 'level'>): boolean {
  return page.attrs.confirm_changes && level === 'open';
}

/** Splits a change into what is applied now and what must be confirmed by email. */
function splitHeld(
  { customer, before }: LockedCustomer,
  change: ChoiceChange,
): { now: ChoiceChange; held: HeldChange | null } {
  const { now, held } = splitChange(before, change);
  if (held !== null) return { now, held: { kind: 'resubscribe', ...held } };
  const { email, ...rest } = now;
  // Another spelling of the same mailbox is not an address change.
  if (email === undefined || isSameAddress(email, customer.email ?? '')) return { now, held: null };
  return { now: rest, held: { kind: 'email_change', email } };
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
  const expiresAt = new Date(now.getTime() + PENDING_HOURS * 3_600_000);
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
    setCustomerTimer(site, { customerId: customer.id, kind: 'pending_end', dueAt: expiresAt, now }),
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
  if (!needsConfirmation(client.served, client.session)) return save();
  const found: Found = { held: null, email: '', waits: false };
  const { saveId } = client.context;

  /** @param mails null: the mail limit of the address has not been checked yet */
  const admit =
    (mails: boolean | null): Admission =>
    async (site, locked, change) => {
      const { now, held } = splitHeld(locked, change);
      if (held === null) return { change: now, statements: [] };
      if (held.kind === 'email_change') await refuseTakenEmail(site, locked.customer, held.email);
      const waiting = await findPending(site, locked.customer.id, held.kind);
      const alive = waiting && (await changeOfPending(services, site, waiting)) !== null ? waiting : null;
      found.held = held;
      found.email = locked.customer.email ?? '';
      found.waits = alive !== null;
      // A retry of a save whose response was lost: its mail is already queued.
      const isRepeated = alive !== null && saveId !== null && alive.save_id === saveId;
      if (isRepeated || mails === false) return { change: now, statements: [] };
      if (mails === null) return null;
      return { change: now, statements: await holdStatements(services, site, locked, client, held) };
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
async function mailRefusal(
  services: Services,
  { siteId, ip }: Asking,
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
