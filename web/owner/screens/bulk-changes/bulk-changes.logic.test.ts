import { expect, it } from 'vitest';
import type { BulkUndo } from '#contract/bulk-changes.ts';
import { firstVerdict, hasEffect, isWorking, shareOf, stateOf } from './bulk-changes.logic.ts';

const counts = {
  customers: 10,
  restored: 0,
  partly: 0,
  kept: 0,
  unchanged: 0,
  subscribes: 0,
  unsubscribes: 0,
  new_customers: 4,
  applied: 5,
  deleted: 1,
};

const undo = (status: BulkUndo['status'], more: Partial<BulkUndo['counts']> = {}): BulkUndo => ({
  status,
  counts: { ...counts, ...more },
  tells: [],
  started_by: null,
  started_at: null,
  updated_at: '2026-03-14T09:00:00.000Z',
  ended_at: null,
});

it('a bulk change is running, open, or as far as its undo', () => {
  expect(stateOf({ is_running: true, undo: null })).toBe('running');
  expect(stateOf({ is_running: false, undo: null })).toBe('open');
  expect(stateOf({ is_running: false, undo: undo('checked') })).toBe('checked');
});

it('is looked at again only while something is going on', () => {
  expect(isWorking({ undo: null })).toBe(false);
  expect(isWorking({ undo: undo('checked') })).toBe(false);
  expect(isWorking({ undo: undo('deleting') })).toBe(true);
  expect(isWorking({ undo: undo('finished') })).toBe(false);
});

it('progress is that of the phase in hand', () => {
  expect(shareOf({ customers: 20, undo: undo('checking') })).toBe(0.5);
  expect(shareOf({ customers: 20, undo: undo('applying') })).toBe(0.5);
  expect(shareOf({ customers: 20, undo: undo('deleting') })).toBe(0.25);
  expect(shareOf({ customers: 0, undo: undo('checking', { customers: 3 }) })).toBe(null);
});

it('the first verdict shown has customers', () => {
  expect(firstVerdict({ ...counts, kept: 3 })).toBe('kept');
  expect(firstVerdict(counts)).toBe('restored');
  expect(hasEffect({ ...counts, kept: 3 })).toBe(false);
  expect(hasEffect({ ...counts, partly: 1 })).toBe(true);
});
