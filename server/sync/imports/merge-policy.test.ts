import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChange, type CustomerState } from '#server/audience/evidence/transitions.ts';
import { readHasLeft, readYesNo, withoutGuard } from '#contract/import-cells.ts';
import { mergePolicy, type ImportedPreferences } from './merge-policy.ts';
import { optOutsOf, mergePreferences, readFields, type RowPreferences } from './row-preferences.ts';

const LISTS = ['a', 'b', 'c'];

const state: fc.Arbitrary<CustomerState> = fc
  .record({
    left: fc.constantFrom('no', 'for good', 'for a time'),
    lists: fc.dictionary(fc.constantFrom(...LISTS), fc.boolean()),
  })
  .map(({ left, lists }) => ({
    globalUnsubscribe: left !== 'no',
    pausedUntil: left === 'for a time' ? new Date(0) : null,
    subscriptions: new Map(Object.entries(lists)),
  }));

const preferences: fc.Arbitrary<ImportedPreferences> = fc.record({
  leaves: fc.boolean(),
  lists: fc
    .dictionary(fc.constantFrom(...LISTS), fc.boolean())
    .map((lists) => Object.entries(lists).map(([list_id, subscribed]) => ({ list_id, subscribed }))),
});

const how = { isNew: false, revive: false, nameOf: (id: string) => id };

function after(before: CustomerState, wanted: ImportedPreferences, revive: boolean): CustomerState {
  const decision = mergePolicy(before, wanted, { ...how, revive });
  const lists = LISTS.map((id) => ({ id, default_state: false }));
  return decision.change === null ? before : applyChange(before, decision.change, lists);
}

/** What somebody had left and receives again; a pause that ends is no return. */
function returnedTo(before: CustomerState, now: CustomerState): string[] {
  const lists = [...now.subscriptions].flatMap(([id, subscribed]) =>
    subscribed && before.subscriptions.get(id) === false ? [id] : [],
  );
  const hadLeft = before.globalUnsubscribe && before.pausedUntil === null;
  return hadLeft && !now.globalUnsubscribe ? ['everything', ...lists] : lists;
}

describe('an import', () => {
  it('never resubscribes anyone to anything, unless it may', () => {
    fc.assert(
      fc.property(state, preferences, (before, wanted) => {
        expect(returnedTo(before, after(before, wanted, false))).toEqual([]);
        expect(mergePolicy(before, wanted, how).verdict).not.toBe('revived');
      }),
    );
  });

  it('applies opt-outs whether or not resubscribing is allowed', () => {
    fc.assert(
      fc.property(state, preferences, fc.boolean(), (before, wanted, revive) => {
        const now = after(before, wanted, revive);
        if (wanted.leaves) expect(now).toMatchObject({ globalUnsubscribe: true, pausedUntil: null });
        for (const { list_id: id, subscribed } of wanted.lists) {
          if (!subscribed) expect(now.subscriptions.get(id)).toBe(false);
        }
      }),
    );
  });

  it('is idempotent: the same row again changes nothing', () => {
    fc.assert(
      fc.property(state, preferences, fc.boolean(), (before, wanted, revive) => {
        const again = mergePolicy(after(before, wanted, revive), wanted, { ...how, revive });
        expect(again.change).toBeNull();
        expect(['unchanged', 'blocked']).toContain(again.verdict);
      }),
    );
  });

  it('ends a pause only by leaving for good', () => {
    fc.assert(
      fc.property(state, preferences, fc.boolean(), (before, wanted, revive) => {
        if (before.pausedUntil === null || wanted.leaves) return;
        expect(after(before, wanted, revive).pausedUntil).toEqual(before.pausedUntil);
      }),
    );
  });
});

