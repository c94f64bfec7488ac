import type { Dashboard } from '#contract/dashboard.ts';
import type { ChartPoint } from '#web/ui/BarChart.tsx';

/** Days and weeks are in UTC. */
export function pointsOf(
  { periods, step }: Pick<Dashboard, 'periods' | 'step'>,
  locale: string,
  weekOf: (day: string) => string,
): ChartPoint[] {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  const short = format({ day: 'numeric', month: 'short' });
  const long = format(
    step === 'day'
      ? { weekday: 'long', day: 'numeric', month: 'long' }
      : { day: 'numeric', month: 'long', year: 'numeric' },
  );
  return periods.map((at) => {
    const date = new Date(at);
    const day = long.format(date);
    return { key: at, short: short.format(date), long: step === 'day' ? day : weekOf(day) };
  });
}

type Moves = Pick<Dashboard['lists'][number], 'joins' | 'leaves'>;

/** Of one list, or of all together. */
export function movesOf(lists: Dashboard['lists'], listId: string | null, periods: number): Moves {
  const chosen = lists.filter((list) => listId === null || list.list_id === listId);
  const add = (pick: (list: Moves) => readonly number[]) =>
    Array.from({ length: periods }, (_, index) =>
      chosen.reduce((all, list) => all + (pick(list)[index] ?? 0), 0),
    );
  return { joins: add((list) => list.joins), leaves: add((list) => list.leaves) };
}

export function total(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

/** The change compared with the previous range. */
export function comparisonOf({ now, before }: { now: number; before: number }): {
  kind: 'more' | 'fewer' | 'same';
  by: number;
} {
  if (now === before) return { kind: 'same', by: 0 };
  return now > before ? { kind: 'more', by: now - before } : { kind: 'fewer', by: before - now };
}

/** No customers and no events yet. */
export function isEmpty({ customers, choices }: Pick<Dashboard, 'customers' | 'choices'>): boolean {
  return customers.total === 0 && choices.now === 0 && choices.before === 0;
}
