import { describe, expect, test } from 'vitest';
import {
  formFieldOf,
  isWebhookUrl,
  operationOf,
  takesLists,
  targetOf,
  triggerLists,
  triggerOf,
} from './actions.logic.ts';

describe('an action that is no webhook', () => {
  test('is named by its target, where it has one', () => {
    expect(targetOf({ target: { id: '7', name: 'Weekly' } })).toBe('Weekly');
    expect(targetOf({ target: {} })).toBe('');
  });

  test('that sends evidence is named by where it goes', () => {
    expect(targetOf({ target: { email: 'law@example.com' } })).toBe('law@example.com');
    expect(targetOf({ target: { url: 'https://law.example/evidence' } })).toBe(
      'https://law.example/evidence',
    );
  });

  test('has an operation that can be said, or none', () => {
    expect(operationOf({ operation: 'remove' })).toBe('remove');
    expect(operationOf({ operation: 'explode' })).toBeUndefined();
    expect(operationOf({ operation: null })).toBeUndefined();
  });
});

describe('the trigger', () => {
  test('only joining and leaving are about lists', () => {
    expect(takesLists('subscribed')).toBe(true);
    expect(takesLists('unsubscribed')).toBe(true);
    expect(takesLists('global_unsubscribed')).toBe(false);
    expect(takesLists('email_changed')).toBe(false);
  });

  test('chosen lists are dropped when the event is not about lists', () => {
    expect(triggerOf({ event: 'customer_created', list_ids: ['weekly'] }).list_ids).toEqual([]);
    expect(triggerOf({ event: 'subscribed', list_ids: ['weekly'] }).list_ids).toEqual(['weekly']);
  });

  test("names come in the site's order; deleted lists are counted", () => {
    const lists = [
      { id: 'a', name: 'Offers' },
      { id: 'b', name: 'Weekly news' },
    ];
    expect(triggerLists({ event: 'subscribed', list_ids: ['gone', 'b', 'a'] }, lists)).toEqual({
      names: ['Offers', 'Weekly news'],
      missing: 1,
    });
  });
});

describe('the address', () => {
  test.each([
    ['https://example.com/hooks', true],
    ['http://localhost:4000/x', true],
    ['example.com', false],
    ['ftp://example.com', false],
    ['https://me:secret@example.com', false],
  ])('%s: %s', (url, valid) => {
    expect(isWebhookUrl(url)).toBe(valid);
  });
});

test.each([
  ['name', 'name'],
  ['target.url', 'url'],
  ['target', 'url'],
  ['trigger.list_ids.0', 'list_ids'],
  ['trigger.event', 'event'],
  ['integration_id', null],
])("the API's %s is the form's %s", (field, expected) => {
  expect(formFieldOf({ code: 'invalid_field', message: '', field })).toBe(expected);
});
