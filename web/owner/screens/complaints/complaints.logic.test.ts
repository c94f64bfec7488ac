import { expect, it } from 'vitest';
import { complaintSearch, urgencyOf } from './complaints.logic.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');

it.each([
  ['2026-11-26T11:59:59Z', 'overdue'],
  ['2026-11-26T12:00:00Z', 'soon'],
  ['2026-12-03T12:00:00Z', 'soon'],
  ['2026-12-03T12:00:01Z', 'later'],
])('a complaint due %s is %s', (dueAt, urgency) => {
  expect(urgencyOf({ due_at: dueAt }, NOW)).toBe(urgency);
});

it('the URL can ask for closed complaints, and anything else shows the open ones', () => {
  expect(complaintSearch({ state: 'closed' })).toEqual({ state: 'closed' });
  for (const state of ['open', 'all', 7]) expect(complaintSearch({ state })).toEqual({});
});
