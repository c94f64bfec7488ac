import type { ImportVerdict } from '#contract/imports.ts';
import type { CustomerState, WantedList } from '#server/audience/evidence/transitions.ts';

/** What an import says about one person, for lists that the site has or is about to have. */
export interface ImportedPreferences {
  lists: readonly WantedList[];
  leaves: boolean;
}

export interface MergeDecision {
  verdict: ImportVerdict;
  reason: string | null;
  /** null if there is nothing to save. */
  change: { lists: WantedList[]; globalUnsubscribe?: true } | null;
}

/**
 * What an import may change. It lowers consent freely. It raises consent only for lists that the person never chose;
 * people who left a list, or everything, are resubscribed only if the import may revive.
 * @param isNew the person is a customer only because of this row
 * @param isLaterYes did they subscribe to the list after they opted out, as the row says?
 */
export function mergePolicy(
  person: CustomerState,
  preferences: ImportedPreferences,
  {
    isNew,
    revive,
    nameOf,
    isLaterYes = () => false,
  }: {
    isNew: boolean;
    revive: boolean;
    nameOf: (listId: string) => string;
    isLaterYes?: (listId: string) => boolean;
  },
): MergeDecision {
  const hasLeft = person.globalUnsubscribe && person.pausedUntil === null;
  const leaves = preferences.leaves && !hasLeft;
  const offs = preferences.lists.filter(
    (list) => !list.subscribed && person.subscriptions.get(list.list_id) !== false,
  );
  // A row that leaves everything subscribes to nothing on the way.
  const ons = preferences.leaves
    ? []
    : preferences.lists.filter(
        (list) => list.subscribed && (hasLeft || person.subscriptions.get(list.list_id) !== true),
      );
  const revivals = ons.filter(
    ({ list_id: id }) => (hasLeft || person.subscriptions.get(id) === false) && !isLaterYes(id),
  );
  const raises = revive ? ons : ons.filter((list) => !revivals.includes(list));
  const lists = [...offs, ...raises].map(({ list_id, subscribed }) => ({ list_id, subscribed }));
  const isChange = lists.length > 0 || leaves;
  const isBlocked = !revive && revivals.length > 0;
  return {
    verdict: verdictOf({ isNew, isChange, isBlocked, isRevival: revive && revivals.length > 0 }),
    reason: isBlocked ? reasonOf(hasLeft, revivals, nameOf) : null,
    change: isChange ? { lists, ...(leaves ? { globalUnsubscribe: true } : {}) } : null,
  };
}

function verdictOf(found: {
  isNew: boolean;
  isChange: boolean;
  isBlocked: boolean;
  isRevival: boolean;
}): ImportVerdict {
  if (found.isNew) return 'added';
  if (found.isRevival) return 'revived';
  if (found.isChange) return 'changed';
  return found.isBlocked ? 'blocked' : 'unchanged';
}

function reasonOf(
  hasLeft: boolean,
  revivals: readonly WantedList[],
  nameOf: (listId: string) => string,
): string {
  if (hasLeft) return 'This customer unsubscribed from all and stays unsubscribed.';
  return `This customer unsubscribed from these lists and stays unsubscribed: ${revivals.map((list) => nameOf(list.list_id)).join(', ')}.`;
}
