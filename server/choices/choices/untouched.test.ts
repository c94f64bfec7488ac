import { describe, expect, it } from 'vitest';
import type { LaterChoice } from '#server/audience/evidence/evidence.ts';
import type { ChoosableList } from '#server/audience/evidence/transitions.ts';
import { dropUntouched, type PageSeen } from './untouched.ts';

const list = (id: string, default_state = false): ChoosableList => ({
  id,
  name: id,
  default_state,
  double_opt_in: false,
  legal_basis: null,
});
const LISTS = [list('news', true), list('offers'), list('events')];
const VISIT = Buffer.from('visit-01');
const SEEN: PageSeen = { sequence: 3, visitId: VISIT, isForm: false, showsWaiting: false, by: 'switches' };
const A_PAUSE = new Date('2027-01-01T12:00:00Z');

type Entry = [id: string, previous: boolean | null, subscribed: boolean];

function choice(sequence: number, entries: Entry[], parts: Partial<LaterChoice> = {}): LaterChoice {
  const lists = entries.map(([id, previous, subscribed]) => ({
    list_id: id,
    name: id,
    previous,
    subscribed,
  }));
  return { sequence, lists, global_unsubscribe: false, paused_until: null, visit_id: null, ...parts };
}

const LEFT = { global_unsubscribe: true };
const PAUSED = { global_unsubscribe: true, paused_until: A_PAUSE };

/** What is left of a save after these choices. */
function kept(
  wanted: Record<string, boolean>,
  now: Record<string, boolean>,
  history: LaterChoice[],
  seen: Partial<PageSeen> = {},
) {
  const lists = Object.entries(wanted).map(([list_id, subscribed]) => ({ list_id, subscribed }));
  const own = new Map(Object.entries(now));
  const change = dropUntouched(own, LISTS, { lists }, { ...SEEN, ...seen }, history);
  if (!('lists' in change)) throw new Error('The change has lists');
  return Object.fromEntries((change.lists ?? []).map((one) => [one.list_id, one.subscribed]));
}

describe('a page on which two lists are on', () => {
  const shown = choice(3, []);
  const both = { news: true, offers: true };

  it('keeps a later opt-out from everything', () => {
    const left = choice(
      4,
      [
        ['news', true, false],
        ['offers', true, false],
      ],
      LEFT,
    );
    expect(kept({ news: false, offers: true }, both, [shown, left])).toEqual({ news: false });
  });

  it('keeps a later opt-out from one list', () => {
    const left = choice(4, [['offers', true, false]]);
    const now = { news: true, offers: false };
    expect(kept({ news: false, offers: true }, now, [shown, left])).toEqual({ news: false });
    expect(kept({ news: true, offers: true, events: true }, now, [shown, left])).toEqual({
      news: true,
      events: true,
    });
  });

  it('keeps a later subscription', () => {
    const joined = choice(4, [['events', null, true]]);
    expect(kept({ news: false, events: false }, { ...both, events: true }, [shown, joined])).toEqual({
      news: false,
    });
  });

  it('switches off a list that was left and rejoined meanwhile', () => {
    const history = [shown, choice(4, [['news', true, false]]), choice(5, [['news', false, true]])];
    expect(kept({ news: false, offers: true }, both, history)).toEqual({ news: false, offers: true });
  });

  it('ignores an untouched list after a pause began', () => {
    const paused = choice(
      4,
      [
        ['news', true, false],
        ['offers', true, false],
      ],
      PAUSED,
    );
    expect(kept({ news: false, offers: true }, both, [shown, paused])).toEqual({ news: false });
  });

  it('treats a list that was shown on by default as untouched, too', () => {
    const left = choice(4, [['news', null, false]], LEFT);
    expect(kept({ news: true }, {}, [shown, left])).toEqual({});
  });

  it('knows that a list without a record was off before everything was left', () => {
    const history = [shown, choice(4, [['news', true, false]], LEFT), choice(5, [['news', false, true]])];
    expect(kept({ offers: true }, { news: true, offers: false }, history)).toEqual({ offers: true });
    expect(kept({ offers: false }, { news: true, offers: false }, history)).toEqual({});
  });
});

