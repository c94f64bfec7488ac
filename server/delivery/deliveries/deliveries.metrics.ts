import type { CounterDefinition } from '#server/platform/process-metrics.ts';

export const ATTEMPTS: CounterDefinition<'type' | 'outcome'> = {
  name: 'sayso_delivery_attempts_total',
  help: 'Delivery attempts of this process, by type of action and outcome',
  labelNames: ['type', 'outcome'],
};

export const UNRECORDED: CounterDefinition<'type'> = {
  name: 'sayso_unrecorded_deliveries_total',
  help: 'Delivery attempts of this process whose result the database did not store, by type of action',
  labelNames: ['type'],
};

export const ENDED_DELIVERIES: CounterDefinition<'type' | 'outcome'> = {
  name: 'sayso_deliveries_total',
  help: 'Deliveries this process finished, by type of action and outcome: arrived (delivered) or failed',
  labelNames: ['type', 'outcome'],
};
