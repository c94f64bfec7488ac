import { type Selectable, sql } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';

type Deliveries = Selectable<TenantTables['deliveries']>;

/** A delivery to a tool of a choice that is undone. */
export type UndoneDelivery = Pick<
  Deliveries,
  'customer_id' | 'status' | 'outcome' | 'attempt_count' | 'next_attempt_at' | 'tool_effect'
> &
  Pick<Selectable<TenantTables['actions']>, 'integration_id' | 'type' | 'operation' | 'target'> & {
    sequence: number;
  };

interface Undone {
  customerIds: readonly string[];
  /** Of the undone choices; of several customers, also those of the others. */
  sequences: readonly number[];
}

/**
 * What tools were asked for by choices with these sequences, the oldest first.
 * @param asked.integrationId null: all tools
 */
export async function deliveriesOfSequences(
  site: SiteDb,
  { customerIds, sequences, integrationId }: Undone & { integrationId: string | null },
): Promise<UndoneDelivery[]> {
  let select = site.db
    .selectFrom('deliveries')
    .innerJoin('choices', (join) =>
      join
        .onRef('choices.site_id', '=', 'deliveries.site_id')
        .onRef('choices.id', '=', 'deliveries.choice_id'),
    )
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .select([
      'deliveries.customer_id',
      'deliveries.status',
      'deliveries.outcome',
      'deliveries.attempt_count',
      'deliveries.next_attempt_at',
      'deliveries.tool_effect',
      'choices.sequence',
      'actions.integration_id',
      'actions.type',
      'actions.operation',
      'actions.target',
    ])
    .where('deliveries.site_id', '=', site.id)
    .where('choices.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where(sql<boolean>`deliveries.customer_id = any(${[...customerIds]}::uuid[])`)
    .where(sql<boolean>`choices.sequence = any(${[...sequences]}::int[])`)
    .where('actions.integration_id', 'is not', null)
    .orderBy('choices.sequence')
    .orderBy('deliveries.id');
  if (integrationId !== null) select = select.where('actions.integration_id', '=', integrationId);
  return select.execute();
}

/** Did this tool report one of the undone choices? Then the change was made there first. */
export async function isMadeByTool(
  site: SiteDb,
  { customerIds, sequences, integrationId }: Undone & { integrationId: string },
): Promise<boolean> {
  const row = await site.db
    .selectFrom('choices')
    .select('id')
    .where('site_id', '=', site.id)
    .where(sql<boolean>`customer_id = any(${[...customerIds]}::uuid[])`)
    .where(sql<boolean>`sequence = any(${[...sequences]}::int[])`)
    .where(sql<boolean>`starts_with(save_id, ${`tool:${integrationId}:`})`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Cancels what tools have not been asked for yet, unless a worker has it right now. Webhooks carry the choice itself, so
 * they are sent.
 */
export function cancelUnsent(
  site: Pick<SiteDb, 'id' | 'db'>,
  { customerId, sequences, now }: { customerId: string; sequences: readonly number[]; now: Date },
): Statement {
  return site.db
    .updateTable('deliveries')
    .set({ status: 'arrived', outcome: 'overtaken', next_attempt_at: null, finished_at: now })
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('status', '=', 'waiting')
    .where('attempt_count', '=', 0)
    .where((eb) => eb.or([eb('next_attempt_at', 'is', null), eb('next_attempt_at', '<=', now)]))
    .where(
      'choice_id',
      'in',
      site.db
        .selectFrom('choices')
        .select('id')
        .where('site_id', '=', site.id)
        .where('customer_id', '=', customerId)
        .where(sql<boolean>`sequence = any(${[...sequences]}::int[])`),
    )
    .where(
      'action_id',
      'in',
      site.db
        .selectFrom('actions')
        .select('id')
        .where('site_id', '=', site.id)
        .where('integration_id', 'is not', null),
    )
    .compile();
}
