import { describe, expect, it } from 'vitest';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { ChoiceChange } from './choices.ts';
import { lowersConsent, raisesConsent, withoutJoins } from './lowering.ts';

const LISTS = [
  { id: 'news', name: 'News', default_state: true },
  { id: 'offers', name: 'Offers', default_state: false },
].map((list) => ({ ...list, double_opt_in: false, legal_basis: null }));
const LATER = new Date('2027-03-01T00:00:00Z');
const SOONER = new Date('2027-02-01T00:00:00Z');

const state = (parts: Partial<CustomerState> = {}): CustomerState => ({
  globalUnsubscribe: false,
  pausedUntil: null,
  subscriptions: new Map(),
  ...parts,
});

const left = state({ globalUnsubscribe: true, subscriptions: new Map([['news', true]]) });
const paused = state({
  globalUnsubscribe: true,
  pausedUntil: LATER,
  subscriptions: new Map([['news', true]]),
});
const lists = (...wanted: [string, boolean][]): ChoiceChange => ({
  lists: wanted.map(([list_id, subscribed]) => ({ list_id, subscribed })),
});

describe('a request raises consent', () => {
  it.each<[string, CustomerState, ChoiceChange]>([
    ['by a list that is off', state(), lists(['offers', true])],
    ['by one list beside others that are left', state(), lists(['news', false], ['offers', true])],
    ['by coming back', left, { globalUnsubscribe: false }],
    ['by a list, after leaving everything', left, lists(['news', true])],
    ['by ending a pause', paused, { globalUnsubscribe: false }],
    ['by a shorter pause', paused, { pauseUntil: SOONER }],
    ['by a list that comes after a pause', paused, lists(['offers', true])],
    ['by another address', state(), { email: 'new@example.com' }],
    [
      'by an undo',
      state({ subscriptions: new Map([['news', false]]) }),
      {
        restore: {
          globalUnsubscribe: false,
          pausedUntil: null,
          lists: [{ list_id: 'news', subscribed: true }],
        },
      },
    ],
  ])('%s', (_how, before, change) => {
    expect(raisesConsent(before, change, LISTS)).toBe(true);
  });
});

describe('a request raises no consent', () => {
  it.each<[string, CustomerState, ChoiceChange]>([
    [
      'by leaving a list, with what is on by choice or default left on',
      state(),
      lists(['news', true], ['offers', false]),
    ],
    ['by leaving everything', state(), { globalUnsubscribe: true }],
    ['by leaving everything for good during a pause', paused, { globalUnsubscribe: true }],
    ['by a pause', state(), { pauseUntil: LATER }],
    ['by a longer pause', { ...paused, pausedUntil: SOONER }, { pauseUntil: LATER }],
    ['by a pause that leaves for good what was left for good', left, { pauseUntil: LATER }],
  ])('%s', (_how, before, change) => {
    expect(raisesConsent(before, change, LISTS)).toBe(false);
  });
});

it('what is already on is removed from a request, and everything else stays', () => {
  expect(withoutJoins(lists(['news', true], ['offers', false]))).toEqual(lists(['offers', false]));
  expect(withoutJoins({ globalUnsubscribe: true })).toEqual({ globalUnsubscribe: true });
  expect(withoutJoins({ pauseUntil: LATER })).toEqual({ pauseUntil: LATER });
});

it('a request lowers consent where something stops and nothing starts', () => {
  expect(lowersConsent(state(), lists(['news', false]), LISTS)).toBe(true);
  expect(lowersConsent(state(), { globalUnsubscribe: true }, LISTS)).toBe(true);
  expect(lowersConsent(state(), lists(['news', false], ['offers', true]), LISTS)).toBe(false);
  expect(lowersConsent(state(), lists(['offers', false]), LISTS)).toBe(false);
  expect(lowersConsent(left, lists(['news', false]), LISTS)).toBe(false);
});
