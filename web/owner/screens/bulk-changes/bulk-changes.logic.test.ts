import { expect, it } from 'vitest';
import type { BulkUndo } from '#contract/bulk-changes.ts';
import { firstVerdict, hasEffect, isWorking, shareOf, stateOf, toldLines } from './bulk-changes.logic.ts';

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

it('a bulk change is running, finished, or at a stage of its undo', () => {
  expect(stateOf({ is_running: true, undo: null })).toBe('running');
  expect(stateOf({ is_running: false, undo: null })).toBe('open');
  expect(stateOf({ is_running: false, undo: undo('checked') })).toBe('checked');
});

it('a bulk change is polled only while something is going on', () => {
  expect(isWorking({ undo: null })).toBe(false);
  expect(isWorking({ undo: undo('checked') })).toBe(false);
  expect(isWorking({ undo: undo('deleting') })).toBe(true);
  expect(isWorking({ undo: undo('finished') })).toBe(false);
});

it('progress is that of the current phase', () => {
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

it('an undo says for each tool how many people it removes, and how many stay', () => {
  const told = { action_id: 'a', integration_id: 'i', customers: 120, stays: 47, unknown: 0, unsent: 3 };
  expect(toldLines(told, { type: 'list', operation: 'remove' })).toEqual([
    { key: 'removed', count: 120 },
    { key: 'were_there', count: 47 },
    { key: 'unsent', count: 3 },
  ]);
  expect(toldLines({ ...told, unknown: 2, unsent: 0 }, { type: 'tag', operation: 'add' })).toEqual([
    { key: 'added', count: 120 },
    { key: 'were_not_there', count: 47 },
    { key: 'unknown', count: 2 },
  ]);
  const nobody = { ...told, customers: 0, stays: 0, unsent: 0 };
  expect(toldLines(nobody, { type: 'webhook', operation: null })).toEqual([{ key: 'count', count: 0 }]);
});
