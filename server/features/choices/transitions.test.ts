import { describe, expect, it } from 'vitest';
import { applyWish, type CustomerState, raisesConsent, transitionBetween, type Wish } from './transitions.ts';

const LISTS = [
  { id: 'weekly', name: 'Weekly news' },
  { id: 'offers', name: 'Offers' },
  { id: 'events', name: 'Events' },
];

function state(subscriptions: Record<string, boolean>, globalUnsubscribe = false): CustomerState {
  return { globalUnsubscribe, subscriptions: new Map(Object.entries(subscriptions)) };
}

function lists(wanted: Record<string, boolean>): Wish {
  return { lists: Object.entries(wanted).map(([list_id, subscribed]) => ({ list_id, subscribed })) };
}

function happened(before: CustomerState, wish: Wish) {
  const after = applyWish(before, wish);
  const transition = transitionBetween(before, after, LISTS);
  return {
    after: { left: after.globalUnsubscribe, ...Object.fromEntries(after.subscriptions) },
    events: transition.events,
    lists: transition.lists.map((one) => [one.list_id, one.previous, one.subscribed]),
    raises: raisesConsent(transition),
  };
}

describe('a wish about single lists', () => {
  it('changes what it names, and nothing else', () => {
    expect(happened(state({ weekly: true, offers: false }), lists({ weekly: false }))).toEqual({
      after: { left: false, weekly: false, offers: false },
      events: ['unsubscribed'],
      lists: [['weekly', true, false]],
      raises: false,
    });
  });

  it('of somebody who never chose is a first choice, for and against', () => {
    expect(happened(state({}), lists({ weekly: true, offers: false }))).toEqual({
      after: { left: false, weekly: true, offers: false },
      events: ['subscribed', 'unsubscribed'],
      lists: [
        ['weekly', null, true],
        ['offers', null, false],
      ],
      raises: true,
    });
  });

  it('that is fulfilled already does nothing', () => {
    expect(happened(state({ weekly: true }), lists({ weekly: true }))).toMatchObject({
      events: [],
      lists: [],
      raises: false,
    });
  });

  it('does nothing about lists that the site no longer has', () => {
    expect(happened(state({}), lists({ gone: true }))).toMatchObject({ events: [], lists: [] });
  });

  it('leaves the given state as it was', () => {
    const before = state({ weekly: true });
    applyWish(before, lists({ weekly: false }));
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
      raises: false,
    });
  });

  it('by somebody who has no list left is still an event', () => {
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

  it('is not undone by refusing a single list', () => {
    expect(happened(state({ weekly: true, offers: true }, true), lists({ weekly: false }))).toEqual({
      after: { left: true, weekly: false, offers: true },
      events: [],
      lists: [],
      raises: false,
    });
  });
});

describe('coming back', () => {
  it('as a whole restores what was chosen before, and nothing that never was', () => {
    expect(happened(state({ weekly: true, offers: false }, true), { globalUnsubscribe: false })).toEqual({
      after: { left: false, weekly: true, offers: false },
      events: ['subscribed', 'global_resubscribed'],
      lists: [['weekly', false, true]],
      raises: true,
    });
  });

  it('as a whole without any list is an event, too', () => {
    expect(happened(state({}, true), { globalUnsubscribe: false })).toMatchObject({
      events: ['global_resubscribed'],
      lists: [],
      raises: true,
    });
  });

  it('for one list comes back for that one alone: the others become opt-outs', () => {
    expect(happened(state({ weekly: true, offers: true }, true), lists({ events: true }))).toEqual({
      after: { left: false, weekly: false, offers: false, events: true },
      events: ['subscribed', 'global_resubscribed'],
      lists: [['events', false, true]],
      raises: true,
    });
  });

  it('for one list, with another refused in the same save', () => {
    expect(happened(state({ weekly: true }, true), lists({ weekly: true, offers: false }))).toEqual({
      after: { left: false, weekly: true, offers: false },
      events: ['subscribed', 'global_resubscribed'],
      lists: [['weekly', false, true]],
      raises: true,
    });
  });

  it('together with lists says both at once', () => {
    expect(
      happened(state({ weekly: true }, true), {
        ...lists({ weekly: false, events: true }),
        globalUnsubscribe: false,
      }),
    ).toMatchObject({
      after: { left: false, weekly: false, events: true },
      lists: [['events', false, true]],
    });
  });

  it('when one did not leave does nothing', () => {
    expect(happened(state({ weekly: true }), { globalUnsubscribe: false })).toMatchObject({ events: [] });
  });
});
