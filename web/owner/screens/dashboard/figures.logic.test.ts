import { describe, expect, it } from 'vitest';
import type { Dashboard } from '#contract/dashboard.ts';
import {
  comparisonOf,
  hasBefore,
  isForAdmin,
  movesOf,
  pointsOf,
  summaryOf,
  total,
  unsentLists,
} from './figures.logic.ts';
import { isEmpty } from './is-empty.logic.ts';

const weekOf = (day: string) => `Week of ${day}`;

it('a day is named as in UTC, in the language of the reader', () => {
  const periods = ['2026-11-21T00:00:00.000Z'];
  expect(pointsOf({ periods, step: 'day' }, 'en', weekOf)).toEqual([
    { key: periods[0], short: 'Nov 21', long: 'Saturday, November 21' },
  ]);
  expect(pointsOf({ periods, step: 'day' }, 'de', weekOf)[0]?.long).toBe('Samstag, 21. November');
});

it('a week is named by its Monday, with the year', () => {
  const [week] = pointsOf({ periods: ['2026-11-16T00:00:00.000Z'], step: 'week' }, 'en', weekOf);
  expect(week?.long).toBe('Week of November 16, 2026');
});

it('all lists together are the sum of each', () => {
  const lists = [
    { list_id: 'a', name: 'A', joins: [1, 2], leaves: [0, 1] },
    { list_id: 'b', name: 'B', joins: [3, 0], leaves: [1, 1] },
  ];
  expect(movesOf(lists, null, 2)).toEqual({ joins: [4, 2], leaves: [1, 2] });
  expect(movesOf(lists, 'b', 2)).toEqual({ joins: [3, 0], leaves: [1, 1] });
  expect(movesOf([], null, 2)).toEqual({ joins: [0, 0], leaves: [0, 0] });
  expect(total([4, 2])).toBe(6);
});

it('a comparison shows the percentage by which it rose or fell', () => {
  expect(comparisonOf({ now: 30, before: 20 })).toEqual({ kind: 'more', share: 0.5 });
  expect(comparisonOf({ now: 5, before: 20 })).toEqual({ kind: 'fewer', share: -0.75 });
  expect(comparisonOf({ now: 1003, before: 1000 })).toEqual({ kind: 'close', share: 0.003 });
  expect(comparisonOf({ now: 3, before: 3 })).toEqual({ kind: 'same', share: 0 });
  expect(comparisonOf({ now: 3, before: 0 })).toEqual({ kind: 'none', share: 0 });
});

it('a comparison shows both numbers instead of a percentage of almost nothing', () => {
  expect(comparisonOf({ now: 164_440, before: 2 }).kind).toBe('numbers');
  expect(comparisonOf({ now: 12, before: 19 }).kind).toBe('numbers');
  expect(comparisonOf({ now: 240, before: 20 }).kind).toBe('numbers');
  expect(comparisonOf({ now: 200, before: 20 })).toEqual({ kind: 'more', share: 9 });
});

