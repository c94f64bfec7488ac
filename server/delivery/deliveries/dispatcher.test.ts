import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { scaled } from '#test/harness/scale.ts';
import { type Contact, createDispatcher, LIMITS, type Limits, type Task } from './dispatcher.ts';

interface Named extends Task {
  name: string;
}

const SMALL: Limits = {
  total: 6,
  ofSite: 4,
  ofReceiver: 2,
  ofTool: 1,
  ofBatchReceiver: 1,
  held: 24,
  heldOfSite: 10,
  waitingOfReceiver: 3,
  waitingOfTool: 2,
};

/** A dispatcher whose tasks end when they are told to. */
function gated(limits: Limits = LIMITS, onRoom: (siteId: string) => void = () => {}) {
  const began: Named[] = [];
  const gates = new Map<Named, (contact: Contact) => void>();
  const dispatcher = createDispatcher<Named>(
    (task) => {
      began.push(task);
      return new Promise((resolve) => gates.set(task, resolve));
    },
    onRoom,
    limits,
  );
  const underWay = (siteId?: string, receiver?: string) =>
    [...gates.keys()].filter(
      (task) =>
        (siteId === undefined || task.siteId === siteId) &&
        (receiver === undefined || task.receiver === receiver),
    );
  async function end(task: Named, contact: Contact = 'answered'): Promise<void> {
    const gate = gates.get(task) ?? expect.unreachable(`${task.name} is not under way`);
    gates.delete(task);
    gate(contact);
    // What takes its slot begins with the next microtasks.
    for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
  }
  /** Ends them one after the other, whichever is the first under way. */
  async function endAll(contact: Contact = 'answered'): Promise<void> {
    for (;;) {
      const [first] = gates.keys();
      if (first === undefined) return;
      await end(first, contact);
    }
  }
  const names = () => began.map(({ name }) => name);
  return { dispatcher, began, names, underWay, end, endAll };
}

/** `a x 1`: of the site a, for the receiver x; receivers whose names begin with `tool` are tools. */
function task(name: string): Named {
  const [siteId = '', receiver = ''] = name.split(' ');
  return { siteId, receiver, isTool: receiver.startsWith('tool'), name };
}

describe('turns', () => {
  it('go to sites, and within a site to receivers, however much one of them has waiting', async () => {
    const { dispatcher, names, endAll } = gated({ ...LIMITS, total: 1 });
    dispatcher.add(task('first x 1'));
    for (const name of ['a x 1', 'a x 2', 'a x 3', 'a y 1', 'b x 1', 'b x 2']) dispatcher.add(task(name));
    await endAll();
    expect(names()).toEqual(['first x 1', 'a x 1', 'b x 1', 'a y 1', 'b x 2', 'a x 2', 'a x 3']);
  });

  it('within one receiver keep their order', async () => {
    const { dispatcher, names, endAll } = gated({ ...LIMITS, ofReceiver: 1 });
    const all = ['a x 1', 'a x 2', 'a x 3'];
    for (const name of all) dispatcher.add(task(name));
    await endAll();
    expect(names()).toEqual(all);
  });
});

describe('a site with a thousand deliveries to receivers that hang', () => {
  function addHog(dispatcher: ReturnType<typeof gated>['dispatcher'], siteId: string, receivers: number) {
    for (let index = 0; index < 1000; index += 1) {
      dispatcher.add(task(`${siteId} hangs-${index % receivers} ${index}`));
    }
  }

  it('gives one receiver its slots and leaves the site’s other receivers theirs', () => {
    const { dispatcher, underWay } = gated();
    addHog(dispatcher, 'hog', 1);
    expect(underWay('hog')).toHaveLength(LIMITS.ofReceiver);
    dispatcher.add(task('hog well 1'));
    expect(underWay('hog', 'well')).toHaveLength(1);
  });

  it('gets no more than its share, and another site’s task begins at once', () => {
    const { dispatcher, underWay } = gated();
    addHog(dispatcher, 'hog', 50);
    expect(underWay('hog')).toHaveLength(LIMITS.ofSite);
    dispatcher.add(task('other well 1'));
    expect(underWay('other')).toHaveLength(1);
  });

  it('leaves slots to others even when there are ten such sites', async () => {
    const { dispatcher, underWay, end } = gated();
    for (let hog = 0; hog < 10; hog += 1) addHog(dispatcher, `hog-${hog}`, 50);
    expect(underWay().length).toBeLessThan(LIMITS.total);
    dispatcher.add(task('other well 1'));
    expect(underWay('other')).toHaveLength(1);
    // Those who have most give way, until nobody has more than what is left for the next one.
    for (let round = 0; round < 500; round += 1) {
      const [first] = underWay();
      if (first !== undefined) await end(first, 'silent');
      expect(underWay().length).toBeLessThan(LIMITS.total);
    }
    for (const name of ['late x 1', 'later x 1', 'latest x 1']) {
      dispatcher.add(task(name));
      expect(underWay(task(name).siteId)).toHaveLength(1);
    }
  });
});

