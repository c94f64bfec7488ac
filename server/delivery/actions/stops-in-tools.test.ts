import { expect, it } from 'vitest';
import type { ActionType } from '#contract/actions.ts';
import type { AlreadyOff, ChoiceEvent } from '#contract/choices.ts';
import { actionsForAskedAgain, actionsForDeclined } from './stops-in-tools.ts';

function action(
  type: ActionType,
  operation: string | null,
  { event = 'unsubscribed', lists = ['offers'], target = 'there' }: Parts = {},
) {
  return {
    id: type,
    type,
    operation,
    event,
    list_ids: [...lists],
    integration_id: 'brevo',
    target: { id: target },
  };
}

interface Parts {
  event?: ChoiceEvent;
  lists?: readonly string[];
  target?: string;
}

const DECLINED = [
  { list_id: 'offers', name: 'Offers', subscribed: false, previous: null, declined: true as const },
  { list_id: 'weekly', name: 'Weekly', subscribed: true, previous: null },
];

function runs(actions: ReturnType<typeof action>[], ...received: string[]): string[] {
  const subscriptions = new Map([['offers', false], ...received.map((id) => [id, true] as const)]);
  const after = { globalUnsubscribe: false, pausedUntil: null, subscriptions };
  return actionsForDeclined(actions, DECLINED, after).map(({ id }) => id);
}

it.each([
  ['list', 'remove', true],
  ['list', 'add', false],
  ['list', null, false],
  ['suppression_group', 'add', true],
  ['suppression_group', 'remove', false],
  ['tag', 'remove', true],
  ['tag', 'add', false],
  ['automation', 'stop', true],
  ['automation', 'start', false],
  ['global_unsubscribe', 'unsubscribe', true],
  ['webhook', null, false],
  ['evidence', null, false],
] as const)('a declined list runs %s %s only where it makes a tool send less', (type, operation, does) => {
  expect(runs([action(type, operation)])).toEqual(does ? [type] : []);
});

it('a declined list removes nobody from what another list that they receive is linked to', () => {
  const remove = action('list', 'remove');
  const join = (target: string) => action('list', 'add', { event: 'subscribed', lists: ['weekly'], target });
  expect(runs([remove, join('there')], 'weekly')).toEqual([]);
  expect(runs([remove, join('elsewhere')], 'weekly')).toEqual(['list']);
  expect(runs([remove, join('there')])).toEqual(['list']);
  expect(runs([action('list', 'remove', { lists: [] })], 'weekly')).toEqual([]);
  expect(runs([action('global_unsubscribe', 'unsubscribe')], 'weekly')).toEqual([]);
});

it('a declined list runs no action about other lists', () => {
  expect(runs([action('list', 'remove', { lists: ['weekly'] })])).toEqual([]);
});

function runsAgain(asked: AlreadyOff, actions: ReturnType<typeof action>[], ...received: string[]): string[] {
  const subscriptions = new Map(received.map((id) => [id, true] as const));
  const state = { globalUnsubscribe: asked.everything, pausedUntil: null, subscriptions };
  return actionsForAskedAgain(actions, asked, state).map(({ id }) => id);
}

it('a repeated request to leave a list removes the customer from it in tools, unless another list keeps them there', () => {
  const asked = { everything: false, lists: [{ list_id: 'offers', name: 'Offers' }] };
  const remove = action('list', 'remove');
  const actions = [
    remove,
    action('list', 'add', { event: 'subscribed', lists: ['weekly'] }),
    action('webhook', null),
  ];
  expect(runsAgain(asked, actions)).toEqual(['list']);
  expect(runsAgain(asked, actions, 'weekly')).toEqual([]);
  const deleted = { everything: false, lists: [{ list_id: 'gone', name: 'Gone', deleted: true as const }] };
  expect(runsAgain(deleted, [action('list', 'remove', { lists: [] })])).toEqual([]);
});

it('a repeated request to leave everything runs every action again that stops something in a tool', () => {
  const everything = { everything: true, lists: [] };
  const stop = { event: 'global_unsubscribed', lists: [] } as const;
  const actions = [
    action('global_unsubscribe', 'unsubscribe', stop),
    action('list', 'remove'),
    action('tag', 'add', stop),
    action('webhook', null, stop),
  ];
  expect(runsAgain(everything, actions)).toEqual(['global_unsubscribe', 'list']);
});
