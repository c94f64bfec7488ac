import type { Selectable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

type Delivery = Pick<
  Selectable<TenantTables['deliveries']>,
  'id' | 'event' | 'status' | 'created_at' | 'finished_at' | 'choice_id'
>;
type Attempt = Pick<
  Selectable<TenantTables['delivery_attempts']>,
  'delivery_id' | 'started_at' | 'outcome' | 'request' | 'content_deleted_at'
>;

export interface DeliveryRow extends Delivery {
  action_name: string;
  action_type: Selectable<TenantTables['actions']>['type'];
}

export async function deliveriesOfCustomer(site: SiteDb, customerId: string): Promise<DeliveryRow[]> {
  return site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .select([
      'deliveries.id',
      'deliveries.event',
      'deliveries.status',
      'deliveries.created_at',
      'deliveries.finished_at',
      'deliveries.choice_id',
      'actions.name as action_name',
      'actions.type as action_type',
    ])
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('deliveries.customer_id', '=', customerId)
    .orderBy('deliveries.id')
    .execute();
}

export async function attemptsOfCustomer(site: SiteDb, customerId: string): Promise<Attempt[]> {
  return site.db
    .selectFrom('delivery_attempts')
    .innerJoin('deliveries', (join) =>
      join
        .onRef('deliveries.site_id', '=', 'delivery_attempts.site_id')
        .onRef('deliveries.id', '=', 'delivery_attempts.delivery_id'),
    )
    .select([
      'delivery_attempts.delivery_id',
      'delivery_attempts.started_at',
      'delivery_attempts.outcome',
      'delivery_attempts.request',
      'delivery_attempts.content_deleted_at',
    ])
    .where('delivery_attempts.site_id', '=', site.id)
    .where('deliveries.site_id', '=', site.id)
    .where('deliveries.customer_id', '=', customerId)
    .orderBy('delivery_attempts.delivery_id')
    .orderBy('delivery_attempts.number')
    .execute();
}
