import { describe, expect, it } from 'vitest';
import { inTurn } from './in-turn.ts';

describe('work of one key', () => {
  it('runs one after the other in the order of the calls, beside that of other keys', async () => {
    const events: string[] = [];
    const gates: (() => void)[] = [];
    const work = (name: string) => async () => {
      events.push(`${name} starts`);
      await new Promise<void>((resolve) => gates.push(resolve));
      events.push(`${name} ends`);
      return name;
    };
    const all = Promise.all([inTurn('a', work('a1')), inTurn('a', work('a2')), inTurn('b', work('b1'))]);
    for (let opened = 0; opened < 3; opened += 1) {
      await expect.poll(() => gates.length).toBeGreaterThan(0);
      gates.shift()?.();
    }
    expect(await all).toEqual(['a1', 'a2', 'b1']);
    expect(events.filter((event) => event.startsWith('a'))).toEqual([
      'a1 starts',
      'a1 ends',
      'a2 starts',
      'a2 ends',
    ]);
    expect(events.indexOf('b1 starts')).toBeLessThan(events.indexOf('a2 starts'));
  });

  it('goes on after a failure, which only its caller gets', async () => {
    const failed = inTurn('a', async () => Promise.reject(new Error('no')));
    const next = inTurn('a', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
