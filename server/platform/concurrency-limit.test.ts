import { expect, it } from 'vitest';
import { withConcurrencyLimit } from './concurrency-limit.ts';

it('a limit runs so many calls at a time and no more, in the order of asking, even when some fail', async () => {
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const work = (number: number) => async () => {
    order.push(number);
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    if (number % 3 === 0) throw new Error('no');
    return number;
  };
  const all = Array.from({ length: 12 }, (_, number) => withConcurrencyLimit(3, 'tool', work(number)));
  const settled = await Promise.allSettled(all);
  expect(most).toBe(3);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(4);
});

it('a limit counts each key separately', async () => {
  let isOtherDone = false;
  const slow = withConcurrencyLimit(1, 'slow', async () => {
    await expect.poll(() => isOtherDone, { timeout: 5000 }).toBe(true);
  });
  await withConcurrencyLimit(1, 'other', async () => {
    isOtherDone = true;
  });
  await slow;
});

it('a limit gives a place to a newcomer after everybody was done', async () => {
  await withConcurrencyLimit(1, 'again', async () => {});
  expect(await withConcurrencyLimit(1, 'again', async () => 'done')).toBe('done');
});
