import { expect, test } from 'vitest';
import { parseSubmission } from './submission.ts';

const weekly = '0199f3a0-0000-7000-8000-000000000001';
const offers = '0199f3a0-0000-7000-8000-000000000002';
const who = { customer: 'sealed', save_id: 'save-0001' };

test('an address is taken as typed, without the spaces around it', () => {
  expect(parseSubmission({ intent: 'find', email: ' nora@example.com ' })).toEqual({
    intent: 'find',
    email: 'nora@example.com',
  });
});

test('a save contains every list of the page, those that are not on as off', () => {
  expect(parseSubmission({ intent: 'save', ...who, list: [weekly, offers], on: offers })).toEqual({
    intent: 'save',
    customer: 'sealed',
    saveId: 'save-0001',
    lists: [
      { notification_list_id: weekly, subscribed: false },
      { notification_list_id: offers, subscribed: true },
    ],
    leavesAll: false,
  });
});

test('a page with one list sends no arrays', () => {
  expect(parseSubmission({ intent: 'save', ...who, list: weekly })).toMatchObject({
    lists: [{ notification_list_id: weekly, subscribed: false }],
  });
});

test('the switch of a list that the page does not show is ignored', () => {
  expect(parseSubmission({ intent: 'save', ...who, list: weekly, on: [weekly, offers] })).toMatchObject({
    lists: [{ notification_list_id: weekly, subscribed: true }],
  });
});

test('pressing unsubscribe all before Save is dropped when a list is on', () => {
  const pressed = { intent: 'save', ...who, list: [weekly, offers], leaves_all: '1' };
  expect(parseSubmission(pressed)).toMatchObject({ leavesAll: true });
  expect(parseSubmission({ ...pressed, on: offers })).toMatchObject({ leavesAll: false });
  expect(parseSubmission({ ...pressed, leaves_all: 'yes' })).toMatchObject({ leavesAll: false });
});

test('unsubscribe all switches every list off, whatever is checked', () => {
  expect(
    parseSubmission({ intent: 'unsubscribe_all', ...who, list: [weekly, offers], on: weekly }),
  ).toMatchObject({
    intent: 'save',
    lists: [{ subscribed: false }, { subscribed: false }],
    leavesAll: true,
  });
});

test('a link state may name a list or none', () => {
  expect(parseSubmission({ intent: 'state', ...who, state: 'unsubscribe' })).toMatchObject({ listId: null });
  expect(parseSubmission({ intent: 'state', ...who, state: 'subscribe', list: weekly })).toMatchObject({
    listId: weekly,
  });
});

test('any form of the page may ask for another language, and needs no save id then', () => {
  const form = { intent: 'save', customer: 'sealed', save_id: '', list: [weekly, offers], on: offers };
  expect(parseSubmission({ ...form, instead: 'language' })).toEqual({
    intent: 'language',
    customer: 'sealed',
    lists: [
      { notification_list_id: weekly, subscribed: false },
      { notification_list_id: offers, subscribed: true },
    ],
    leavesAll: false,
  });
  expect(parseSubmission({ instead: 'language', customer: 'sealed' })).toMatchObject({ lists: [] });
  expect(parseSubmission({ instead: 'language' })).toBeNull();
});

test('leaving needs nothing but its intent, and undoing what the result page gave', () => {
  expect(parseSubmission({ intent: 'leave' })).toEqual({ intent: 'leave', leavesAll: false });
  expect(parseSubmission({ intent: 'undo' })).toBeNull();
  expect(parseSubmission({ intent: 'undo', receipt: 'sealed' })).toEqual({
    intent: 'undo',
    receipt: 'sealed',
    who: null,
  });
});

test.each([
  ['nothing', undefined],
  ['text', 'intent=save'],
  ['an unknown intent', { intent: 'drop' }],
  ['a save of nobody', { intent: 'save', save_id: 'save-0001', list: weekly }],
  ['a save without an id', { intent: 'save', customer: 'sealed', list: weekly }],
  ['a save without lists', { intent: 'save', ...who }],
  ['a list that is no id', { intent: 'save', ...who, list: 'weekly' }],
  ['the same list twice', { intent: 'save', ...who, list: [weekly, weekly] }],
  ['a link state that does not exist', { intent: 'state', ...who, state: 'maybe' }],
  ['an endless address', { intent: 'find', email: 'a'.repeat(400) }],
])('%s is not one of the page’s forms', (_, body) => {
  expect(parseSubmission(body)).toBeNull();
});
