/** The outcome of an item, in the order of the items. */
export type Outcome<Result> = PromiseSettledResult<Result>;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface Queue<Item, Result> {
  waiting: Waiting<Item, Result>[];
  running: number;
  /** Keys of items in progress. */
  busy: Set<string>;
  isScheduled: boolean;
}

export interface BatcherOptions<Item> {
  /** Maximum number of items in a batch. */
  maxSize: number;
  /** Maximum number of concurrent batches of a group. */
  concurrency?: number;
  /** Items with the same key run one after the other, in the order of their calls, and never in the same batch. */
  exclusiveBy?: (item: Item) => string;
}

/**
 * Runs calls in batches. A call that finds nothing running starts right away; calls that arrive while a batch of their
 * group runs form the next one. There is no timer, so nothing waits on an idle process.
 * @param run works on a batch; when it throws, every item of the batch is rejected with that error
 */
export function createBatcher<Item, Result>(
  run: (group: string, items: readonly Item[]) => Promise<readonly Outcome<Result>[]>,
  { maxSize, concurrency = 1, exclusiveBy }: BatcherOptions<Item>,
): (group: string, item: Item) => Promise<Result> {
  const queues = new Map<string, Queue<Item, Result>>();

  /** The first waiting items, without those whose key is busy or queued ahead of them. */
  function take(queue: Queue<Item, Result>): Waiting<Item, Result>[] {
    if (exclusiveBy === undefined) return queue.waiting.splice(0, maxSize);
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const passed = new Set<string>();
    for (const one of queue.waiting) {
      const key = exclusiveBy(one.item);
      if (taken.length < maxSize && !queue.busy.has(key) && !passed.has(key)) {
        taken.push(one);
        queue.busy.add(key);
      } else {
        passed.add(key);
        left.push(one);
      }
    }
    queue.waiting = left;
    return taken;
  }

  async function runBatch(group: string, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const outcomes = await run(
        group,
        batch.map(({ item }) => item),
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome?.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome?.reason ?? new Error('A batch has to give an outcome for each of its items'));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function startBatches(group: string, queue: Queue<Item, Result>): void {
    while (queue.running < concurrency && queue.waiting.length > 0) {
      const batch = take(queue);
      if (batch.length === 0) return;
      queue.running += 1;
      void runBatch(group, batch).then(() => {
        queue.running -= 1;
        if (exclusiveBy !== undefined) for (const { item } of batch) queue.busy.delete(exclusiveBy(item));
        startBatches(group, queue);
        if (queue.running === 0 && queue.waiting.length === 0 && queues.get(group) === queue)
          queues.delete(group);
      });
    }
  }

  /** Collects calls of the same turn of the event loop. */
  function schedule(group: string, queue: Queue<Item, Result>): void {
    if (queue.isScheduled || queue.running >= concurrency) return;
    queue.isScheduled = true;
    setImmediate(() => {
      queue.isScheduled = false;
      startBatches(group, queue);
    });
  }

  return (group, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(group) ?? { waiting: [], running: 0, busy: new Set(), isScheduled: false };
      queues.set(group, queue);
      queue.waiting.push({ item, resolve, reject });
      schedule(group, queue);
    });
}

/** One batcher per owner, for modules without state of their own. */
export function batcherOf<Owner extends object, Item, Result>(
  create: (owner: Owner) => (group: string, item: Item) => Promise<Result>,
): (owner: Owner) => (group: string, item: Item) => Promise<Result> {
  const batchers = new WeakMap<Owner, (group: string, item: Item) => Promise<Result>>();
  return (owner) => {
    const known = batchers.get(owner);
    if (known !== undefined) return known;
    const fresh = create(owner);
    batchers.set(owner, fresh);
    return fresh;
  };
}
