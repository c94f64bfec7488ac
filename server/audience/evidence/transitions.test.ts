import { describe, expect, it } from 'vitest';
import {
  applyChange,
  type CustomerState,
  movesBetween,
  transitionBetween,
  type PreferenceChange,
} from './transitions.ts';

const LISTS = [
  { id: 'weekly', name: 'Weekly news', default_state: true },
  { id: 'offers', name: 'Offers', default_state: false },
  { id: 'events', name: 'Events', default_state: false },
].map((list) => ({ ...list, double_opt_in: false, legal_basis: null }));

function state(subscriptions: Record<string, boolean>, globalUnsubscribe = false): CustomerState {
  return { globalUnsubscribe, pausedUntil: null, subscriptions: new Map(Object.entries(subscriptions)) };
}

function lists(wanted: Record<string, boolean>): PreferenceChange {
  return { lists: Object.entries(wanted).map(([list_id, subscribed]) => ({ list_id, subscribed })) };
}

function happened(before: CustomerState, change: PreferenceChange) {
  const after = applyChange(before, change, LISTS);
  const transition = transitionBetween(before, after, LISTS);
  return {
    after: { left: after.globalUnsubscribe, ...Object.fromEntries(after.subscriptions) },
    events: transition.events,
    lists: transition.lists.map((one) => [one.list_id, one.previous, one.subscribed]),
  };
}

describe('a request about single lists', () => {
  it('changes the lists it names, and nothing else', () => {
    expect(happened(state({ weekly: true, offers: false }), lists({ weekly: false }))).toEqual({
      after: { left: false, weekly: false, offers: false },
      events: ['unsubscribed'],
      lists: [['weekly', true, false]],
    });
  });

  it('that repeats what is shown declines lists that were never chosen and are off by default, and keeps those that are on', () => {
    const before = state({ events: true });
    const after = applyChange(before, lists({ weekly: false, offers: false, events: false }), LISTS);
    const saved = transitionBetween(before, after, LISTS, { savesAll: true });
    expect(saved.lists.map((one) => [one.list_id, one.declined ?? false])).toEqual([
      ['weekly', false],
      ['offers', true],
      ['events', false],
    ]);
    const first = applyChange(state({}), lists({ weekly: true, offers: false }), LISTS);
    expect(transitionBetween(state({}), first, LISTS, { savesAll: true }).events).toEqual(['subscribed']);
    const none = applyChange(state({}), lists({ offers: false }), LISTS);
    expect(transitionBetween(state({}), none, LISTS, { savesAll: true }).events).toEqual([]);
  });

  it('from somebody who never chose is a first choice, for and against', () => {
    expect(happened(state({}), lists({ weekly: true, offers: false }))).toEqual({
      after: { left: false, weekly: true, offers: false },
      events: ['subscribed', 'unsubscribed'],
      lists: [
        ['weekly', null, true],
        ['offers', null, false],
      ],
    });
  });

  it('that is already fulfilled does nothing', () => {
    expect(happened(state({ weekly: true }), lists({ weekly: true }))).toMatchObject({
      events: [],
      lists: [],
    });
  });

  it('ignores lists that the site no longer has', () => {
    expect(happened(state({}), lists({ gone: true }))).toMatchObject({ events: [], lists: [] });
  });

  it('does not modify the given state', () => {
    const before = state({ weekly: true });
    applyChange(before, lists({ weekly: false }), LISTS);
    expect(before.subscriptions.get('weekly')).toBe(true);
  });
});

describe('leaving everything', () => {
  it('leaves each list, also those never chosen, and remembers what was chosen', () => {
    expect(happened(state({ weekly: true, offers: false }), { globalUnsubscribe: true })).toEqual({
      after: { left: true, weekly: true, offers: false },
      events: ['unsubscribed', 'global_unsubscribed'],
      lists: [
        ['weekly', true, false],
        ['events', null, false],
      ],
    });
  });

  it('is an event even for somebody with no list left', () => {
    const before = state({ weekly: false, offers: false, events: false });
    expect(happened(before, { globalUnsubscribe: true })).toMatchObject({
      events: ['global_unsubscribed'],
      lists: [],
    });
  });

  it('twice does nothing the second time', () => {
    expect(happened(state({ weekly: true }, true), { globalUnsubscribe: true })).toMatchObject({
      events: [],
      lists: [],
    });
  });

  it('is not undone by refusing a single list, which is recorded but sent to no tool', () => {
    expect(happened(state({ weekly: true, offers: true }, true), lists({ weekly: false }))).toEqual({
      after: { left: true, weekly: false, offers: true },
      events: [],
      lists: [['weekly', true, false]],
    });
  });
});

describe('coming back', () => {
  it('as a whole restores what was chosen before, and nothing that never was', () => {
    expect(happened(state({ weekly: true, offers: false }, true), { globalUnsubscribe: false })).toEqual({
      after: { left: false, weekly: true, offers: false },
      events: ['subscribed', 'global_resubscribed'],
      lists: [['weekly', false, true]],
    });
  });

  it('as a whole is an event even without any list', () => {
    expect(happened(state({}, true), { globalUnsubscribe: false })).toMatchObject({
      events: ['global_resubscribed'],
      lists: [],
    });
  });

  it('for one list comes back for that one only: the others become opt-outs', () => {
    expect(happened(state({ weekly: true, offers: true }, true), lists({ events: true }))).toEqual({
      after: { left: false, weekly: false, offers: false, events: true },
      events: ['subscribed', 'global_resubscribed'],
      lists: [
        ['events', false, true],
        ['weekly', true, false],
        ['offers', true, false],
      ],
    });
  });

  it('for one list leaves off lists that were never chosen and are on by default', () => {
    expect(happened(state({}, true), lists({ events: true })).after).toEqual({
      left: false,
      weekly: false,
      events: true,
    });
  });

  it('for one list can refuse another in the same save', () => {
    expect(happened(state({ weekly: true }, true), lists({ weekly: true, offers: false }))).toEqual({
      after: { left: false, weekly: true, offers: false },
      events: ['subscribed', 'global_resubscribed'],
      lists: [
        ['weekly', false, true],
        ['offers', null, false],
      ],
    });
  });

  it('can be combined with lists in one save', () => {
    expect(
      happened(state({ weekly: true }, true), {
        ...lists({ weekly: false, events: true }),
        globalUnsubscribe: false,
      }),
    ).toMatchObject({
      after: { left: false, weekly: false, events: true },
      lists: [
        ['events', false, true],
        ['weekly', true, false],
      ],
    });
  });

  it('does nothing for someone who did not leave', () => {
    expect(happened(state({ weekly: true }), { globalUnsubscribe: false })).toMatchObject({ events: [] });
  });
});

