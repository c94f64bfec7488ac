import type { ChoiceEvent } from '#contract/choices.ts';
import type { Difference } from '#contract/comparisons.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { Change, Connector } from '#server/connectors/connector.ts';
import type { ActionRow } from '#server/delivery/actions/actions.ts';
import { changesFor } from '#server/delivery/sending/tool-changes.ts';

/** A change but for the address, as it is kept. */
export type KeptChange = Difference['change'];

type LevelChange = Exclude<Change, { type: 'switch_email' }>;

/** Where an action says that a person should be in the tool. */
export interface Wanted {
  key: string;
  change: LevelChange;
  actionId: string;
  /** The tool is brought to send the person less; else more, or it is neither. */
  effect: 'lowers' | 'raises' | 'neither';
  /** Another rule says the opposite: a person has to look at it. */
  isDisputed: boolean;
}

/** The customer as far as a comparison is concerned. */
export interface Person {
  id: string;
  email: string;
  sequence: number;
  changedAt: Date;
  /** They had left everything once, and came back. */
  hasReturned: boolean;
  now: CustomerState;
  /** A delivery to the tool is on its way: it will be different in a moment. */
  isUnderWay: boolean;
  /** The last that the tool was told of their lists, or of everything, took them off. */
  wasTakenOff: boolean;
}

/** A connected tool with the rules that act through it. */
export interface Rules {
  connector: Connector;
  /** Enabled, and of this integration. */
  actions: readonly ActionRow[];
  /** Every list of the site. */
  listIds: readonly string[];
}

export const LEAVING: readonly ChoiceEvent[] = ['unsubscribed', 'global_unsubscribed'];

export function keyOf({ type, target }: Pick<KeptChange, 'type' | 'target'>): string {
  return target === null ? type : `${type}:${target.id}`;
}

export function targetOf(change: LevelChange): KeptChange['target'] {
  return change.type === 'global_unsubscribe' ? null : change.target;
}

/** What is true of the person now. That somebody was added, or changed their address, is over. */
function isLevel({ event }: ActionRow, person: Person): boolean {
  if (event === 'email_changed' || event === 'customer_created') return false;
  return event !== 'global_resubscribed' || person.hasReturned;
}

function effectOf({ type, on }: LevelChange, event: ChoiceEvent): Wanted['effect'] {
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

/** Who has finished what an automation sends is no longer in it, and must not get it all again. */
function canBeSeen({ type, on }: LevelChange): boolean {
  return !(on && (type === 'automation' || type === 'funnel'));
}

/** Of two rules that say the opposite, the one that lowers holds; where neither does, neither holds. */
function settle(same: readonly Wanted[]): Wanted[] {
  const [first] = same;
  if (first === undefined) return [];
  if (same.every(({ change }) => change.on === first.change.on)) {
    return [same.find(({ effect }) => effect === 'lowers') ?? first];
  }
  const lowering = same.find(({ effect }) => effect === 'lowers');
  return lowering === undefined ? [] : [{ ...lowering, isDisputed: true }];
}

/** Where the person should be in the tool, from what they definitely chose: each thing in it once. */
export function wantedOf({ connector, actions, listIds }: Rules, person: Person): Wanted[] {
  const { now, email } = person;
  // Who leaves everything leaves each list, as for deliveries; else only what was ever chosen counts.
  const concerned = now.globalUnsubscribe ? listIds : [...now.subscriptions.keys()];
  const occasion = { email, previousEmail: null, now, listIds: concerned };
  const all = actions
    .filter((action) => isLevel(action, person))
    .flatMap((action) =>
      changesFor(connector, action, occasion).flatMap((change): Wanted[] => {
        if (change.type === 'switch_email' || !canBeSeen(change)) return [];
        const key = keyOf({ type: change.type, target: targetOf(change) });
        const effect = effectOf(change, action.event);
        return [{ key, change, actionId: action.id, effect, isDisputed: false }];
      }),
    );
  return [...Map.groupBy(all, ({ key }) => key).values()].flatMap(settle);
}

/** Does the person definitely receive something? */
export function receivesSomething({ now }: Person): boolean {
  return !now.globalUnsubscribe && [...now.subscriptions.values()].includes(true);
}