describe('two rows about one person', () => {
  const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
  const off = (since: string | null): RowPreferences => ({
    lists: [{ of: 'a', subscribed: false, since }],
    leaves: null,
  });
  const on: RowPreferences = { lists: [{ of: 'a', subscribed: true, since: at(9) }], leaves: null };

  it('are merged, and the opt-out counts', () => {
    expect(mergePreferences(on, off(at(1)))).toEqual(off(at(1)));
    expect(mergePreferences(off(at(1)), on)).toEqual(off(at(1)));
    expect(mergePreferences(off(at(1)), off(at(2)))).toEqual(off(at(2)));
    expect(mergePreferences(off(null), off(at(2)))).toEqual(off(null));
    const left = { lists: [], leaves: { since: null } };
    expect(mergePreferences({ lists: [], leaves: { since: at(3) } }, left)).toEqual(left);
    expect(mergePreferences(on, left)).toEqual({ ...on, ...left, lists: on.lists });
    expect(
      mergePreferences(on, optOutsOf({ ...on, lists: [{ of: 'b', subscribed: true, since: null }] })),
    ).toEqual(on);
  });

  it('say something as soon as one of them does', () => {
    const nothing: RowPreferences = { lists: [], leaves: null, note: 'unclear' };
    expect(mergePreferences(nothing, nothing)).toEqual(nothing);
    expect(mergePreferences(nothing, on)).toEqual(on);
  });
});

describe('a cell', () => {
  it.each([
    'yes',
    ' TRUE ',
    '1',
    'x',
    'Sí',
    'ja',
    'Abonniert',
    'OUI',
    'abonnée',
    'vero',
    'Naročen',
    'da',
    'adevărat',
    'Tak',
  ])('%s says yes', (cell) => expect(readYesNo(cell)).toBe(true));
  it.each([
    'no',
    '0',
    'Unsubscribed',
    'OFF',
    'nein',
    'Désabonné',
    'ne',
    'nu',
    'fałsz',
    'disiscritto',
    'baja',
  ])('%s says no', (cell) => expect(readYesNo(cell)).toBe(false));
  it.each(['', '  ', '\t'])('"%s" says nothing', (cell) => expect(readYesNo(cell)).toBeNull());
  it.each(['perhaps', '2', 'yes no', '=yes()', 'toString', '__proto__'])('%s is neither yes nor no', (cell) =>
    expect(readYesNo(cell)).toBeUndefined(),
  );
  it.each(['yes', 'x', 'Unsubscribed', 'opt-out', 'Abgemeldet', 'désabonné', 'baja', 'wypisany', 'inactive'])(
    '%s about everything means that it was left',
    (cell) => expect(readHasLeft(cell)).toBe(true),
  );
  it.each(['no', '0', 'Subscribed', 'opt-in', 'angemeldet', 'abonné', 'alta', 'active'])(
    '%s about everything means that it was not',
    (cell) => expect(readHasLeft(cell)).toBe(false),
  );
  it('about everything says no more than others', () => {
    expect(['', 'perhaps'].map((cell) => readHasLeft(cell))).toEqual([null, undefined]);
    const mapping = { email: 'email', lists: [], all: 'state' };
    const leavesOf = (cell: string) =>
      readFields(
        { number: 2, fields: ['a@example.com', cell], problem: null },
        { columns: ['email', 'state'], mapping, dateOrders: [] },
      ).preferences?.leaves;
    expect(['unsubscribed', 'subscribed', 'paused', ''].map(leavesOf)).toEqual([
      { since: null },
      null,
      null,
      null,
    ]);
  });
  it('that means neither yes nor no is reported with its column, and truncated', () => {
    const list = { column: 'news', list_id: 'a' };
    const problemOf = (cell: string) =>
      readFields(
        { number: 2, fields: ['a@example.com', cell], problem: null },
        { columns: ['email', 'news'], mapping: { email: 'email', lists: [list] }, dateOrders: [] },
      ).problem;
    expect(problemOf(' maybe ')).toBe('"news" says "maybe". Write yes or no, or subscribed or unsubscribed.');
    expect(problemOf(`${'x'.repeat(39)}😀y`)).toBe(
      `"news" says "${'x'.repeat(39)}\ufffd…". Write yes or no, or subscribed or unsubscribed.`,
    );
    expect(problemOf('yes')).toBeNull();
  });
  it('loses the prefix that kept it from being a formula', () => {
    expect(["'=x", "'+x@example.com", "'plain", "o'hara"].map(withoutGuard)).toEqual([
      '=x',
      '+x@example.com',
      "'plain",
      "o'hara",
    ]);
  });
});
