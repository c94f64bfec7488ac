import { describe, expect, it } from 'vitest';
import type { Replaced } from '#db/tables.ts';
import { type PastChoice, planUndo } from './plan-undo.ts';

const T0 = '2026-01-01T00:00:00.000Z';
const NOW = new Date('2026-03-01T00:00:00.000Z');
const LIST_IDS = new Set(['weekly', 'offers']);

type Parts = Partial<Omit<PastChoice, 'lists' | 'shown'>> & {
  lists?: string[];
  shows?: string[];
  /** Lists, or `everything`, that the customer asked to stop and that were off already. */
  asks?: string[];
  undoes?: number[];
};

/** Choices with the numbers 2, 3 and so on: the customer was created before. */
function history(...all: Parts[]): PastChoice[] {
  return all.map(({ lists = [], shows = [], asks, undoes, ...parts }, index) => ({
    sequence: index + 2,
    source: 'page',
    events: [],
    paused_until: null,
    replaced: null,
    isOurs: false,
    ...parts,
    lists: lists.map((list_id) => ({ list_id })),
    shown: {
      lists: shows.map((list_id) => ({ list_id, name: '', description: '', default_state: false })),
      ...(asks === undefined
        ? {}
        : {
            already_off: {
              everything: asks.includes('everything'),
              lists: asks
                .filter((one) => one !== 'everything')
                .map((list_id) => ({ list_id, name: list_id })),
            },
          }),
      ...(undoes === undefined
        ? {}
        : { undone: { kind: 'import', bulk_change_id: 'another', sequences: undoes } }),
    },
  }));
}

const replaced = (lists: Record<string, boolean | null>, more: Partial<Replaced> = {}): Replaced => ({
  lists: Object.entries(lists).map(([list_id, subscribed]) => ({
    list_id,
    subscribed,
    changed_at: subscribed === null ? null : T0,
  })),
  ...more,
});

const imported = (lists: Record<string, boolean | null>, more: Partial<Replaced> = {}): Parts => ({
  source: 'import',
  isOurs: true,
  replaced: replaced(lists, more),
});

/** Another import, or a tool, that is not the one to undo. */
const other = (
  lists: Record<string, boolean | null>,
  source: 'import' | 'tool' | 'undo' = 'tool',
): Parts => ({
  source,
  replaced: replaced(lists),
});

function undo(subscriptions: Record<string, boolean>, choices: PastChoice[], everything = {}) {
  const current = {
    globalUnsubscribe: false,
    pausedUntil: null,
    subscriptions: new Map(Object.entries(subscriptions)),
    changedAt: new Map(),
    ...everything,
  };
  const plan = planUndo(current, choices, { listIds: LIST_IDS, now: NOW });
  return {
    verdict: plan.verdict,
    back: Object.fromEntries(plan.restored.map((one) => [one.list_id ?? one.about, one.subscribed])),
    stays: Object.fromEntries(plan.kept.map((one) => [one.list_id ?? one.about, one.reason])),
    undoes: plan.sequences,
  };
}

