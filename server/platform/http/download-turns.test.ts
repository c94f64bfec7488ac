import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runForTenant } from '../tenant-budget.ts';
import { createDownloadTurns } from './download-turns.ts';

it('few files are written at a time, fewer for one tenant, and each until its reader is done or gone', async () => {
  const inTurn = createDownloadTurns({ total: 3, each: 2, waitMs: 60_000 });
  const begun: string[] = [];
  const download = (tenant: string, name: string) => {
    const answer = new PassThrough();
    const work = async () => void begun.push(name);
    const isBegun = new Promise<void>((resolve, reject) => {
      runForTenant({ key: tenant }, () => void inTurn(answer, work).then(resolve, reject));
    });
    return { answer, isBegun };
  };
  const [first, second, third, fourth] = ['one', 'two', 'three', 'four'].map((name) =>
    download('site:a', name),
  );
  const other = download('site:b', 'other');
  await Promise.all([first?.isBegun, second?.isBegun, other.isBegun]);
  expect(begun).toEqual(['one', 'two', 'other']);
  first?.answer.resume().end();
  await third?.isBegun;
  second?.answer.destroy();
  await fourth?.isBegun;
  expect(begun).toEqual(['one', 'two', 'other', 'three', 'four']);
});

it('a file that cannot be written leaves its turn to the next', async () => {
  const inTurn = createDownloadTurns({ total: 1, each: 1, waitMs: 60_000 });
  const failing = async () => {
    throw new Error('no such customer');
  };
  const outcomes = runForTenant({ key: 'site:a' }, () =>
    Promise.allSettled([
      inTurn(new PassThrough(), failing),
      inTurn(new PassThrough(), async () => 'written'),
    ]),
  );
  expect(await outcomes).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'written' }]);
});
