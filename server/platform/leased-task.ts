import type { BackgroundTask } from './background-task.ts';
import type { GlobalDb } from './database.ts';
import { newId } from './ids.ts';
import { startIntervalWorker } from './interval-worker.ts';
import type { Services } from './services.ts';

/*
 * Periodic work that one of all processes does. Each row of a table says when something is due. The process that claims
 * a row moves its time to the end of a lease, renews the lease while it works, and then sets the time of the next turn.
 * A dead worker's turn is taken by another process after its lease ends.
 */

const RENEW_EVERY_MS = 60_000;

/** The clocks of two machines, at most. */
const CLOCKS_DIFFER_MS = 3_600_000;

interface Claim {
  now: Date;
  /** When the lease ends. */
  until: Date;
  /** Distinguishes this claim from later ones of the same row. */
  lease: string;
}

type Changes<Row> = Partial<Row> & { due_at: Date };

export interface Turn<Row> {
  row: Row;
  /** Aborts when the process stops; absent if the caller waits for the whole turn. */
  signal: AbortSignal | undefined;
  /**
   * Extends the lease, and saves the turn's progress.
   * @returns whether this process still holds the row
   */
  renew: (progress?: Partial<Row>) => Promise<boolean>;
}

interface Lease {
  due_at: Date;
  lease: string | null;
}

interface Definition<Row extends Lease> {
  name: string;
  checkEveryMs: number;
  leaseMs: number;
  /** From one turn to the next, at most. A row that is due later got its time from a clock that was wrong. */
  longestMs: number;
  /** When to retry a turn that threw. */
  retryAfterMs: number;
  /** Concurrent turns in one process; 1 if absent. */
  concurrency?: number;
  /** Runs before each check. */
  prepare?(services: Services): Promise<void>;
  /** Makes the rows that are due after `latest` due now. */
  pullBack(global: GlobalDb, dates: { latest: Date; now: Date }): Promise<void>;
  /** Claims the row that is due longest; undefined when none is due. */
  claim(tx: GlobalDb, claim: Claim): Promise<Row | undefined>;
  /**
   * Changes a row while it is claimed by this lease.
   * @returns whether it still is
   */
  update(global: GlobalDb, claimed: Row, changes: Partial<Row>): Promise<boolean>;
  /** One turn. @returns when the next one is due, and other values to save in the row */
  run(services: Services, turn: Turn<Row>): Promise<Changes<Row>>;
}

export interface LeasedTask extends BackgroundTask {
  /** Runs every turn that is due now. */
  runDue(services: Services, signal?: AbortSignal): Promise<void>;
}

export function leasedTask<Row extends Lease>(task: Definition<Row>): LeasedTask {
  async function runDue(services: Services, signal?: AbortSignal): Promise<void> {
    await task.prepare?.(services);
    await task.pullBack(services.database.global, {
      latest: later(services, Math.max(task.longestMs, task.leaseMs, task.retryAfterMs) + CLOCKS_DIFFER_MS),
      now: services.clock.now(),
    });
    const concurrency = task.concurrency ?? 1;
    await Promise.all(Array.from({ length: concurrency }, () => takeTurns(services, task, signal)));
  }

  return {
    name: task.name,
    runDue,
    start: (services) =>
      startIntervalWorker(task.name, task.checkEveryMs, services.log, (signal) => runDue(services, signal)),
  };
}

const later = ({ clock }: Services, ms: number) => new Date(clock.now().getTime() + ms);

async function takeTurns<Row extends Lease>(
  services: Services,
  task: Definition<Row>,
  signal?: AbortSignal,
): Promise<void> {
  while (signal?.aborted !== true) {
    const row = await services.database.inTransaction((tx) =>
      task.claim(tx, { now: services.clock.now(), until: later(services, task.leaseMs), lease: newId() }),
    );
    if (row === undefined) return;
    await takeTurn(services, task, row, signal);
  }
}

async function takeTurn<Row extends Lease>(
  services: Services,
  task: Definition<Row>,
  row: Row,
  signal?: AbortSignal,
): Promise<void> {
  const { global } = services.database;
  const renew = (progress: Partial<Row> = {}) =>
    task.update(global, row, { ...progress, due_at: later(services, task.leaseMs) });
  const renewing = setInterval(() => {
    renew().catch((error: unknown) =>
      services.log.warn({ err: error, task: task.name }, 'the lease of a periodic task could not be renewed'),
    );
  }, RENEW_EVERY_MS);
  const unchanged: Partial<Row> = {};
  let changes: Changes<Row>;
  try {
    changes = await task.run(services, { row, signal, renew });
  } catch (error) {
    services.log.warn({ err: error, task: task.name, row }, 'a periodic task failed and will run again');
    changes = { ...unchanged, due_at: later(services, task.retryAfterMs) };
  } finally {
    clearInterval(renewing);
  }
  const latest = later(services, task.longestMs);
  const due_at = changes.due_at < latest ? changes.due_at : latest;
  await task.update(global, row, { ...changes, due_at, lease: null });
}
