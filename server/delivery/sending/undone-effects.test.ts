import { expect, it } from 'vitest';
import type { ToolEffect } from '#db/tables.ts';
import { brevo } from '#server/connectors/brevo/index.ts';
import type { UndoneDelivery } from '#server/delivery/deliveries/undone.sql.ts';
import { undoEffectOf } from './undone-effects.ts';

const NEWS = { type: 'list', target: '7' } as const;
const EVERYTHING = { type: 'global_unsubscribe', target: null } as const;

function delivery(effect: Partial<ToolEffect> | null, more: Partial<UndoneDelivery> = {}): UndoneDelivery {
  return {
    customer_id: 'ada',
    sequence: 2,
    integration_id: 'brevo',
    type: 'list',
    operation: 'add',
    target: { id: '7', name: 'News' },
    status: 'arrived',
    outcome: 'confirmed',
    attempt_count: 1,
    next_attempt_at: null,
    tool_effect: effect === null ? null : { ...NEWS, on: true, already: false, ...effect },
    ...more,
  };
}

const effectOn = (wanted: Parameters<typeof undoEffectOf>[1], ...undone: UndoneDelivery[]) =>
  undoEffectOf(brevo, wanted, undone);
const off = { ...NEWS, on: false };
const on = { ...NEWS, on: true };

it('an undo reverts what the change did, and leaves what was already so', () => {
  expect(effectOn(off, delivery({}))).toBe('takes_back');
  expect(effectOn(off, delivery({ already: true }))).toBe('stays');
  expect(effectOn(on, delivery({ on: false }))).toBe('takes_back');
  expect(effectOn(on, delivery({ on: false, already: true }))).toBe('stays');
});

it('an undo leaves what the undone change never asked of the tool', () => {
  expect(effectOn(off)).toBe('stays');
  expect(effectOn(off, delivery({ target: '8' }))).toBe('stays');
  expect(effectOn({ ...NEWS, type: 'tag', on: false }, delivery({}))).toBe('stays');
  expect(effectOn(off, delivery({}, { status: 'failed', outcome: 'refused' }))).toBe('stays');
});

it('an undo leaves what the tool does not show', () => {
  expect(effectOn(off, delivery({ already: null }))).toBe('unknown');
  expect(effectOn(off, delivery(null, { outcome: 'accepted' }))).toBe('unknown');
});

it('an undo has nothing to revert of what was not sent', () => {
  expect(effectOn(off, delivery(null, { status: 'waiting', outcome: null, attempt_count: 0 }))).toBe(
    'unsent',
  );
  expect(effectOn(off, delivery(null, { outcome: 'overtaken', attempt_count: 0 }))).toBe('unsent');
  expect(effectOn(off, delivery(null, { status: 'waiting', outcome: 'unavailable' }))).toBe('unsent');
});

it('an undo reverts what may have arrived although the tool did not answer', () => {
  expect(effectOn(off, delivery({}, { status: 'waiting', outcome: 'unavailable' }))).toBe('takes_back');
});

it('an undo returns to the state before the first of several changes', () => {
  const added = delivery({});
  const removedAgain = delivery({ on: false });
  expect(effectOn(off, added, removedAgain, added)).toBe('takes_back');
  expect(effectOn(off, delivery({ already: true }), removedAgain, added)).toBe('stays');
});

it('an undo unsubscribes anyone from everything again whom the change had subscribed', () => {
  const leave = { ...EVERYTHING, on: true };
  expect(effectOn(leave, delivery({}))).toBe('takes_back');
  expect(effectOn(leave, delivery({ ...EVERYTHING, on: false }))).toBe('takes_back');
  expect(effectOn(leave, delivery({ ...EVERYTHING, on: false, already: true }), delivery({}))).toBe(
    'takes_back',
  );
  expect(effectOn(leave, delivery({ already: true }))).toBe('stays');
  expect(effectOn(leave, delivery({ on: false }))).toBe('stays');
});

it('an undo moves an email back only if the change moved it', () => {
  const move = { type: 'switch_email', target: null, on: true } as const;
  expect(effectOn(move, delivery(move))).toBe('takes_back');
  expect(effectOn(move, delivery({ ...move, already: true }))).toBe('stays');
});