describe('a pause', () => {
  const until = new Date('2026-12-21T00:00:00Z');
  const pause: PreferenceChange = { pauseUntil: until };
  const paused = (subscriptions: Record<string, boolean>): CustomerState => ({
    ...state(subscriptions, true),
    pausedUntil: until,
  });

  it('counts as leaving everything for every tool, and keeps what was chosen', () => {
    expect(happened(state({ weekly: true, offers: false }), pause)).toEqual({
      after: { left: true, weekly: true, offers: false },
      events: ['unsubscribed', 'global_unsubscribed'],
      lists: [
        ['weekly', true, false],
        ['events', null, false],
      ],
    });
    expect(applyChange(state({}), pause, LISTS).pausedUntil).toEqual(until);
  });

  it('gives back exactly what there was when it ends', () => {
    expect(happened(paused({ weekly: true, offers: false }), { globalUnsubscribe: false })).toEqual({
      after: { left: false, weekly: true, offers: false },
      events: ['subscribed', 'global_resubscribed'],
      lists: [['weekly', false, true]],
    });
  });

  it('gives back, to the tools only, lists that are on by default and were never chosen', () => {
    expect(happened(paused({}), { globalUnsubscribe: false })).toMatchObject({
      after: { left: false },
      events: ['subscribed', 'global_resubscribed'],
      lists: [['weekly', false, true]],
    });
  });

  it('continues while the person chooses what comes after it', () => {
    const change = lists({ weekly: false, offers: true });
    const before = paused({ weekly: true, offers: false });
    expect(happened(before, change)).toMatchObject({
      after: { left: true, weekly: false, offers: true },
      events: [],
      lists: [
        ['weekly', true, false],
        ['offers', false, true],
      ],
    });
    expect(applyChange(before, change, LISTS).pausedUntil).toEqual(until);
  });

  it('becomes permanent by leaving everything, which is sent again', () => {
    const before = paused({ weekly: true });
    expect(happened(before, { globalUnsubscribe: true })).toMatchObject({
      events: ['global_unsubscribed'],
      lists: [],
    });
    expect(applyChange(before, { globalUnsubscribe: true }, LISTS).pausedUntil).toBeNull();
  });

  it('cannot bring back someone who had left for good', () => {
    const before = state({ weekly: true }, true);
    expect(applyChange(before, pause, LISTS)).toBe(before);
  });

  it('can be extended', () => {
    const later = new Date('2027-02-19T00:00:00Z');
    const before = paused({ weekly: true });
    expect(happened(before, { pauseUntil: later })).toMatchObject({ events: [], lists: [] });
    expect(applyChange(before, { pauseUntil: later }, LISTS).pausedUntil).toEqual(later);
  });
});

describe('an undo', () => {
  it('restores exactly the given state', () => {
    const before = state({ weekly: false, offers: false, events: false });
    const restore = {
      globalUnsubscribe: true,
      pausedUntil: null,
      lists: [{ list_id: 'weekly', subscribed: true }],
    };
    expect(happened(before, { restore })).toMatchObject({
      after: { left: true, weekly: true, offers: false },
      events: ['global_unsubscribed'],
      lists: [['weekly', false, true]],
    });
  });
});

describe('joins and leaves, for the figures', () => {
  const moved = (before: CustomerState, change: PreferenceChange) =>
    movesBetween(before, applyChange(before, change, LISTS), LISTS).map(({ list_id, joined }) => [
      list_id,
      joined,
    ]);
  const FAR = new Date('2030-01-01T00:00:00.000Z');
  const paused = { ...state({ weekly: true, offers: false }, true), pausedUntil: FAR };

  it('count what changed, and not what was already so', () => {
    expect(moved(state({ weekly: true, offers: false }), lists({ weekly: true, offers: true }))).toEqual([
      ['offers', true],
    ]);
    expect(moved(state({}), lists({ weekly: true, events: false }))).toEqual([['weekly', true]]);
  });

  it('count declining a list that is on by default as leaving it', () => {
    expect(moved(state({}), lists({ weekly: false }))).toEqual([['weekly', false]]);
  });

  it('count leaving everything for each list, and coming back for those that were chosen', () => {
    expect(moved(state({ offers: true, events: false }), { globalUnsubscribe: true })).toEqual([
      ['weekly', false],
      ['offers', false],
    ]);
    expect(moved(state({ offers: true }, true), { globalUnsubscribe: false })).toEqual([['offers', true]]);
  });

  it('count neither a pause nor its end, but leaving for good during it', () => {
    expect(moved(state({ weekly: true }), { pauseUntil: FAR })).toEqual([]);
    expect(moved(paused, { globalUnsubscribe: false })).toEqual([]);
    expect(moved(paused, { globalUnsubscribe: true })).toEqual([['weekly', false]]);
  });
});