describe('a receiver that accepts batches', () => {
  it('gets what is waiting in one slot, up to its size, and few slots', async () => {
    const runs: string[][] = [];
    const ends: (() => void)[] = [];
    const dispatcher = createDispatcher<Named>(
      async (first, along) => {
        runs.push([first, ...along].map(({ name }) => name));
        await new Promise<void>((resolve) => ends.push(resolve));
        return 'answered';
      },
      () => {},
      SMALL,
      () => 3,
    );
    for (let index = 0; index < 6; index += 1) dispatcher.add(task(`a x ${index}`));
    expect(runs).toHaveLength(SMALL.ofBatchReceiver);
    ends.shift()?.();
    await vi.waitFor(() => expect(runs).toHaveLength(2));
    ends.shift()?.();
    await vi.waitFor(() => expect(runs).toHaveLength(3));
    ends.shift()?.();
    await vi.waitFor(() => expect([...dispatcher.held()]).toEqual([]));
    expect(runs.map((run) => run.length)).toEqual([1, 3, 2]);
  });
});

describe('a connected tool', () => {
  it('has few slots and a short line, so that it neither begins what it cannot finish nor fills its site', () => {
    const { dispatcher, underWay } = gated();
    const [slots, waiting] = [LIMITS.ofTool, LIMITS.waitingOfTool];
    for (let index = 0; index < slots + waiting; index += 1) {
      expect(dispatcher.isCrowded('a', 'tool')).toBe(false);
      dispatcher.add(task(`a tool ${index}`));
    }
    expect(underWay('a', 'tool')).toHaveLength(slots);
    expect(dispatcher.isCrowded('a', 'tool')).toBe(true);
  });
});

describe('a receiver that timed out three times in a row', () => {
  async function halfOpen() {
    const gate = gated();
    for (let index = 0; index < 3 * LIMITS.ofReceiver; index += 1) gate.dispatcher.add(task(`a x ${index}`));
    for (const silent of gate.underWay('a', 'x').slice(0, 3)) await gate.end(silent, 'silent');
    return gate;
  }

  it('has one slot until it answers, and all of them then', async () => {
    const { began, underWay, end } = await halfOpen();
    const before = began.length;
    while (underWay('a', 'x').length > 1) await end(underWay('a', 'x')[0] as Named, 'silent');
    expect(began).toHaveLength(before);
    for (let count = 1; count <= 5; count += 1) {
      await end(underWay('a', 'x')[0] as Named, 'silent');
      expect(underWay('a', 'x')).toHaveLength(1);
    }
    await end(underWay('a', 'x')[0] as Named, 'answered');
    expect(underWay('a', 'x')).toHaveLength(LIMITS.ofReceiver);
  });

  it('is slowed down for one site: the same host is unchanged for others', async () => {
    const { dispatcher, underWay } = await halfOpen();
    for (let index = 0; index < 3 * LIMITS.ofReceiver; index += 1) dispatcher.add(task(`b x ${index}`));
    expect(underWay('b', 'x')).toHaveLength(LIMITS.ofReceiver);
  });

  it('is not one that answers in between, nor one that was not called', async () => {
    const { dispatcher, underWay, end } = gated();
    for (let index = 0; index < 3 * LIMITS.ofReceiver; index += 1) dispatcher.add(task(`a x ${index}`));
    for (const contact of ['silent', 'silent', 'answered', 'silent', 'silent', 'not_called'] as const) {
      await end(underWay('a', 'x')[0] as Named, contact);
      expect(underWay('a', 'x')).toHaveLength(LIMITS.ofReceiver);
    }
    await end(underWay('a', 'x')[0] as Named, 'silent');
    expect(underWay('a', 'x')).toHaveLength(LIMITS.ofReceiver - 1);
  });
});

