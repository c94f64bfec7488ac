import { describe, expect, it } from 'vitest';
import { createBatcher, type Outcome } from './batcher.ts';

interface Item {
  name: string;
  key: string;
}

/** A batcher whose batches end when they are told to. */
function gated(options: { maxSize: number; concurrency?: number; isExclusive?: boolean }) {
  const batches: string[][] = [];
  const gates: ((outcome?: Error) => void)[] = [];
  const { isExclusive = false, ...rest } = options;
  const call = createBatcher<Item, string>(
    async (_, items) => {
      batches.push(items.map(({ name }) => name));
      const failure = await new Promise<Error | undefined>((resolve) => gates.push(resolve));
      if (failure !== undefined) throw failure;
      return items.map(({ name }): Outcome<string> =>
        name.startsWith('bad')
          ? { status: 'rejected', reason: new Error(name) }
          : { status: 'fulfilled', value: name },
      );
    },
    { ...rest, ...(isExclusive && { exclusiveBy: ({ key }) => key }) },
  );
  const add = (...names: string[]) => names.map((name) => call('a', { name, key: name[0] ?? '' }));
  async function open(failure?: Error): Promise<void> {
    await expect.poll(() => gates.length).toBeGreaterThan(0);
    gates.shift()?.(failure);
  }
  return { call, batches, add, open };
}

describe('calls in batches', () => {
  it('start at once when nothing runs, and else wait together for the running batch', async () => {
    const { batches, add, open } = gated({ maxSize: 10 });
    const first = add('a1');
    await expect.poll(() => batches).toEqual([['a1']]);
    const others = [...add('b1'), ...add('c1')];
    await open();
    await open();
    expect(await Promise.all([...first, ...others])).toEqual(['a1', 'b1', 'c1']);
    expect(batches).toEqual([['a1'], ['b1', 'c1']]);
  });

  it('are split at the size of a batch', async () => {
    const { batches, add, open } = gated({ maxSize: 2 });
    const all = add('a1', 'b1', 'c1');
    await open();
    await open();
    await Promise.all(all);
    expect(batches).toEqual([['a1', 'b1'], ['c1']]);
  });

  it('of one key run one after the other, in order, beside those of other keys', async () => {
    const { batches, add, open } = gated({ maxSize: 10, concurrency: 2, isExclusive: true });
    const all = add('a1', 'a2', 'b1', 'a3');
    await expect.poll(() => batches).toEqual([['a1', 'b1']]);
    const more = add('c1', 'b2');
    await expect.poll(() => batches).toEqual([['a1', 'b1'], ['c1']]);
    for (let opened = 0; opened < 4; opened += 1) await open();
    await Promise.all([...all, ...more]);
    expect(batches.flat().filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(batches.every((batch) => new Set(batch.map((name) => name[0])).size === batch.length)).toBe(true);
  });

  it('fail on their own, or together with their batch, and the next ones go on', async () => {
    const { add, open } = gated({ maxSize: 2 });
    const settled = Promise.allSettled(add('a1', 'bad', 'c1', 'd1', 'e1'));
    await open();
    await open(new Error('gone'));
    await open();
    expect(
      (await settled).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))),
    ).toEqual(['a1', 'Error: bad', 'Error: gone', 'Error: gone', 'e1']);
  });

  it('of different groups do not wait for each other', async () => {
    const { call, batches, open } = gated({ maxSize: 10 });
    const all = [call('a', { name: 'a1', key: 'a' }), call('b', { name: 'b1', key: 'b' })];
    await expect.poll(() => batches).toEqual([['a1'], ['b1']]);
    await open();
    await open();
    await Promise.all(all);
  });
});
