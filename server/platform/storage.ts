import type pg from 'pg';
import { isDiskFull } from './database-errors.ts';
import type { Log } from './log.ts';

/** Whether the database has space to write, as far as this process knows. */
export interface Storage {
  readonly isFull: boolean;
  /** Checks whether an error means that the disk is full; if so, `isFull` is set until a write succeeds. */
  notice(error: unknown): void;
  /** Tries a write that is rolled back. Never throws: other errors are reported elsewhere. */
  check(): Promise<void>;
  /** Called each time the disk becomes full. */
  onFull(handle: () => void): void;
  stop(): void;
}

const CHECK_EVERY_MS = 1000;

/**
 * Existing pages still take small rows long after the disk is full. Four megabytes need new disk space, and suffice for
 * saves until the next check. A temporary table writes no WAL.
 */
const TRY_TO_WRITE = [
  'begin',
  'create temporary table storage_check (filler text) on commit drop',
  `insert into storage_check select repeat('x', 1000) from generate_series(1, 4096)`,
  'rollback',
].join('; ');

export function watchStorage(pool: pg.Pool, log: Log): Storage {
  const handlers: (() => void)[] = [];
  let isFull = false;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | null = null;

  async function tryToWrite(): Promise<'full' | 'room' | 'unknown'> {
    try {
      const client = await pool.connect();
      try {
        await client.query(TRY_TO_WRITE);
        client.release();
        return 'room';
      } catch (error) {
        // Its transaction is still open.
        client.release(true);
        throw error;
      }
    } catch (error) {
      return isDiskFull(error) ? 'full' : 'unknown';
    }
  }

  async function checkNow(): Promise<void> {
    const found = await tryToWrite();
    if (found === 'full') becomeFull();
    else if (found === 'room') becomeFree();
  }

  function becomeFull(): void {
    if (isFull) return;
    isFull = true;
    log.error(
      "The database's disk is full: nothing can be saved, and /readyz answers 503. " +
        'Free some space and Sayso continues without a restart.',
    );
    for (const handle of handlers) handle();
    timer = setInterval(() => void storage.check(), CHECK_EVERY_MS);
    timer.unref();
  }

  function becomeFree(): void {
    if (!isFull) return;
    isFull = false;
    clearInterval(timer);
    log.warn("The database's disk has space again: saving continues.");
  }

  const storage: Storage = {
    get isFull() {
      return isFull;
    },
    notice(error) {
      if (isDiskFull(error)) becomeFull();
    },
    check: () =>
      (checking ??= checkNow().finally(() => {
        checking = null;
      })),
    onFull: (handle) => void handlers.push(handle),
    stop: () => clearInterval(timer),
  };
  return storage;
}