describe('an undo', () => {
  it.each<[string, Record<string, boolean>, Parts[], ReturnType<typeof undo>]>([
    [
      'restores what the import replaced, also to never chosen',
      { weekly: false, offers: true },
      [imported({ weekly: true, offers: null })],
      { verdict: 'restored', back: { weekly: true, offers: null }, stays: {}, undoes: [2] },
    ],
    [
      "brings back a customer's own unsubscribe that the import overrode",
      { weekly: true },
      [imported({ weekly: false })],
      { verdict: 'restored', back: { weekly: false }, stays: {}, undoes: [2] },
    ],
    [
      'leaves what the customer chose later, and restores the rest',
      { weekly: true, offers: true },
      [imported({ weekly: null, offers: null }), { lists: ['weekly'], shows: ['weekly', 'offers'] }],
      { verdict: 'partly', back: { offers: null }, stays: { weekly: 'chosen_since' }, undoes: [2] },
    ],
    [
      'subscribes nobody again to what they saw switched off when they saved',
      { weekly: true, offers: false },
      [imported({ weekly: null, offers: true }), { lists: ['weekly'], shows: ['weekly', 'offers'] }],
      {
        verdict: 'kept',
        back: {},
        stays: { weekly: 'chosen_since', offers: 'saved_since' },
        undoes: [],
      },
    ],
    [
      'leaves everything that the customer unsubscribed from by a link',
      { weekly: true },
      [
        imported({ weekly: null }),
        { source: 'one_click', events: ['global_unsubscribed'], lists: ['weekly', 'offers'] },
      ],
      { verdict: 'kept', back: {}, stays: { weekly: 'chosen_since' }, undoes: [] },
    ],
    [
      'subscribes nobody again to what a link that was saved showed as off, also if it was never chosen',
      { weekly: false, offers: false },
      [
        imported({ weekly: true, offers: null }),
        { source: 'state_link', lists: ['gone'], shows: ['weekly', 'offers'] },
      ],
      { verdict: 'kept', back: {}, stays: { weekly: 'saved_since', offers: 'saved_since' }, undoes: [] },
    ],
    [
      'leaves off what the customer asked to stop when the import had stopped it already',
      { weekly: false, offers: false },
      [imported({ weekly: true, offers: true }), { source: 'one_click', asks: ['weekly'] }],
      { verdict: 'partly', back: { offers: true }, stays: { weekly: 'chosen_since' }, undoes: [2] },
    ],
    [
      'leaves off what the customer asked to stop once a change in between had been undone',
      { weekly: false },
      [
        imported({ weekly: true }),
        other({ weekly: false }),
        { ...other({ weekly: true }, 'undo'), undoes: [3] },
        { source: 'leave_link', asks: ['weekly'] },
      ],
      { verdict: 'kept', back: {}, stays: { weekly: 'chosen_since' }, undoes: [] },
    ],
    [
      'leaves what a tool changed later',
      { weekly: false },
      [imported({ weekly: null }), other({ weekly: true })],
      { verdict: 'kept', back: {}, stays: { weekly: 'changed_since' }, undoes: [] },
    ],
    [
      'of two choices of a burst restores what was before the first',
      { weekly: false },
      [imported({ weekly: null }), imported({ weekly: true })],
      { verdict: 'restored', back: { weekly: null }, stays: {}, undoes: [2, 3] },
    ],
    [
      'restores what the customer chose between two choices of a burst',
      { weekly: false },
      [imported({ weekly: null }), { lists: ['weekly'] }, imported({ weekly: true })],
      { verdict: 'restored', back: { weekly: true }, stays: {}, undoes: [4] },
    ],
    [
      'is not held up by what was undone meanwhile',
      { weekly: true },
      [
        imported({ weekly: null }),
        other({ weekly: true }),
        { ...other({ weekly: false }, 'undo'), undoes: [3] },
      ],
      { verdict: 'restored', back: { weekly: null }, stays: {}, undoes: [2] },
    ],
    [
      'finds nothing to do a second time',
      {},
      [imported({ weekly: null }), { ...other({ weekly: true }, 'undo'), undoes: [2] }],
      { verdict: 'unchanged', back: {}, stays: {}, undoes: [] },
    ],
    [
      'is not held up by the end of a pause',
      { weekly: true },
      [
        imported({ weekly: null }),
        { source: 'pause_end', lists: ['weekly'], events: ['global_resubscribed'] },
      ],
      { verdict: 'restored', back: { weekly: null }, stays: {}, undoes: [2] },
    ],
    [
      'does not miss a list that was deleted',
      {},
      [imported({ gone: true })],
      { verdict: 'unchanged', back: {}, stays: {}, undoes: [] },
    ],
  ])('%s', (_name, subscriptions, choices, expected) => {
    expect(undo(subscriptions, history(...choices))).toEqual(expected);
  });

  const left = (more: object = {}) =>
    imported(
      {},
      {
        everything: {
          global_unsubscribe: false,
          paused_until: null,
          wrong_recipient_at: null,
          ...more,
        },
      },
    );

  it('resubscribes someone who was unsubscribed from all by mistake', () => {
    expect(undo({}, history(left()), { globalUnsubscribe: true })).toMatchObject({
      verdict: 'restored',
      back: { everything: true },
    });
  });

  it.each<[string, Parts]>([
    ['the report of a wrong recipient', { source: 'wrong_recipient' }],
    ['an erasure', { source: 'erasure' }],
    ['an unsubscribe from all', { source: 'one_click', asks: ['everything'] }],
    ['an unsubscribe from all that changed a list', { lists: ['weekly'], asks: ['everything', 'offers'] }],
  ])('leaves everything off after %s, although it was off already', (_name, since) => {
    expect(undo({}, history(left(), since), { globalUnsubscribe: true })).toMatchObject({
      verdict: 'kept',
      back: {},
      stays: { everything: 'chosen_since' },
      undoes: [],
    });
  });

  it('restores a pause, and its end where it has passed', () => {
    const of = (paused_until: string) =>
      planUndo(
        { globalUnsubscribe: true, pausedUntil: null, subscriptions: new Map(), changedAt: new Map() },
        history(left({ global_unsubscribe: true, paused_until })),
        { listIds: LIST_IDS, now: NOW },
      ).restore;
    expect(of('2026-04-01T00:00:00.000Z')).toMatchObject({
      globalUnsubscribe: true,
      pausedUntil: new Date('2026-04-01T00:00:00.000Z'),
    });
    expect(of('2026-02-01T00:00:00.000Z')).toMatchObject({ globalUnsubscribe: false, pausedUntil: null });
  });

  it('restores the time at which each list was chosen', () => {
    const { restore } = planUndo(
      { globalUnsubscribe: false, pausedUntil: null, subscriptions: new Map(), changedAt: new Map() },
      history(imported({ weekly: true })),
      { listIds: LIST_IDS, now: NOW },
    );
    expect(restore.lists).toEqual([{ list_id: 'weekly', subscribed: true, changedAt: new Date(T0) }]);
  });

  it('deletes a customer who has nothing else', () => {
    const created = { ...imported({}), events: ['customer_created'] as const };
    const isNew = (...choices: Parts[]) =>
      planUndo(
        { globalUnsubscribe: false, pausedUntil: null, subscriptions: new Map(), changedAt: new Map() },
        history(...choices),
        { listIds: LIST_IDS, now: NOW },
      ).isNew;
    expect(isNew(created, imported({ weekly: null }))).toBe(true);
    expect(isNew(created, imported({ weekly: null }), { lists: ['offers'] })).toBe(false);
    expect(isNew(created, imported({ weekly: null }), { source: 'one_click', asks: ['weekly'] })).toBe(false);
    expect(isNew(imported({ weekly: null }))).toBe(false);
  });
});
