import { expect, it } from 'vitest';
import { headlineOf, stateOf, subscriptionStateOf, withoutLists } from './customers.logic.ts';

const lists = [
  { list_id: '1', name: 'Weekly news', subscribed: true, previous: null },
  { list_id: '2', name: 'Offers', subscribed: false, previous: true },
];

const active = { global_unsubscribe: false, paused_until: null, wrong_recipient_at: null };
const unsubscribed = { ...active, global_unsubscribe: true };
const paused = { ...unsubscribed, paused_until: '2026-12-01T00:00:00.000Z' };
const stopped = { ...unsubscribed, wrong_recipient_at: '2026-11-01T00:00:00.000Z' };

it('a pause does not count as leaving', () => {
  expect([active, unsubscribed, paused].map(subscriptionStateOf)).toEqual([
    'active',
    'unsubscribed',
    'paused',
  ]);
});

it('what somebody else stopped does not count as leaving', () => {
  expect(subscriptionStateOf(stopped)).toBe('wrong_recipient');
  const choice = {
    events: ['unsubscribed' as const, 'global_unsubscribed' as const],
    source: 'wrong_recipient' as const,
    paused_until: null,
    lists,
    shown: {},
  };
  expect(headlineOf(choice)).toMatchObject({ kind: 'wrong_recipient', unsubscribed: [] });
});

it('customers who declined lists are told from those who never chose', () => {
  expect(withoutLists({ ...active, declines: ['1'] })).toBe('none');
  expect(withoutLists({ ...active, declines: [] })).toBe('no_choice');
  expect(withoutLists({ ...unsubscribed, declines: [] })).toBe('none');
});

it('a bounce shows only on those who would receive something', () => {
  for (const customer of [active, unsubscribed, paused]) {
    expect(stateOf(customer, false)).toBe(subscriptionStateOf(customer));
  }
  expect([active, unsubscribed, paused].map((customer) => stateOf(customer, true))).toEqual([
    'bounced',
    'unsubscribed',
    'paused',
  ]);
});

it('a choice is named by its largest part, and mentions its lists', () => {
  const choice = {
    events: ['subscribed', 'unsubscribed'] as const,
    paused_until: null,
    source: 'page' as const,
    shown: {},
  };
  expect(headlineOf({ ...choice, events: [...choice.events], lists })).toEqual({
    kind: 'joined',
    joined: ['Weekly news'],
    unsubscribed: ['Offers'],
    declined: [],
  });
  expect(headlineOf({ ...choice, events: ['customer_created'], lists: [] }).kind).toBe('created');
  expect(headlineOf({ ...choice, events: ['global_resubscribed'], lists: [] }).kind).toBe('back');
  expect(headlineOf({ ...choice, events: [], lists: [] }).kind).toBe('nothing');
  const shown = { already_off: { everything: true, lists: [] } };
  expect(headlineOf({ ...choice, shown, events: [], lists: [] }).kind).toBe('already_off');
  const gone = [{ list_id: '9', name: 'Events', deleted: true as const }];
  const ofGone = { already_off: { everything: false, lists: gone } };
  expect(headlineOf({ ...choice, shown: ofGone, events: [], lists: [] }).kind).toBe('deleted_list');
});

it('a list that was saved as off and never received is declined, not left', () => {
  const declined = {
    list_id: '3',
    name: 'Events',
    subscribed: false,
    previous: null,
    declined: true as const,
  };
  const choice = { events: [], paused_until: null, source: 'page' as const, shown: {} };
  expect(headlineOf({ ...choice, lists: [declined] })).toMatchObject({
    kind: 'declined',
    unsubscribed: [],
    declined: ['Events'],
  });
  expect(headlineOf({ ...choice, events: ['subscribed'], lists: [...lists, declined] })).toMatchObject({
    kind: 'joined',
    unsubscribed: ['Offers'],
    declined: ['Events'],
  });
});

it('leaving everything is not also shown as leaving each list', () => {
  const left = {
    events: ['unsubscribed' as const, 'global_unsubscribed' as const],
    source: 'one_click' as const,
    shown: {},
  };
  expect(headlineOf({ ...left, paused_until: null, lists })).toMatchObject({
    kind: 'left',
    unsubscribed: [],
  });
  expect(headlineOf({ ...left, paused_until: '2026-12-01T00:00:00.000Z', lists }).kind).toBe('paused');
});
