import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.ts';

/** The tenant of a request: first its client address, later the account or site that the guard determines. */
export interface Tenant {
  key: string;
}

const tenants = new AsyncLocalStorage<Tenant | null>();
const holders = new AsyncLocalStorage<true>();

/** Unidentified clients. Together they get at most half of the slots, because addresses are cheap. */
const ANONYMOUS = 'address:';

/** @param address of a client that is not identified yet */
export function anonymousTenant(address: string): Tenant {
  return { key: `${ANONYMOUS}${address}` };
}

/** Attributes everything that `work` does to this tenant, including later and parallel work. */
export function runForTenant<T>(tenant: Tenant | null, work: () => T): T {
  return tenants.run(tenant, work);
}

/**
 * Attributes the rest of the request to an identified tenant.
 * @param kind of the id, so that ids of different kinds never share a budget
 */
export function attributeToTenant(kind: string, id: string): void {
  const tenant = tenants.getStore();
  if (tenant !== undefined && tenant !== null) tenant.key = `${kind}:${id}`;
}

/** null outside requests */
export function currentTenant(): string | null {
  return tenants.getStore()?.key ?? null;
}

export interface Budget {
  /**
   * Runs work when its tenant has a free slot. Within a tenant, waiting work runs in order; between tenants, round
   * robin. Nested work shares its parent's slot, because it would otherwise deadlock.
   * @param tenant null: not limited
   * @throws AppError `unavailable` after waiting too long
   */
  run<T>(tenant: string | null, work: () => Promise<T>): Promise<T>;
  /** Rejects all waiting work. */
  refuseWaiting(error: Error): void;
  /** Rejects what waits of a tenant none of whose work has succeeded since then (`performance.now()`). */
  refuseWaitingOf(tenant: string, since: number, error: Error): void;
}

interface Waiting {
  go: () => void;
  refuse: (error: Error) => void;
}

interface Usage {
  running: number;
  /** When work last succeeded. */
  succeededAt: number;
  waiting: Set<Waiting>;
}

/**
 * Divides slots between tenants.
 * @param limits.total slots in total
 * @param limits.each maximum slots per tenant; further work waits
 * @param limits.waitMs after which waiting work is rejected
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
      // Move it behind the other tenants.
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
      const usage = usages.get(tenant) ?? {
        running: 0,
        succeededAt: Number.NEGATIVE_INFINITY,
        waiting: new Set(),
      };
      usages.set(tenant, usage);
      if (usage.waiting.size === 0 && isFree(tenant, usage)) count(tenant, usage, 1);
      else await placeIn(usage.waiting, limits.waitMs, () => dropIfIdle(tenant, usage));
      try {
        const result = await holders.run(true, work);
        usage.succeededAt = performance.now();
        return result;
      } finally {
        leave(tenant, usage);
      }
    },
    refuseWaiting(error) {
      for (const { waiting } of [...usages.values()]) {
        for (const place of [...waiting]) place.refuse(error);
      }
    },
    refuseWaitingOf(tenant, since, error) {
      const usage = usages.get(tenant);
      if (usage === undefined || usage.succeededAt >= since) return;
      for (const place of [...usage.waiting]) place.refuse(error);
    },
  };
}

/**
 * Waits for a slot.
 * @param onRefused called after a rejected waiter was removed
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
  return new AppError(
    'unavailable',
    'Too many calls at the same time. Send fewer in parallel and try again.',
    {
      retryAfterSeconds: 5,
    },
  );
}

/**
 * A slot for work that doesn't end in one place.
 * @returns gives it back
 * @throws AppError `unavailable` after waiting too long
 */
export function slotOf(budget: Budget, tenant: string | null): Promise<() => void> {
  return new Promise((resolve, reject) => {
    budget.run(tenant, () => new Promise<void>((end) => resolve(end))).catch(reject);
  });
}

/** Runs work that outlives its request: it counts for no tenant, and holds no slot. */
export function detached<T>(work: () => T): T {
  return holders.exit(() => tenants.run(null, work));
}

/** Runs work in another context that shares the current slot. */
export function withSharedConnectionSlot<T>(inContext: <R>(work: () => R) => R, work: () => T): T {
  return inContext(() => holders.run(true, work));
}

/** Runs work shared by several callers of a site: it counts for the site, no matter who came first. */
export function runForSite<T>(siteId: string, work: () => T): T {
  return detached(() => runForTenant({ key: `site:${siteId}` }, work));
}