describe('room in memory', () => {
  it('ends with the site’s limit, and with what others leave', () => {
    const { dispatcher } = gated({ ...SMALL, held: 12 });
    expect(dispatcher.room('a')).toBe(6);
    for (let index = 0; index < 6; index += 1) dispatcher.add(task(`a ${index} 1`));
    expect(dispatcher.room('a')).toBe(0);
    expect(dispatcher.room('b')).toBe(3);
    expect(dispatcher.fullSites()).toEqual(['a']);
  });

  it('is always there for one task of a site that holds nothing', () => {
    const { dispatcher } = gated({ ...SMALL, held: 4 });
    for (let index = 0; index < 10; index += 1) dispatcher.add(task(`a x ${index}`));
    expect(dispatcher.room('b')).toBe(1);
  });

  it('for more sites ends at the limit, and comes back with those that end', async () => {
    const { dispatcher, underWay, end } = gated(SMALL);
    for (let index = 0; index < SMALL.held; index += 1) {
      expect(dispatcher.hasRoom()).toBe(true);
      dispatcher.add(task(`site-${index} x 1`));
    }
    expect(dispatcher.hasRoom()).toBe(false);
    await end(underWay()[0] ?? expect.unreachable());
    expect(dispatcher.hasRoom()).toBe(true);
  });

  it('is separate from a receiver’s: a crowded one leaves others theirs', () => {
    const { dispatcher } = gated(SMALL);
    for (let index = 0; index < 5; index += 1) dispatcher.add(task(`a x ${index}`));
    expect(dispatcher.isCrowded('a', 'x')).toBe(true);
    expect(dispatcher.isCrowded('a', 'y')).toBe(false);
    expect(dispatcher.room('a')).toBeGreaterThan(0);
  });

  it('is announced to those who were refused it once half of what is held is gone', async () => {
    const told: string[] = [];
    const { dispatcher, underWay, end } = gated(SMALL, (siteId) => told.push(siteId));
    for (let index = 0; dispatcher.room('a') > 0; index += 1) dispatcher.add(task(`a ${index} 1`));
    dispatcher.add(task('b x 1'));
    while ([...dispatcher.held()].length > 6) {
      expect(told).toEqual([]);
      await end(underWay('a')[0] as Named);
    }
    await end(underWay('b')[0] as Named);
    expect(told).toEqual(['a']);
  });
});

describe('stopping the dispatcher', () => {
  it('waits for what is running, begins nothing new, and keeps the rest to be given back', async () => {
    const { dispatcher, began, underWay, end } = gated(SMALL);
    for (let index = 0; index < 4; index += 1) dispatcher.add(task(`a x ${index}`));
    let isStopped = false;
    const stopped = dispatcher.stop(10_000).then(() => (isStopped = true));
    expect(dispatcher.room('b')).toBe(0);
    dispatcher.add(task('b x 1'));
    await end(underWay()[0] as Named);
    await new Promise(setImmediate);
    expect(isStopped).toBe(false);
    await end(underWay()[0] as Named);
    await stopped;
    expect(began.map(({ name }) => name)).toEqual(['a x 0', 'a x 1']);
    expect([...dispatcher.held()].map(({ name }) => name)).toEqual(['a x 2', 'a x 3', 'b x 1']);
  });

  it('does not wait longer than it was told to', async () => {
    const { dispatcher, underWay } = gated(SMALL);
    dispatcher.add(task('a x 1'));
    await dispatcher.stop(100);
    expect(underWay()).toHaveLength(1);
  });
});

const SITES = ['a', 'b', 'c', 'd'];
const RECEIVERS = ['x', 'y', 'z'];

type Step = { add: string } | { end: number; contact: Contact };

const anyTask = fc.record({ site: fc.constantFrom(...SITES), receiver: fc.constantFrom(...RECEIVERS) });

const step: fc.Arbitrary<Step> = fc.oneof(
  anyTask.map(({ site, receiver }) => ({ add: `${site} ${receiver}` })),
  fc.record({
    end: fc.nat(SMALL.total - 1),
    contact: fc.constantFrom<Contact>('answered', 'silent', 'not_called'),
  }),
);

/** What a site may have under way at least: half of what the others leave to it. */
function shareOf(own: number, running: number): number {
  return Math.min(SMALL.ofSite, Math.max(1, Math.floor((own + SMALL.total - running) / 2)));
}

