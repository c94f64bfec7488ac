import { expect, test } from 'vitest';
import { durationText, namedLists, refreshMs } from './deliveries.logic.ts';

test('the log is polled only while something is waiting', () => {
  const arrived = { status: 'arrived', outcome: 'confirmed' } as const;
  expect(refreshMs([arrived, { status: 'waiting', outcome: 'on_its_way' }], true)).toBeGreaterThan(0);
  expect(refreshMs([arrived, { status: 'failed', outcome: 'failed' }], false)).toBe(false);
  expect(refreshMs([], false)).toBe(false);
});

test('a delivery held back by test mode is on its way once the site is live', () => {
  const held = { status: 'waiting', outcome: 'held' } as const;
  expect(refreshMs([held], true)).toBe(false);
  expect(refreshMs([held], false)).toBeGreaterThan(0);
});

test('durations are given in the natural unit', () => {
  expect(durationText(850, 'en')).toBe('850 ms');
  expect(durationText(2430, 'de')).toBe('2,4 Sek.');
});

test('an event names its own lists, and no others', () => {
  const weekly = { list_id: 'w', name: 'Weekly news', subscribed: false };
  const offers = { list_id: 'o', name: 'Offers', subscribed: true };
  const declined = { list_id: 'd', name: 'Events', subscribed: false, declined: true } as const;
  const lists = [weekly, offers, declined];
  expect(namedLists({ event: 'unsubscribed', lists })).toEqual({
    joined: [],
    left: ['Weekly news'],
    declined: ['Events'],
  });
  expect(namedLists({ event: 'subscribed', lists })).toEqual({ joined: ['Offers'], left: [], declined: [] });
  expect(namedLists({ event: 'customer_created', lists })).toEqual({
    joined: ['Offers'],
    left: [],
    declined: [],
  });
  expect(namedLists({ event: 'global_unsubscribed', lists })).toEqual({ joined: [], left: [], declined: [] });
});
