import { expect, it } from 'vitest';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import { changeByKept, EVERYTHING, type KeptOptOut } from './kept-opt-outs.ts';

const NOON = new Date('2026-03-01T12:00:00.400Z');
const SAME_SECOND = new Date('2026-03-01T12:00:00.900Z');
const LATER = new Date('2026-03-01T12:00:01Z');
const LISTS = [{ id: 'weekly' }, { id: 'offers' }];

const kept = (about: string): KeptOptOut => ({
  about,
  kind: 'unsubscribed',
  integration_id: null,
  happened_at: NOON,
});

function customerOn(
  chosen: Record<string, Date | null>,
  state: Partial<CustomerState> = {},
  backAt: Date | null = null,
) {
  const subscriptions = new Map(Object.keys(chosen).map((id) => [id, true]));
  return {
    state: { globalUnsubscribe: false, pausedUntil: null, subscriptions, ...state },
    chosenAt: new Map(Object.entries(chosen)),
    backAt,
  };
}

const off = (...ids: string[]) => ids.map((list_id) => ({ list_id, subscribed: false }));
const ALL = { lists: [], globalUnsubscribe: true };

it.each([
  ['leaves everything where nothing was chosen', customerOn({}), [EVERYTHING], ALL],
  ['outweighs an undated yes', customerOn({ weekly: null }), [EVERYTHING], ALL],
  ['wins within the same second', customerOn({ weekly: SAME_SECOND }), [EVERYTHING], ALL],
  [
    'leaves a list that was chosen later, and no other',
    customerOn({ weekly: LATER, offers: null }),
    [EVERYTHING],
    { lists: off('offers') },
  ],
  [
    'yields to coming back from everything later',
    customerOn({ weekly: null }, {}, LATER),
    [EVERYTHING],
    null,
  ],
  ['switches off a list that was never chosen', customerOn({}), ['weekly'], { lists: off('weekly') }],
  ['yields to a later yes to the list', customerOn({ weekly: LATER }), ['weekly'], null],
  ['knows only lists that still exist', customerOn({}), ['gone'], null],
  ['changes nothing for somebody who left', customerOn({}, { globalUnsubscribe: true }), [EVERYTHING], null],
  [
    'ends a pause for good',
    customerOn({}, { globalUnsubscribe: true, pausedUntil: LATER }),
    [EVERYTHING],
    ALL,
  ],
] as const)('a kept opt-out %s', (_, customer, about, change) => {
  expect(changeByKept(customer, about.map(kept), LISTS)).toEqual(change);
});
