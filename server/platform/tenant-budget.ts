import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.ts';

/** For whom a request works: known better as it goes on, from the address it came from to the site it is about. */
export interface Tenant {
  key: string;
}

const tenants = new AsyncLocalStorage<Tenant | null>();
const holders = new AsyncLocalStorage<true>();

/** Who has not said who they are yet. Together they get half of everything: addresses are cheap to come by. */
const ANONYMOUS = 'address:';

/** @param address of a client that has not said yet who it is */
export function anonymousTenant(address: string): Tenant {
  return { key: `${ANONYMOUS}${address}` };
}

/** Everything that `work` does counts for this tenant, also later and in parallel. */
export function runForTenant<T>(tenant: Tenant | null, work: () => T): T {
  return tenants.run(tenant, work);
}

/**
 * From here on the request counts for the tenant that it proved to belong to, or is served by.
 * @param kind of the id, so that those of different kinds never share a budget
 */
export function attributeToTenant(kind: string, id: string): void {
  const tenant = tenants.getStore();
  if (tenant !== undefined && tenant !== null) tenant.key = `${kind}:${id}`;
}

/** null for work that no request asked for */
export function currentTenant(): string | null {
  return tenants.getStore()?.key ?? null;
}

export interface Budget {
  /**
   * Runs work when its tenant has a place. Who has to wait comes in the order of asking within a tenant, and tenants
   * take turns. Work inside of work has its place already: it would otherwise wait for what it holds itself.
   * @param tenant null: counts for nobody
   * @throws AppError `unavailable` for who waited too long
   */
  run<T>(tenant: string | null, work: () => Promise<T>): Promise<T>;
  /** Tells all who wait: what they wait for does not come. */
  refuseWaiting(error: Error): void;
}

interface Waiting {
  go: () => void;
  refuse: (error: Error) => void;
}

interface Usage {
  running: number;
  waiting: Set<Waiting>;
}

/**
 * Divides places between tenants.
 * @param limits.total places there are
 * @param limits.each places of one tenant; what it asks for beyond them waits
 * @param limits.waitMs after which who waits is refused
 */
export function createBudget(limits: { total: number; each: number; waitMs: number }): Budget {
  /** In the order of their turns. */
  const usages = new Map<string, Usage>();
  const anonymousTotal = Math.max(1, Math.floor(limits.total / 2));
  let running = 0;
  let anonymousRunning = 0;

  function isFree(key: string, usage: Usage): boolean {
    return (
      running < limits.total &&
      usage.running < limits.each &&
      (!key.startsWith(ANONYMOUS) || anonymousRunning < anonymousTotal)
    );
  }

  function count(key: string, usage: Usage, by: 1 | -1): void {
    running += by;
    usage.running += by;
    if (key.startsWith(ANONYMOUS)) anonymousRunning += by;
  }

  function next(): void {
    for (const [key, usage] of usages) {
      const [first] = usage.waiting;
      if (first === undefined || !isFree(key, usage)) continue;
      usage.waiting.delete(first);
      count(key, usage, 1);
      // Its turn is over: the others come before it again.
      usages.delete(key);
      usages.set(key, usage);
      first.go();
      return;
    }
  }

  function dropIfIdle(key: string, usage: Usage): void {
    if (usage.running === 0 && usage.waiting.size === 0) usages.delete(key);
  }

  function leave(key: string, usage: Usage): void {
    count(key, usage, -1);
    dropIfIdle(key, usage);
    next();
  }

  return {
    async run(tenant, work) {
      if (tenant === null || holders.getStore() === true) return work();
      const usage = usages.get(tenant) ?? { running: 0, waiting: new Set() };
      usages.set(tenant, usage);
      if (usage.waiting.size === 0 && isFree(tenant, usage)) count(tenant, usage, 1);
      else await placeIn(usage.waiting, limits.waitMs, () => dropIfIdle(tenant, usage));
      try {
        return await holders.run(true, work);
      } finally {
        leave(tenant, usage);
      }
    },
    refuseWaiting(error) {
      for (const { waiting } of [...usages.values()]) {
        for (const place of [...waiting]) place.refuse(error);
      }
    },
  };
}

/**
 * Waits for a place; resolves when it is given.
 * @param onRefused comes after the place has left those that wait
 */
function placeIn(waiting: Set<Waiting>, waitMs: number, onRefused: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const place: Waiting = {
      go() {
        clearTimeout(timer);
        resolve();
      },
      refuse(error) {
        clearTimeout(timer);
        waiting.delete(place);
        onRefused();
        reject(error);
      },
    };
    const timer = setTimeout(() => place.refuse(tooBusy()), waitMs);
    waiting.add(place);
  });
}

function tooBusy(): AppError {
  return new AppError('unavailable', 'Too many calls at once; send fewer at a time and try again.', {
    retryAfterSeconds: 5,
  });
}

/** Work that goes on after the request that set it off: it counts for nobody, and holds nothing. */
export function detached<T>(work: () => T): T {
  return holders.exit(() => tenants.run(null, work));
}

/** Runs work in another context, which shares the place that this one has. */
export function shareSlot<T>(inContext: <R>(work: () => R) => R, work: () => T): T {
  return inContext(() => holders.run(true, work));
}

/** Runs work that several callers of a site share: it counts for the site, whoever of them was first. */
export function runForSite<T>(siteId: string, work: () => T): T {
  return detached(() => runForTenant({ key: `site:${siteId}` }, work));
}
