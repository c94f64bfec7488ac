import { CHOICE_EVENTS, type ChoiceEvent } from '#contract/choices.ts';
import type { Difference } from '#contract/comparisons.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { Change, Connector } from '#server/connectors/connector.ts';
import type { ActionRow } from '#server/delivery/actions/actions.ts';
import { changesFor } from '#server/delivery/sending/tool-changes.ts';

/** A change without the address, as stored. */
export type StoredChange = Difference['change'];

type LevelChange = Exclude<Change, { type: 'switch_email' }>;

/** What an action requires for a customer in the tool. */
export interface DesiredChange {
  key: string;
  change: LevelChange;
  actionId: string;
  /** Whether the change makes the tool send less, more, or neither. */
  effect: 'lowers' | 'raises' | 'neither';
  /** Another action requires the opposite, so an owner has to decide. */
  isDisputed: boolean;
}

/** The customer data that reconciliation needs. */
export interface ComparedCustomer {
  id: string;
  email: string;
  /** Addresses that the tool may still mail (`formerEmailsOf`). */
  formerEmails: readonly string[];
  sequence: number;
  changedAt: Date;
  /** Left everything once and resubscribed. */
  hasReturned: boolean;
  now: CustomerState;
  /** A delivery to the tool is open, so its state is about to change. */
  isUnderWay: boolean;
  /** The last write to the tool removed them from their lists, or from everything. */
  wasTakenOff: boolean;
}

/** A connected tool with the actions that use it. */
export interface ToolRules {
  connector: Connector;
  /** Enabled, and of this integration. */
  actions: readonly ActionRow[];
  /** Every list of the site. */
  listIds: readonly string[];
}

export const LEAVING: readonly ChoiceEvent[] = ['unsubscribed', 'global_unsubscribed'];

export function keyOf({ type, target }: Pick<StoredChange, 'type' | 'target'>): string {
  return target === null ? type : `${type}:${target.id}`;
}

export function targetOf(change: LevelChange): StoredChange['target'] {
  return change.type === 'global_unsubscribe' ? null : change.target;
}

/** Does the event describe a lasting state? Creation and address changes do not. */
function isLevel({ event }: ActionRow, customer: ComparedCustomer): boolean {
  if (event === 'email_changed' || event === 'customer_created') return false;
  return event !== 'global_resubscribed' || customer.hasReturned;
}

function effectOf({ type, on }: LevelChange, event: ChoiceEvent): DesiredChange['effect'] {
  const isLeaving = LEAVING.includes(event);
  switch (type) {
    case 'global_unsubscribe':
    case 'suppression_group':
      return on ? 'lowers' : 'raises';
    case 'list':
      return on ? 'raises' : 'lowers';
    case 'tag':
    case 'funnel':
    case 'automation':
      if (on === isLeaving) return 'neither';
      return on ? 'raises' : 'lowers';
  }
}

/** A customer who has completed an automation is no longer in it and must not get it again. */
function isObservable({ type, on }: LevelChange): boolean {
  return !(on && (type === 'automation' || type === 'funnel'));
}

/** Of two contradicting actions, the one that lowers consent wins; if neither lowers it, neither counts. */
function resolveConflicts(same: readonly DesiredChange[]): DesiredChange[] {
  const [first] = same;
  if (first === undefined) return [];
  if (same.every(({ change }) => change.on === first.change.on)) {
    return [same.find(({ effect }) => effect === 'lowers') ?? first];
  }
  const lowering = same.find(({ effect }) => effect === 'lowers');
  return lowering === undefined ? [] : [{ ...lowering, isDisputed: true }];
}

/** What the tool should show for a customer, from their explicit choices; one entry per target. */
export function desiredChangesOf(
  { connector, actions, listIds }: ToolRules,
  customer: ComparedCustomer,
): DesiredChange[] {
  const { now, email } = customer;
  // Leaving everything means leaving each list, as for deliveries; otherwise only lists chosen explicitly count.
  const concerned = now.globalUnsubscribe ? listIds : [...now.subscriptions.keys()];
  const moves = { previousEmail: null, formerEmails: [] };
  const occasion = { email, ...moves, now, listIds: concerned, events: CHOICE_EVENTS };
  const all = actions
    .filter((action) => isLevel(action, customer))
    .flatMap((action) =>
      changesFor(connector, action, occasion).flatMap((change): DesiredChange[] => {
        if (change.type === 'switch_email' || !isObservable(change)) return [];
        const key = keyOf({ type: change.type, target: targetOf(change) });
        const effect = effectOf(change, action.event);
        return [{ key, change, actionId: action.id, effect, isDisputed: false }];
      }),
    );
  return [...Map.groupBy(all, ({ key }) => key).values()].flatMap(resolveConflicts);
}

/** Did the customer explicitly subscribe to anything? */
export function receivesSomething({ now }: ComparedCustomer): boolean {
  return !now.globalUnsubscribe && [...now.subscriptions.values()].includes(true);
}
