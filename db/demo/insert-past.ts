import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import type { inventPast } from './history.ts';

export type PastRows = ReturnType<typeof inventPast>;

/** Writes what was invented, with the jobs of what still waits. */
export async function insertPast(services: Services, tx: SiteDb, rows: PastRows): Promise<void> {
  const of = <T extends object>(all: readonly T[]) => all.map((row) => ({ ...row, site_id: tx.id }));
  await inPortions(rows.customers, (some) => tx.db.insertInto('customers').values(some).execute());
  await inPortions(of(rows.subscriptions), (some) =>
    tx.db.insertInto('subscriptions').values(some).execute(),
  );
  await inPortions(of(rows.choices), (some) => tx.db.insertInto('choices').values(some).execute());
  await inPortions(of(rows.moves), (some) => tx.db.insertInto('list_moves').values(some).execute());
  await inPortions(of(rows.reasons), (some) => tx.db.insertInto('leave_reasons').values(some).execute());
  await insertDeliveries(services, tx, rows.deliveries);
}

async function insertDeliveries(services: Services, tx: SiteDb, made: PastRows['deliveries']): Promise<void> {
  const deliveries = made.map(({ delivery }) => ({ ...delivery, site_id: tx.id }));
  const attempts = made.flatMap(({ delivery, attempts: all }) =>
    all.map((attempt) => ({
      site_id: tx.id,
      delivery_id: delivery.id,
      number: attempt.number,
      started_at: new Date(attempt.started_at),
      duration_ms: attempt.duration_ms,
      outcome: attempt.outcome,
      request: JSON.stringify(attempt.request),
      response: attempt.response === null ? null : JSON.stringify(attempt.response),
      error: attempt.error,
    })),
  );
  await inPortions(deliveries, (some) => tx.db.insertInto('deliveries').values(some).execute());
  await inPortions(attempts, (some) => tx.db.insertInto('delivery_attempts').values(some).execute());
  const waiting = deliveries.filter(({ status }) => status === 'waiting');
  if (waiting.length === 0) return;
  await services.queue.enqueue(
    tx,
    'deliveries',
    waiting.map(({ id, attempt_count: round, next_attempt_at: startAfter }) => ({
      id,
      round,
      ...(startAfter === null ? {} : { startAfter }),
    })),
  );
}

/** PostgreSQL takes 65,535 parameters in one statement. */
async function inPortions<T>(
  rows: readonly T[],
  insert: (some: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += 500) await insert(rows.slice(start, start + 500));
}
