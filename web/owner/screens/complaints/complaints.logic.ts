import type { ComplaintState } from '#contract/complaints.ts';

/** Open ones unless the URL says otherwise. */
export function complaintSearch(search: Record<string, unknown>): {
  state?: Exclude<ComplaintState, 'open'>;
} {
  return search['state'] === 'closed' ? { state: 'closed' } : {};
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

/** How urgent an open complaint is; its owners are reminded when it becomes `soon`. */
export function urgencyOf({ due_at: dueAt }: { due_at: string }, now: number): 'overdue' | 'soon' | 'later' {
  const left = Date.parse(dueAt) - now;
  if (left < 0) return 'overdue';
  return left <= SOON_DAYS * DAY_MS ? 'soon' : 'later';
}
