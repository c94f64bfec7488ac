import type { RequestedChange, ToolOperation } from '#contract/actions.ts';
import type { Attempt, Delivery, StoredAttempt } from '#contract/deliveries.ts';
import type deliveries from '../../locales/en/deliveries.json';

type AskedKey = keyof typeof deliveries.asked;

/** The key, in `asked`, of the words for what a tool was asked for. */
export function askedKey({ type, operation }: Pick<RequestedChange, 'type' | 'operation'>): AskedKey {
  return `${type}_${operation}` as ToolOperation;
}

/** What a delivery asked its tool for, as far as it is stored, and whether the tool shows it as far as is known now. */
export function askedOf(delivery: { outcome: Delivery['outcome']; attempts: readonly StoredAttempt[] }) {
  const last = delivery.attempts.findLast(({ changes }) => changes.length > 0);
  if (last === undefined) return [];
  // A later look at the tool tells more than the one right after the attempt.
  const isConfirmed = delivery.outcome === 'confirmed';
  return last.changes.map((change) => (isConfirmed ? { ...change, shown: true } : change));
}

/** What was different in an attempt from the one before it. */
export interface Differences {
  asked: { before: Attempt['changes']; now: Attempt['changes'] } | null;
  url: { before: string; now: string } | null;
  isOtherBody: boolean;
  /** null: no response. */
  status: { before: number | null; now: number | null } | null;
}

const withoutShown = (changes: Attempt['changes']) =>
  JSON.stringify(changes.map(({ shown: _, ...change }) => change));

/**
 * Headers are left out: a signature and its time differ each time.
 * @returns null if they do not differ, or the content of one is deleted
 */
export function differencesOf(before: StoredAttempt, now: StoredAttempt): Differences | null {
  if (before.content_deleted_at !== null || now.content_deleted_at !== null) return null;
  const statusOf = ({ response }: StoredAttempt) => response?.status ?? null;
  const isSent = ({ request }: StoredAttempt) => request.url !== '';
  const areSent = isSent(before) && isSent(now);
  const isAskedAlike = withoutShown(before.changes) === withoutShown(now.changes);
  const areAsked = before.changes.length > 0 && now.changes.length > 0;
  const found: Differences = {
    asked: !areAsked || isAskedAlike ? null : { before: before.changes, now: now.changes },
    url:
      !areSent || before.request.url === now.request.url
        ? null
        : { before: before.request.url, now: now.request.url },
    isOtherBody: areSent && before.request.body !== now.request.body,
    status: statusOf(before) === statusOf(now) ? null : { before: statusOf(before), now: statusOf(now) },
  };
  const isAny = found.asked !== null || found.url !== null || found.isOtherBody || found.status !== null;
  return isAny ? found : null;
}
