import fc from 'fast-check';
import { type List, LISTS } from './wishes.ts';

/** What people, the tool and the business do, in any order: drawn by lot, and shrunk to what makes a failure. */

export const PEOPLE = 3;

/** What a file says about one person. */
export interface Row {
  who: number;
  cells: Record<List, 'yes' | 'no' | ''>;
  /** How many seconds ago they signed up, and left. */
  signedUpAgo: number | null;
  leftAgo: number | null;
}

export interface InTool {
  who: number;
  list: List;
  /** After how many further commands the tool reports it. */
  reported: number[];
}

export type Command =
  /** By a program that goes on with its first or its latest answer, or without a script. */
  | { what: 'open a page'; who: number; as: 'first' | 'latest' | 'form' }
  /** On one of the pages that they opened, however long ago. */
  | { what: 'save'; who: number; page: number; touched: List[] }
  | { what: 'save unsubscribe from all'; who: number; page: number }
  | { what: 'undo the save'; who: number; page: number }
  | { what: 'one-click'; who: number; about: List | 'everything' }
  | ({ what: 'leave in the tool' } & InTool)
  | ({ what: 'complain in the tool' } & InTool)
  | ({ what: 'join in the tool' } & InTool)
  | { what: 'move in the tool'; who: number; reported: number[] }
  | { what: 'edit by the business'; who: number; list: List; on: boolean }
  | { what: 'import'; rows: Row[] }
  | { what: 'undo an import'; which: number }
  | { what: 'deliver' }
  | { what: 'the tool fails'; fails: boolean };

export interface Step {
  /** Seconds that pass before. */
  after: number;
  command: Command;
}

const who = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: PEOPLE - 1 }));
const list = fc.constantFrom(...LISTS);
/** A page from before, rather than the newest. */
const page = fc.nat({ max: 2 });
/** At once, or later and perhaps twice. */
const reported = fc.oneof(
  fc.nat({ max: 0 }).map((now) => [now]),
  fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 2 }),
);

const cell = fc.constantFrom<Row['cells'][List][]>('yes', 'yes', 'yes', 'no', '', '');
const ago = fc.constantFrom(null, null, null, 45, 5000, 90_000_000);
const row = fc.record({
  who,
  cells: fc.record({ weekly: cell, offers: cell }),
  signedUpAgo: ago,
  leftAgo: ago,
});
const rows = fc.uniqueArray(row, { minLength: 1, maxLength: PEOPLE, selector: (one) => one.who });

type What = Command['what'];
type Parts = { [W in What]: fc.Arbitrary<Omit<Extract<Command, { what: W }>, 'what'>> };

const parts: Parts = {
  'open a page': fc.record({ who, as: fc.constantFrom('first', 'latest', 'form') }),
  save: fc.record({ who, page, touched: fc.subarray([...LISTS], { minLength: 1 }) }),
  'save unsubscribe from all': fc.record({ who, page }),
  'undo the save': fc.record({ who, page }),
  'one-click': fc.record({ who, about: fc.constantFrom(...LISTS, 'everything') }),
  'leave in the tool': fc.record({ who, list, reported }),
  'complain in the tool': fc.record({ who, list, reported }),
  'join in the tool': fc.record({ who, list, reported }),
  'move in the tool': fc.record({ who, reported }),
  'edit by the business': fc.record({ who, list, on: fc.boolean() }),
  import: fc.record({ rows }),
  'undo an import': fc.record({ which: fc.nat({ max: 1 }) }),
  deliver: fc.record({}),
  'the tool fails': fc.record({ fails: fc.boolean() }),
};

/** Each story has some kinds of command only, so that a few follow each other often. */
const kinds = fc.subarray(Object.keys(parts) as What[], { minLength: 2 });

const commandOf = (what: What) => parts[what].map((more) => ({ what, ...more }) as Command);

export const storyOf = (some: readonly What[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({ after: fc.constantFrom(20, 20, 400, 4000), command: fc.oneof(...some.map(commandOf)) }),
    { minLength: 1, maxLength: 12, size: 'max' },
  );

export const story = kinds.chain(storyOf);
