import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import type { Command, Step } from './commands.ts';
import { type Business, nobodyIsWronged, startBusiness } from './play.ts';

/*
 * People, their email tool and the business act in any order, and everything arrives late, twice, or when nobody knows the
 * person yet. In the end nobody receives what they last refused, here or in the tool, nobody lost what they asked for,
 * and the tool keeps whom it had.
 */

let business: Business;

beforeAll(async () => {
  business = await startBusiness();
});

afterAll(() => business.stop());

const steps = (...commands: Command[]): Step[] => commands.map((command) => ({ after: 20, command }));
const who = 0;
const row = { who, cells: { weekly: 'yes', offers: '' }, signedUpAgo: null, leftAgo: null } as const;

/** What once subscribed people again, or took them off. */
const EXAMPLES: Record<string, Step[]> = {
  'a page from before takes nothing back': steps(
    { what: 'open a page', who, as: 'first' },
    { what: 'save', who, page: 0, touched: ['offers'] },
    { what: 'one-click', who, about: 'everything' },
    { what: 'save', who, page: 0, touched: ['weekly'] },
  ),
  'nor does a form from before': steps(
    { what: 'open a page', who, as: 'first' },
    { what: 'save', who, page: 0, touched: ['offers'] },
    { what: 'open a page', who, as: 'form' },
    { what: 'one-click', who, about: 'everything' },
    { what: 'save', who, page: 0, touched: ['weekly'] },
  ),
  'a file subscribes nobody who left': steps({ what: 'import', rows: [{ ...row, leftAgo: 5000 }] }),
  'an undo leaves in the tool whom the import found there': steps(
    { what: 'join in the tool', who, list: 'offers', reported: [0] },
    { what: 'import', rows: [row] },
    { what: 'import', rows: [{ ...row, cells: { weekly: '', offers: 'yes' } }] },
    { what: 'deliver' },
    { what: 'undo an import', which: 1 },
  ),
  'an opt-out of somebody unknown is kept': steps(
    { what: 'leave in the tool', who, list: 'weekly', reported: [0] },
    { what: 'import', rows: [row] },
  ),
  'an opt-out that is asked for again is sent again': steps(
    { what: 'open a page', who, as: 'first' },
    { what: 'one-click', who, about: 'everything' },
    { what: 'deliver' },
    { what: 'join in the tool', who, list: 'weekly', reported: [0] },
    { what: 'one-click', who, about: 'everything' },
  ),
  'a complaint about one list stops the others in its tool': steps(
    { what: 'open a page', who, as: 'first' },
    { what: 'join in the tool', who, list: 'weekly', reported: [0] },
    { what: 'join in the tool', who, list: 'offers', reported: [0] },
    { what: 'complain in the tool', who, list: 'offers', reported: [0] },
  ),
  'whoever comes back for one list gets that one alone': steps(
    { what: 'open a page', who, as: 'first' },
    { what: 'one-click', who, about: 'everything' },
    { what: 'open a page', who, as: 'latest' },
    { what: 'save', who, page: 0, touched: ['offers'] },
  ),
  'an undo subscribes nobody who left in the tool meanwhile': steps(
    { what: 'import', rows: [{ ...row, cells: { weekly: 'no', offers: 'yes' } }] },
    { what: 'leave in the tool', who, list: 'weekly', reported: [0] },
    { what: 'undo an import', which: 0 },
  ),
  'a form that is sent again after going back leaves again': steps(
    { what: 'open a page', who, as: 'form' },
    { what: 'save', who, page: 0, touched: ['weekly'] },
    { what: 'save', who, page: 0, touched: ['weekly'] },
    { what: 'save', who, page: 2, touched: ['weekly'] },
  ),
};

it('nobody receives what they last refused, in any order of events', { timeout: 600_000 }, async () => {
  const examples = Object.values(EXAMPLES).map((told): [Step[]] => [told]);
  // The same stories each time, so that no run is red by luck. `opt-outs.slow.test.ts` tells others.
  await fc.assert(nobodyIsWronged(business), { examples, numRuns: examples.length + 60, seed: 1 });
});
