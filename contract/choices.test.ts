import { expect, it } from 'vitest';
import { CHOICE_EVENTS, isAboutLists } from './choices.ts';

it('only subscribing and unsubscribing are about lists', () => {
  expect(CHOICE_EVENTS.filter(isAboutLists)).toEqual(['subscribed', 'unsubscribed']);
});
