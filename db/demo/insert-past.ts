import type { TenantTables } from '#db/tables.ts';
import {
  addCounts,
  choiceCounts,
  customerCounts,
  deliveryCounts,
  subscriberCounts,
} from '#server/audience/counters/counters.ts';
import { storedRequest } from '#server/delivery/deliveries/deliveries.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { generatePast } from './history.ts';

export type PastRows = Awaited<ReturnType<typeof generatePast>>;

/** Writes what was generated. Workers find what still waits in it by their sweep. */
export async function insertPast(tx: SiteDb, rows: PastRows): Promise<void> {
  await insertRows(tx, 'customers', rows.customers);
  await insertRows(tx, 'subscriptions', rows.subscriptions);
  await insertRows(tx, 'choices', rows.choices);
  await insertRows(tx, 'subscription_changes', rows.moves);
  await insertRows(tx, 'leave_reasons', rows.reasons);
  await insertDeliveries(tx, rows.deliveries);
  await addCounts(tx, countsOf(rows));
}

function countsOf({ customers, subscriptions, choices, moves, deliveries }: PastRows) {
  const receiving = new Set(customers.flatMap((one) => (one.global_unsubscribe ? [] : [one.id])));
  const received = subscriptions.filter((one) => one.subscribed && receiving.has(one.customer_id));
  const movesOf = Map.groupBy(moves, (move) => move.choice_id);
  const deliveriesOf = Map.groupBy(deliveries, ({ delivery }) => delivery.choice_id);
  return [
    ...customers.flatMap(({ id }) => customerCounts(id, 1)),
    ...choices.flatMap((choice) =>
      choiceCounts(
        { ...choice, lists: JSON.parse(choice.lists) as unknown[] },
        deliveriesOf.get(choice.id)?.length ?? 0,
        movesOf.get(choice.id) ?? [],
      ),
    ),
    ...subscriberCounts(received.map(({ list_id }) => ({ list_id, value: 1 }))),
    ...deliveries.flatMap(({ delivery }) => deliveryCounts(delivery.id, 1)),
  ];
}

/** PostgreSQL takes 65,535 parameters in one statement; a slow machine needs time for what they refer to. */
const PARAMETERS = 4000;

/** Written out rather than built: a million rows are many for a builder of queries. */
async function insertRows(
  tx: SiteDb,
  table: keyof TenantTables,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = [...new Set(['site_id', ...rows.flatMap((row) => Object.keys(row))])];
  const portion = Math.floor(PARAMETERS / columns.length);
  for (let start = 0; start < rows.length; start += portion) {
    const some = rows.slice(start, start + portion);
    const values = some.flatMap((row) =>
      columns.map((column) => (column === 'site_id' ? tx.id : (row[column] ?? null))),
    );
    await tx.query(
      `insert into ${table} (${columns.join(', ')}) values ${places(some.length, columns.length)}`,
      values,
    );
  }
}

/** `($1, $2), ($3, $4)` */
function places(rows: number, columns: number): string {
  const row = (index: number) =>
    `(${Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`).join(', ')})`;
  return Array.from({ length: rows }, (_, index) => row(index)).join(', ');
}

async function insertDeliveries(tx: SiteDb, made: PastRows['deliveries']): Promise<void> {
  const deliveries = made.map(({ delivery }) => delivery);
  const attempts = made.flatMap(({ delivery, attempts: all }) =>
    all.map((attempt) => ({
      delivery_id: delivery.id,
      number: attempt.number,
      started_at: new Date(attempt.started_at),
      duration_ms: attempt.duration_ms,
      outcome: attempt.outcome,
      request: storedRequest(attempt),
      response: attempt.response === null ? null : JSON.stringify(attempt.response),
      error: attempt.error,
    })),
  );
  await insertRows(tx, 'deliveries', deliveries);
  await insertRows(tx, 'delivery_attempts', attempts);
}
