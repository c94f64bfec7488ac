import { describe, expect, it } from 'vitest';
import type { ChoiceEvent } from '#contract/choices.ts';
import { matchActions } from './matching.ts';

function action(event: ChoiceEvent, ...list_ids: string[]) {
  return { id: `${event}:${list_ids.join()}`, event, list_ids };
}

function changed(list_id: string, subscribed: boolean) {
  return { list_id, name: list_id, subscribed, previous: null };
}

function matching(
  actions: ReturnType<typeof action>[],
  events: ChoiceEvent[],
  ...lists: ReturnType<typeof changed>[]
): string[] {
  return matchActions(actions, { events, lists }).map((one) => one.id);
}

describe('an action about lists', () => {
  const any = action('unsubscribed');
  const weekly = action('unsubscribed', 'weekly');
  const either = action('unsubscribed', 'weekly', 'offers');
  const joins = action('subscribed', 'weekly');

  it('without lists runs for any of them', () => {
    expect(matching([any], ['unsubscribed'], changed('events', false))).toEqual([any.id]);
  });

  it('with lists runs for these', () => {
    expect(matching([any, weekly, either], ['unsubscribed'], changed('offers', false))).toEqual([
      any.id,
      either.id,
    ]);
  });

  it('runs once, however many of its lists a choice concerns', () => {
    expect(matching([either], ['unsubscribed'], changed('weekly', false), changed('offers', false))).toEqual([
      either.id,
    ]);
  });

  it('tells the two directions apart in a choice that has both', () => {
    const choice = [changed('weekly', false), changed('offers', true)];
    expect(matching([weekly, joins], ['subscribed', 'unsubscribed'], ...choice)).toEqual([weekly.id]);
  });

  it('does not run for a choice without its event', () => {
    expect(matching([any, joins], ['email_changed'])).toEqual([]);
    expect(matching([any, joins], [])).toEqual([]);
  });
});

describe('an action about the whole customer', () => {
  it.each(['global_unsubscribed', 'global_resubscribed', 'email_changed', 'customer_created'] as const)(
    'runs for %s alone',
    (event) => {
      const one = action(event);
      expect(matching([one], [event])).toEqual([one.id]);
      expect(matching([one], ['subscribed', 'unsubscribed'], changed('weekly', true))).toEqual([]);
    },
  );

  it('runs beside those about the lists that were left with everything', () => {
    const all = [action('unsubscribed', 'weekly'), action('global_unsubscribed')];
    expect(matching(all, ['unsubscribed', 'global_unsubscribed'], changed('weekly', false))).toEqual(
      all.map((one) => one.id),
    );
  });
});
