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

/** Identifies a choice that a customer just made, and the state before it. The API calls it `receipt`. */
export interface UndoToken {
  customerId: string;
  choiceId: string;
  /** Of the choice, which can be undone until there is a later one. */
  sequence: number;
  before: Extract<PreferenceChange, { restore: unknown }>['restore'];
  /** It was not the customer's choice, so there is nothing to ask about it. */
  isByStranger?: true;
}

const purposeOf = (siteId: string) => `choice-receipt:${siteId}`;

/**
 * The lists to restore on undo: the state that the person saw before. Where they had never chosen, that is the default
 * that was shown, because pressing Undo confirms it.
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
 * Issued only in the response to a choice: no link may resubscribe anybody.
 * @returns null if nothing changed
 */
export async function sealUndoToken(
  services: Services,
  siteId: string,
  customerId: string,
  result: ChoiceResult,
  more: Pick<UndoToken, 'isByStranger'> = {},
): Promise<string | null> {
  const { before, choiceId, sequence } = result;
  if (before === null || choiceId === null) return null;
  const { globalUnsubscribe, pausedUntil, wrongRecipientAt } = before;
  // The choice is saved. Without a token it cannot be undone by one click, which is no reason to report a failure.
  const rules = await choiceRulesOf(services, siteId).catch((error: unknown) => {
    services.log.warn({ err: error }, 'could not create the undo token of a choice');
    return null;
  });
  if (rules === null) return null;
  const { lists } = rules;
  const kept = {
    customerId,
    choiceId,
    sequence,
    ...more,
    before: {
      globalUnsubscribe,
      pausedUntil,
      wrongRecipientAt: wrongRecipientAt ?? null,
      lists: listsBefore(before, result, lists),
    },
    expiresAt: services.clock.now().getTime() + LIFETIME_SECONDS * 1000,
  };
  return sealText(services.keyring, purposeOf(siteId), JSON.stringify(kept));
}

/** null if it is forged, of another site, or older than an hour */
export function openUndoToken(services: Services, siteId: string, sealed: string): UndoToken | null {
  const text = openText(services.keyring, purposeOf(siteId), sealed);
  if (text === null) return null;
  const { expiresAt, ...receipt } = JSON.parse(text) as UndoToken & { expiresAt: number };
  if (expiresAt <= services.clock.now().getTime()) return null;
  const { before } = receipt;
  const dateOf = (at: Date | null | undefined) => (at === null || at === undefined ? null : new Date(at));
  const { pausedUntil, wrongRecipientAt } = before;
  return {
    ...receipt,
    before: { ...before, pausedUntil: dateOf(pausedUntil), wrongRecipientAt: dateOf(wrongRecipientAt) },
  };
}

/** @throws AppError `invalid_field` unless it is a valid token of this customer */
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
    'receipt: belongs to another customer or is older than an hour. Load the page again.',
  );
}
