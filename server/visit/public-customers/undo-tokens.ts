import type {
  ChoosableList,
  CustomerState,
  WantedList,
  PreferenceChange,
} from '#server/audience/evidence/transitions.ts';
import { type ChoiceResult, choiceRulesOf } from '#server/choices/choices/choices.ts';
import { invalidField } from '#server/platform/errors.ts';
import { openText, sealText } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

const LIFETIME_SECONDS = 3600;

/** What a receipt proves: this choice of this customer was just made, and so it was before. */
export interface UndoToken {
  customerId: string;
  choiceId: string;
  /** Of the choice: undoing it is possible as long as nothing else was chosen. */
  sequence: number;
  before: Extract<PreferenceChange, { restore: unknown }>['restore'];
}

const purposeOf = (siteId: string) => `choice-receipt:${siteId}`;

/**
 * The lists to put back when a choice is undone: what the person saw before. Who had never chosen gets what was
 * shown, because pressing Undo says that it was meant so.
 */
function listsBefore(
  before: CustomerState,
  after: CustomerState,
  lists: readonly ChoosableList[],
): WantedList[] {
  const hadLeft = before.globalUnsubscribe;
  return lists.flatMap(({ id, default_state: isOnByDefault }) => {
    const now = after.subscriptions.get(id);
    const own = before.subscriptions.get(id);
    if (own !== undefined) return own === now ? [] : [{ list_id: id, subscribed: own }];
    const receivedIt = isOnByDefault && !hadLeft;
    const receivesIt = now ?? (isOnByDefault && !after.globalUnsubscribe);
    if (now === undefined && receivedIt === receivesIt) return [];
    return receivedIt === now ? [] : [{ list_id: id, subscribed: receivedIt }];
  });
}

/**
 * Only the answer to a choice holds its receipt: no link must be able to subscribe anybody again.
 * @returns null where nothing was changed
 */
export async function sealUndoToken(
  services: Services,
  siteId: string,
  customerId: string,
  result: ChoiceResult,
): Promise<string | null> {
  const { before, choiceId, sequence } = result;
  if (before === null || choiceId === null) return null;
  const { globalUnsubscribe, pausedUntil } = before;
  // The choice is made: without a receipt it cannot be undone by one press, which is no reason to say that it failed.
  const rules = await choiceRulesOf(services, siteId).catch((error: unknown) => {
    services.log.warn({ err: error }, 'a choice was answered without its receipt');
    return null;
  });
  if (rules === null) return null;
  const { lists } = rules;
  const kept = {
    customerId,
    choiceId,
    sequence,
    before: { globalUnsubscribe, pausedUntil, lists: listsBefore(before, result, lists) },
    expiresAt: services.clock.now().getTime() + LIFETIME_SECONDS * 1000,
  };
  return sealText(services.keyring, purposeOf(siteId), JSON.stringify(kept));
}

/** null for anything forged, of another site, or older than an hour */
export function openUndoToken(services: Services, siteId: string, sealed: string): UndoToken | null {
  const text = openText(services.keyring, purposeOf(siteId), sealed);
  if (text === null) return null;
  const { expiresAt, ...receipt } = JSON.parse(text) as UndoToken & { expiresAt: number };
  if (expiresAt <= services.clock.now().getTime()) return null;
  const { before } = receipt;
  const pausedUntil = before.pausedUntil === null ? null : new Date(before.pausedUntil);
  return { ...receipt, before: { ...before, pausedUntil } };
}

/** @throws AppError `invalid_field` unless it is a receipt of this customer */
export function requireUndoToken(
  services: Services,
  siteId: string,
  customerId: string,
  sealed: string,
): UndoToken {
  const undoToken = openUndoToken(services, siteId, sealed);
  if (undoToken?.customerId === customerId) return undoToken;
  throw invalidField(
    'receipt',
    'receipt: is not of this customer, or older than an hour; load the page again.',
  );
}
