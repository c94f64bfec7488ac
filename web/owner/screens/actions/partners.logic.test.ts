import { describe, expect, it } from 'vitest';
import type { Action } from '#contract/actions.ts';
import { anAction } from './an-action.ts';
import { leftBehind, mismatchOf } from './partners.logic.ts';

const LISTS = [{ id: 'trail' }, { id: 'offers' }];
const listOf = (id: string) => ({ id, name: `List ${id}` });

const follows = (
  id: string,
  event: Action['trigger']['event'],
  target: string,
  more: Partial<Action> = {},
) => ({
  ...anAction({ trigger: { event, list_ids: ['trail'] } }),
  id,
  type: 'list' as const,
  operation: event === 'subscribed' ? 'add' : 'remove',
  integration_id: 'brevo',
  target: listOf(target),
  ...more,
});

const joins = follows('joins', 'subscribed', '1');
const leaves = follows('leaves', 'unsubscribed', '1');
const behind = (before: Action, target: string, ...others: Action[]) =>
  leftBehind(before, { ...before, target: listOf(target) }, [before, ...others], LISTS).map(({ id }) => id);

describe('a new target leaves inconsistent', () => {
  it('the action that takes customers the other way', () => {
    expect(behind(joins, '3', leaves)).toEqual(['leaves']);
    expect(behind(leaves, '3', joins)).toEqual(['joins']);
  });

  it('in a suppression group, the one that adds', () => {
    const group = { type: 'suppression_group' } as const;
    const out = follows('joins', 'subscribed', '1', { ...group, operation: 'remove' });
    const into = follows('leaves', 'unsubscribed', '1', { ...group, operation: 'add' });
    expect(behind(out, '3', into)).toEqual(['leaves']);
  });

  it.each([
    ['the target stays', '1', [leaves]],
    ['the other already has the new target', '1', [follows('leaves', 'unsubscribed', '3')]],
    ['another action has the old target, too', '3', [leaves, follows('more', 'subscribed', '1')]],
    ['the new target has one already', '3', [leaves, follows('more', 'unsubscribed', '3')]],
    ['it is off', '3', [{ ...leaves, enabled: false }]],
    ['it is about other lists', '3', [{ ...leaves, trigger: { ...leaves.trigger, list_ids: ['offers'] } }]],
    ['it is in another tool', '3', [{ ...leaves, integration_id: 'mailchimp' }]],
    ['it is another kind', '3', [{ ...leaves, type: 'tag' as const }]],
    ['it adds to a list that customers who left are on', '3', [{ ...leaves, operation: 'add' }]],
  ])('nothing where %s', (_what, target, others) => {
    expect(behind(joins, target, ...others)).toEqual([]);
  });

  it('nothing once the action itself is off', () => {
    const off = { ...joins, enabled: false, target: listOf('3') };
    expect(leftBehind(joins, off, [joins, leaves], LISTS)).toEqual([]);
  });
});

it('a mismatch names both lists, on the row of either action', () => {
  const moved = { ...joins, target: listOf('3') };
  const expected = { added: 'List 3', removed: 'List 1' };
  expect(mismatchOf(moved, [moved, leaves], LISTS)).toEqual(expected);
  expect(mismatchOf(leaves, [moved, leaves], LISTS)).toEqual(expected);
  expect(mismatchOf(joins, [joins, leaves], LISTS)).toBeNull();
  expect(mismatchOf(moved, [moved], LISTS)).toBeNull();
  const second = follows('second', 'subscribed', '3');
  expect(mismatchOf(second, [joins, leaves, second], LISTS)).toBeNull();
});