/** Drives a dispatcher through steps, and holds it against what each receiver has said so far. */
function checked() {
  const gate = gated(SMALL);
  const added: Named[] = [];
  const silences = new Map<string, number>();
  const silencesOf = (siteId: string, receiver: string) => silences.get(`${siteId} ${receiver}`) ?? 0;
  const slotsOf = (siteId: string, receiver: string) =>
    silencesOf(siteId, receiver) >= 3 ? 1 : SMALL.ofReceiver;

  function hasStartable(siteId: string): boolean {
    return RECEIVERS.some((receiver) => {
      const isWaiting = added.some(
        (one) => one.siteId === siteId && one.receiver === receiver && !gate.began.includes(one),
      );
      return isWaiting && gate.underWay(siteId, receiver).length < slotsOf(siteId, receiver);
    });
  }

  function check(): void {
    const running = gate.underWay().length;
    expect(running).toBeLessThanOrEqual(SMALL.total);
    for (const siteId of SITES) {
      const own = gate.underWay(siteId).length;
      expect(own).toBeLessThanOrEqual(SMALL.ofSite);
      for (const receiver of RECEIVERS) {
        expect(gate.underWay(siteId, receiver).length).toBeLessThanOrEqual(SMALL.ofReceiver);
      }
      if (running < SMALL.total && hasStartable(siteId)) {
        expect(own, `what ${siteId} has under way`).toBeGreaterThanOrEqual(shareOf(own, running));
      }
    }
  }

  async function end(one: Named, contact: Contact): Promise<void> {
    const { siteId, receiver } = one;
    const key = `${siteId} ${receiver}`;
    if (contact === 'answered') silences.delete(key);
    if (contact === 'silent') silences.set(key, silencesOf(siteId, receiver) + 1);
    const before = gate.began.length;
    await gate.end(one, contact);
    for (const begun of gate.began.slice(before)) {
      const slots = slotsOf(begun.siteId, begun.receiver);
      expect(gate.underWay(begun.siteId, begun.receiver).length).toBeLessThanOrEqual(slots);
    }
    check();
  }

  return {
    ...gate,
    added,
    async take(one: Step): Promise<void> {
      if ('add' in one) {
        const fresh = task(`${one.add} ${added.length}`);
        added.push(fresh);
        gate.dispatcher.add(fresh);
        check();
        return;
      }
      const chosen = gate.underWay()[one.end];
      if (chosen !== undefined) await end(chosen, one.contact);
    },
    end,
  };
}

it('whatever comes and goes, limits hold, each task runs once, and no site is skipped', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const { take, end, underWay, names, added, dispatcher } = checked();
      for (const one of steps) await take(one);
      for (let first = underWay()[0]; first !== undefined; first = underWay()[0]) await end(first, 'silent');
      expect(names().toSorted()).toEqual(added.map(({ name }) => name).toSorted());
      expect([...dispatcher.held()]).toEqual([]);
    }),
    { numRuns: scaled(300) },
  );
});

/** A table of which a site is looked at when it has room, as the queue does it. */
function overTable(rows: Named[]) {
  const gate = gated(SMALL, look);
  const left = new Set(rows);
  function look(siteId: string): void {
    for (;;) {
      const limit = gate.dispatcher.room(siteId);
      if (limit === 0) return;
      const crowded = RECEIVERS.filter((receiver) => gate.dispatcher.isCrowded(siteId, receiver));
      const leased = [...left]
        .filter((row) => row.siteId === siteId && !crowded.includes(row.receiver))
        .slice(0, limit);
      for (const row of leased) {
        left.delete(row);
        gate.dispatcher.add(row);
      }
      if (leased.length < limit) return;
    }
  }
  return { ...gate, left, look };
}

it('tasks that had no room are fetched when room is announced', async () => {
  const answers = fc.array(
    fc.record({
      end: fc.nat(SMALL.total - 1),
      contact: fc.constantFrom<Contact>('answered', 'silent', 'not_called'),
    }),
    { maxLength: 100 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyTask, { maxLength: 120 }), answers, async (wanted, steps) => {
      const rows = wanted.map(({ site, receiver }, index) => task(`${site} ${receiver} ${index}`));
      const { look, left, underWay, end, endAll, names } = overTable(rows);
      for (const siteId of SITES) look(siteId);
      for (const one of steps) {
        const running = underWay();
        const chosen = running[one.end % Math.max(1, running.length)];
        if (chosen !== undefined) await end(chosen, one.contact);
      }
      await endAll('silent');
      expect([...left]).toEqual([]);
      expect(names().toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
    }),
    { numRuns: scaled(200) },
  );
});
