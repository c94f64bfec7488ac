import { sql } from 'kysely';
import { IS_NOT_HELD } from '#server/delivery/deliveries/deliveries.ts';
import type { GlobalDb, SiteDb } from '#server/platform/database.ts';
import { QUEUE_SCHEMA } from '#server/platform/queue.ts';

export interface QueueFigures {
  queue: string;
  waiting: number;
  running: number;
  /** Of the job due longest; null if none is due. */
  due_since: Date | null;
}

/** The queue is local to the coordinator and has no policies: one query covers all sites. */
export async function queueFigures(global: GlobalDb, now: Date): Promise<QueueFigures[]> {
  const { rows } = await sql<QueueFigures>`
    select name as queue,
      count(*) filter (where state < 'active')::int as waiting,
      count(*) filter (where state = 'active')::int as running,
      min(start_after) filter (where state < 'active' and start_after <= ${now}) as due_since
    from ${sql.table(`${QUEUE_SCHEMA}.job`)} where state < 'completed' group by name`.execute(global.db);
  return rows;
}

/** Since when the most overdue site has waited for a worker; null if none is overdue. */
export async function unseenSince(global: GlobalDb, now: Date): Promise<Date | null> {
  const { rows } = await global.query('select min(due_at) as at from sites_with_work where due_at <= $1', [
    now,
  ]);
  return (rows as { at: Date | null }[])[0]?.at ?? null;
}

export interface WaitingDeliveries {
  waiting: number;
  late: number;
  /** Ids begin with their creation time. */
  oldest: string | null;
}

/** Without those held in test mode, which nobody has to see to. */
export async function waitingDeliveries({ id, db }: SiteDb, lateBefore: string): Promise<WaitingDeliveries> {
  const { rows } = await sql<WaitingDeliveries>`
    select count(*)::int as waiting, count(*) filter (where id < ${lateBefore})::int as late, min(id::text) as oldest
    from deliveries
    where site_id = ${id} and status = 'waiting' and status <> 'arrived' and ${IS_NOT_HELD}`.execute(db);
  return rows[0] ?? { waiting: 0, late: 0, oldest: null };
}

export interface ToolState {
  provider: string;
  status: string;
  tools: number;
}

export async function toolStates(site: SiteDb, now: Date): Promise<ToolState[]> {
  const { rows } = await sql<ToolState>`
    select provider, status, count(*)::int as tools from (
      select provider, case when status = 'connected' and rests_until > ${now} then 'resting' else status end as status
      from integrations where site_id = ${site.id} and deleted_at is null
    ) as tool group by provider, status`.execute(site.db);
  return rows;
}
