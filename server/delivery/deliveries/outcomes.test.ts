import { describe, expect, it } from 'vitest';
import { DELIVERY_OUTCOMES, DELIVERY_STATUSES, FAILURE_CAUSES } from '#contract/deliveries.ts';
import type { KeptOutcome } from '#db/tables.ts';
import type { Change, ToolState } from '#server/connectors/connector.ts';
import { wasAlreadyInSync } from '#server/delivery/sending/tool-changes.ts';
import { outcomeOf, outcomeOfConfirmation } from './outcomes.ts';

const KEPT: (KeptOutcome | null)[] = [
  null,
  ...FAILURE_CAUSES,
  ...DELIVERY_OUTCOMES.filter(
    (one) => one !== 'on_its_way' && one !== 'retrying' && one !== 'received' && one !== 'failed',
  ),
];

describe('the outcome of a delivery', () => {
  it('fits its status in every combination, also for deliveries from before it was stored', () => {
    const allowed: Record<string, readonly string[]> = {
      waiting: ['on_its_way', 'retrying', 'held'],
      failed: ['failed', 'tool_off', 'action_off'],
    };
    for (const status of DELIVERY_STATUSES) {
      for (const outcome of KEPT) {
        for (const isConfirmed of [false, true]) {
          for (const isForTool of [false, true]) {
            const told = outcomeOf({ status, outcome, isConfirmed, isForTool });
            if (status === 'arrived') {
              expect(['on_its_way', 'retrying', 'failed']).not.toContain(told.outcome);
              expect(told.cause).toBeNull();
            } else expect(allowed[status]).toContain(told.outcome);
            expect(told.outcome === 'retrying' && told.cause === null).toBe(false);
          }
        }
      }
    }
  });

  it('from before it was stored says what is known', () => {
    const old = (isConfirmed: boolean, isForTool: boolean) =>
      outcomeOf({ status: 'arrived', outcome: null, isConfirmed, isForTool }).outcome;
    expect([old(true, true), old(false, true), old(false, false)]).toEqual([
      'confirmed',
      'accepted',
      'received',
    ]);
    const given = { outcome: null, isConfirmed: false, isForTool: true };
    expect(outcomeOf({ ...given, status: 'failed' })).toEqual({ outcome: 'failed', cause: null });
  });

  it('is checked while more checks are due, and unconfirmed after the last', () => {
    expect(Array.from({ length: 5 }, (_, looks) => outcomeOfConfirmation('elsewhere', looks))).toEqual([
      'checking',
      'checking',
      'checking',
      'checking',
      'unconfirmed',
    ]);
    expect(outcomeOfConfirmation('not_asked', 4)).toBe('unconfirmed');
    expect([
      outcomeOfConfirmation('there', 0),
      outcomeOfConfirmation('absent', 0),
      outcomeOfConfirmation('unsaid', 0),
    ]).toEqual(['confirmed', 'not_known', 'accepted']);
  });
});

describe('a tool that does not have the person', () => {
  const email = 'ada@example.com';
  const target = { id: '1', name: 'Weekly' };
  const unknown: ToolState = { known: false };
  const off: Change = { type: 'list', email, target, on: false };
  const join: Change = { type: 'list', email, target, on: true };
  const move: Change = { type: 'switch_email', from: 'old@example.com', email };
  const block: Change = { type: 'global_unsubscribe', email, on: true };
  const back: Change = { type: 'global_unsubscribe', email, on: false };

  it('was already in sync for someone who leaves, however that was found out', () => {
    for (const change of [off, block]) {
      expect(wasAlreadyInSync([change], unknown, false)).toBe(true);
      expect(wasAlreadyInSync([change], unknown, true)).toBe(true);
    }
  });

  it('may show somebody only later who was moved or restored there', () => {
    for (const change of [move, back]) {
      expect(wasAlreadyInSync([change], unknown, false)).toBe(true);
      expect(wasAlreadyInSync([change], unknown, true)).toBe(false);
    }
  });

  it('is never in sync for somebody who subscribes', () => {
    expect(wasAlreadyInSync([join], unknown, false)).toBe(false);
    expect(wasAlreadyInSync([off, join], unknown, false)).toBe(false);
  });

  it('has kept the opt-out if it keeps opt-outs of addresses that it does not have', () => {
    expect(wasAlreadyInSync([block], { known: false, unsubscribed: true }, true)).toBe(false);
    expect(wasAlreadyInSync([off], { known: true, lists: [] }, false)).toBe(false);
  });
});