it('a list that was shown as off and switched on is subscribed, although everything was left since', () => {
  const history = [choice(3, []), choice(4, [['news', true, false]], LEFT)];
  expect(kept({ news: true, offers: true }, { news: true, offers: false }, history)).toEqual({
    offers: true,
  });
});

it('a page shows everything as off to people who have left', () => {
  const history = [choice(3, [], LEFT), choice(4, [['news', false, true]])];
  expect(kept({ news: false, offers: true }, { news: true, offers: false }, history)).toEqual({
    offers: true,
  });
});

it('a page shows what comes after a pause, also once the pause is over', () => {
  const ended = choice(4, [['news', false, true]]);
  const now = { news: true, offers: false };
  expect(kept({ news: true, offers: false }, now, [choice(3, [], PAUSED), ended])).toEqual({});
  expect(kept({ news: false, offers: true }, now, [choice(3, [], PAUSED), ended])).toEqual({
    news: false,
    offers: true,
  });
});

describe('choices from the same page', () => {
  const own = (sequence: number, entries: Entry[], parts: Partial<LaterChoice> = {}) =>
    choice(sequence, entries, { visit_id: Buffer.from(VISIT), ...parts });

  it('count as seen', () => {
    const history = [choice(3, []), own(4, [['news', true, false]])];
    expect(kept({ news: true, offers: false }, { news: false, offers: true }, history)).toEqual({
      news: true,
      offers: false,
    });
  });

  it('do not resubscribe to what an earlier save of the page left off', () => {
    const left = choice(
      4,
      [
        ['news', true, false],
        ['offers', true, false],
      ],
      LEFT,
    );
    const saved = own(5, [['news', true, false]], LEFT);
    const history = [choice(3, []), left, saved];
    expect(kept({ news: false, offers: true }, { news: false, offers: true }, history)).toEqual({
      news: false,
    });
  });

  it('raise nothing, whether or not a form shows them', () => {
    const history = [choice(3, []), own(4, [['news', true, false]])];
    const seen = { isForm: true };
    expect(kept({ news: true, events: true }, { news: false }, history, seen)).toEqual({ events: true });
    const joined = [choice(3, []), own(4, [['events', null, true]])];
    expect(kept({ news: true, events: false }, { news: true, events: true }, joined, seen)).toEqual({
      news: true,
      events: false,
    });
  });

  it('leave the lists unchanged where they only begin a pause', () => {
    const history = [
      choice(3, []),
      own(4, [['news', true, false]], PAUSED),
      choice(5, [['news', true, false]], PAUSED),
    ];
    expect(kept({ news: true }, { news: false }, history)).toEqual({});
  });
});

it('a list that may have waited for confirmation is not asked about again', () => {
  const left = choice(4, [['news', true, false]], LEFT);
  const double = LISTS.map((one) => ({ ...one, double_opt_in: one.id === 'offers' }));
  const lists = ['offers', 'events'].map((list_id) => ({ list_id, subscribed: true }));
  const history = [choice(3, []), left];
  const seen = { ...SEEN, showsWaiting: true };
  expect(dropUntouched(new Map([['news', true]]), double, { lists }, seen, history)).toEqual({
    lists: [{ list_id: 'events', subscribed: true }],
  });
  expect(dropUntouched(new Map([['news', true]]), double, { lists }, SEEN, history)).toEqual({ lists });
});

it('a page whose shown state is unknown can only switch off', () => {
  expect(kept({ news: true, offers: false }, { news: false, offers: true }, [choice(5, [])])).toEqual({
    offers: false,
  });
});

it('a page that follows a link automatically raises nothing that was decided since', () => {
  const history = [choice(3, []), choice(4, [['news', null, false]], LEFT)];
  const seen = { ...SEEN, by: 'itself' as const };
  expect(kept({ offers: true }, {}, history, seen)).toEqual({});
  expect(kept({ offers: false }, {}, history, seen)).toEqual({ offers: false });
  const back = { globalUnsubscribe: false };
  expect(dropUntouched(new Map(), LISTS, back, seen, history)).toEqual({});
  expect(dropUntouched(new Map(), LISTS, back, seen, [choice(3, []), choice(4, [])])).toEqual(back);
});