describe('the first sentence', () => {
  const sent = { arrived: 5, waiting: 0, failed: 0, late: 0, older_failed: 0 };
  const unsent_because = { uncovered: 0, covered_later: 0, is_partial: false };
  const choices = { now: 4, before: 0, periods: [4], unsent: 0, unsent_because };
  const rest = { endpoints: [], choices, lists: [] };
  const listOf = (id: string, isSent: boolean) => ({
    ...{ list_id: id, name: id, is_sent: isSent, joins: [], leaves: [] },
  });
  const brevo: Dashboard['integrations'][number] = {
    id: 'brevo',
    provider: 'brevo',
    name: 'Brevo',
    health: 'connected',
    needs_credentials: false,
    has_key_alone: false,
    waiting: 0,
    unconfirmed: 0,
    last_arrival_at: '2026-11-21T09:00:00.000Z',
  };
  const summary = (deliveries: Partial<typeof sent>, ...integrations: Dashboard['integrations']) =>
    summaryOf({ ...rest, deliveries: { ...sent, ...deliveries }, integrations });

  it('says that all changes are in the tools', () => {
    expect(summary({}, brevo)).toEqual({
      ...{ kind: 'all', arrived: 5, total: 5, problem: null, alsoOff: [] },
    });
  });

  it('is about deliveries where no tool got any, or no action sent some of the changes', () => {
    expect(summary({}).kind).toBe('delivered');
    expect(summary({}, { ...brevo, last_arrival_at: null }).kind).toBe('delivered');
    const unsent = (count: number) =>
      summaryOf({
        ...{ ...rest, deliveries: sent, integrations: [brevo] },
        choices: { ...rest.choices, unsent: count },
      }).kind;
    expect(unsent(0)).toBe('all');
    expect(unsent(1)).toBe('delivered');
  });

  it('is about deliveries where a list is sent to no tool, however many changes there are', () => {
    const kindOf = (parts: Partial<typeof rest> | { lists: Dashboard['lists'] }) =>
      summaryOf({ ...rest, deliveries: sent, integrations: [brevo], ...parts }).kind;
    expect(kindOf({ lists: [listOf('sent', true)] })).toBe('all');
    expect(kindOf({ lists: [listOf('sent', true), listOf('a', false)] })).toBe('delivered');
    expect(kindOf({ choices: { ...rest.choices, now: 14_314 } })).toBe('all');
  });

  it('says how many of them arrived, and what happened to the rest', () => {
    expect(summary({ waiting: 2 }, brevo)).toEqual({
      ...{ kind: 'some', arrived: 5, total: 7, problem: { kind: 'waiting', count: 2 }, alsoOff: [] },
    });
    expect(summary({ waiting: 2, failed: 1 }, brevo).problem).toEqual({ kind: 'failed', count: 1 });
  });

  it('names first the tool that needs an owner', () => {
    const refused = { ...brevo, health: 'needs_attention', needs_credentials: true } as const;
    const off = { ...brevo, id: 'off', health: 'switched_off' } as const;
    const failing = { ...brevo, id: 'failing', health: 'needs_attention' } as const;
    const resting = { ...brevo, id: 'resting', health: 'resting' } as const;
    const problem = (...all: Dashboard['integrations']) => summary({ failed: 1 }, ...all).problem;
    expect(problem(resting, failing, off, refused)).toEqual({ kind: 'credentials', integration: refused });
    const byKey = { ...refused, has_key_alone: true };
    expect(problem(off, byKey)).toEqual({ kind: 'key', integration: byKey });
    expect(problem(resting, failing, off)).toEqual({ kind: 'switched_off', integration: off });
    expect(problem(resting, failing)).toEqual({ kind: 'failing', integration: failing });
    expect(problem(resting)).toEqual({ kind: 'failed', count: 1 });
    expect(summary({}, resting).problem).toEqual({ kind: 'resting', integration: resting });
  });

  const shop = { action_id: 'shop', name: 'Tell the shop', type: 'webhook', failing_since: null } as const;
  const failing = { ...shop, state: 'failing', disabled_because: null } as const;
  const off = { ...shop, action_id: 'off', state: 'switched_off', disabled_because: 'gone' } as const;

  it('also names webhooks that are off where something else comes first', () => {
    const refused = { ...brevo, needs_credentials: true };
    const alsoOff = (endpoints: Dashboard['endpoints'], ...integrations: Dashboard['integrations']) =>
      summaryOf({ ...rest, deliveries: sent, integrations, endpoints }).alsoOff;
    const other = { ...off, action_id: 'other' };
    expect(alsoOff([failing, off], refused)).toEqual([off]);
    expect(alsoOff([failing, off, other], brevo)).toEqual([other]);
    expect(alsoOff([failing], refused)).toEqual([]);
  });

  it('names a webhook whose receiver fails, after tools and before past failures', () => {
    const deliveries = { ...sent, waiting: 1, failed: 1 };
    const problem = (endpoints: Dashboard['endpoints'], ...integrations: Dashboard['integrations']) =>
      summaryOf({ ...rest, deliveries, integrations, endpoints }).problem;
    expect(problem([failing], brevo)).toEqual({ kind: 'endpoint_failing', endpoint: failing });
    expect(problem([failing, off], brevo)).toEqual({ kind: 'endpoint_off', endpoint: off });
    expect(problem([failing], { ...brevo, health: 'needs_attention' })?.kind).toBe('failing');
    const found = problem([failing]);
    expect(found && isForAdmin(found)).toBe(false);
  });

  it('shows tools to owners and admins, and deliveries to everybody', () => {
    const refused = { ...brevo, needs_credentials: true };
    const [forAdmin, forAll] = [summary({}, refused).problem, summary({ failed: 1 }, brevo).problem];
    expect(forAdmin && isForAdmin(forAdmin)).toBe(true);
    expect(forAll && isForAdmin(forAll)).toBe(false);
  });

  it('suggests a tool only while nothing was ever sent', () => {
    expect(summary({ arrived: 0 })).toMatchObject({ problem: { kind: 'unconnected' } });
    expect(summary({}).problem).toBeNull();
  });

  it('never says that there was nothing to send while customers chose something', () => {
    expect(summary({ arrived: 0 }, brevo).kind).toBe('unsent');
    const without = { ...choices, now: 0, before: 3, periods: [0] };
    const deliveries = { ...sent, arrived: 0 };
    expect(summaryOf({ ...rest, choices: without, deliveries, integrations: [brevo] }).kind).toBe('none');
  });

  it('names lists that no action sends, after all that is broken, and only where there is a tool for them', () => {
    const lists = [listOf('sent', true), listOf('a', false), listOf('b', false)];
    const problem = (deliveries: Partial<typeof sent>, ...integrations: Dashboard['integrations']) =>
      summaryOf({ ...rest, lists, deliveries: { ...sent, ...deliveries }, integrations }).problem;
    expect(problem({}, brevo)).toMatchObject({ kind: 'unsent', count: 2, first: { list_id: 'a' } });
    expect(problem({ waiting: 1 }, brevo)?.kind).toBe('waiting');
    expect(problem({})).toBeNull();
    expect(unsentLists({ lists, integrations: [brevo] }).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(unsentLists({ lists, integrations: [] })).toEqual([]);
  });
});

it('figures are compared only where there were any before', () => {
  const none = { now: 3, before: 0 };
  const nothing = { customers: { created: none }, choices: none, joins: none, leaves: none };
  expect(hasBefore(nothing)).toBe(false);
  expect(hasBefore({ ...nothing, leaves: { now: 0, before: 1 } })).toBe(true);
  expect(hasBefore({ ...nothing, customers: { created: { now: 0, before: 1 } } })).toBe(true);
});

it('a site where everybody was erased does not count as empty', () => {
  const none = { now: 0, before: 0, periods: [] };
  const nobody = { total: 0, created: { now: 0, before: 0 } };
  expect(isEmpty({ customers: nobody, choices: none })).toBe(true);
  expect(isEmpty({ customers: nobody, choices: { ...none, before: 2 } })).toBe(false);
});
