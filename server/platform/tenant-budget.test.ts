import { describe, expect, it, onTestFinished } from 'vitest';
import {
  attributeToTenant,
  createBudget,
  currentTenant,
  detached,
  anonymousTenant,
  runForTenant,
} from './tenant-budget.ts';

interface Held {
  name: string;
  end: () => void;
}

/** Work that goes on until the test ends it; what is left then ends with the test, so that nothing waits on into others. */
function bench(limits: { total: number; each: number; waitMs?: number }) {
  const budget = createBudget({ waitMs: 60_000, ...limits });
  const running: Held[] = [];
  const begun: string[] = [];
  const begin = (tenant: string, name = tenant) =>
    budget.run(tenant, () => {
      begun.push(name);
      return new Promise<void>((resolve) => {
        const held = {
          name,
          end: () => {
            running.splice(running.indexOf(held), 1);
            resolve();
          },
        };
        running.push(held);
      });
    });
  const endFirst = async () => {
    running[0]?.end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  onTestFinished(async () => {
    while (running.length > 0) await endFirst();
  });
  return { budget, running, begun, begin, endFirst };
}

describe('the budget of tenants', () => {
  it('gives one tenant its places and no more; another one overtakes its line', async () => {
    const { begun, begin, endFirst } = bench({ total: 10, each: 2 });
    for (const n of [1, 2, 3, 4]) void begin('flood', `flood ${n}`);
    void begin('other');
    expect(begun).toEqual(['flood 1', 'flood 2', 'other']);
    await endFirst();
    expect(begun.at(-1)).toBe('flood 3');
    await endFirst();
    expect(begun.at(-1)).toBe('flood 4');
  });

  it('lets tenants take turns where all places are taken', async () => {
    const { begun, begin, endFirst } = bench({ total: 1, each: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void begin(name[0] ?? '', name);
    for (let n = 0; n < 5; n += 1) await endFirst();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('keeps half of all places free from unauthenticated callers', async () => {
    const { begun, begin } = bench({ total: 4, each: 4 });
    for (let n = 0; n < 8; n += 1) void begin(anonymousTenant(`203.0.113.${n}`).key);
    expect(begun).toHaveLength(2);
    void begin('site:1');
    expect(begun).toHaveLength(3);
  });

  it('lets nested work begin at once: it would wait for itself', async () => {
    const { budget } = bench({ total: 1, each: 1 });
    const inner = () => budget.run('site:1', async () => 'done');
    await expect(budget.run('site:1', inner)).resolves.toBe('done');
  });

  it('releases the place after a failure', async () => {
    const { budget } = bench({ total: 1, each: 1 });
    const failing = budget.run('site:1', async () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    await expect(budget.run('site:1', async () => 'next')).resolves.toBe('next');
  });

  it('refuses those who waited too long, and everybody when what they wait for is unavailable', async () => {
    const { budget, begin, begun, endFirst } = bench({ total: 1, each: 1, waitMs: 20 });
    void begin('a');
    await expect(begin('a')).rejects.toMatchObject({ code: 'unavailable' });
    const waiting = begin('b');
    budget.refuseWaiting(new Error('away'));
    await expect(waiting).rejects.toThrow('away');
    await endFirst();
    void begin('c');
    expect(begun).toEqual(['a', 'c']);
  });

  it('refuses those behind work that got no answer, but not other work or other tenants', async () => {
    const { budget, begin, begun, endFirst } = bench({ total: 2, each: 1, waitMs: 5000 });
    const beganAt = performance.now();
    void begin('a');
    void begin('b');
    const [ofA, ofB] = [begin('a'), begin('b')];
    budget.refuseWaitingOf('a', beganAt, new Error('silent'));
    await expect(ofA).rejects.toThrow('silent');
    // The first of them is a's, the second b's.
    await endFirst();
    await endFirst();
    const another = begin('b');
    budget.refuseWaitingOf('b', beganAt, new Error('silent'));
    await endFirst();
    expect(begun).toEqual(['a', 'b', 'b', 'b']);
    await endFirst();
    await Promise.all([ofB, another]);
  });
});

describe('the tenant of a request', () => {
  it('becomes known as it goes on, and is nobody in work that outlives it', async () => {
    expect(currentTenant()).toBeNull();
    await runForTenant(anonymousTenant('203.0.113.7'), async () => {
      expect(currentTenant()).toBe('address:203.0.113.7');
      await Promise.resolve();
      attributeToTenant('account', '1');
      expect(currentTenant()).toBe('account:1');
      await Promise.resolve();
      attributeToTenant('site', '2');
      expect(currentTenant()).toBe('site:2');
      expect(detached(currentTenant)).toBeNull();
    });
    attributeToTenant('site', '3');
    expect(currentTenant()).toBeNull();
  });
});
