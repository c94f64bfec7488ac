import type { CounterDefinition } from '#server/platform/process-metrics.ts';

export const ATTEMPTS: CounterDefinition<'type' | 'outcome'> = {
  name: 'sayso_delivery_attempts_total',
  help: 'Attempts of deliveries that this process made, by type of action and outcome',
  labelNames: ['type', 'outcome'],
};

export const ENDED_DELIVERIES: CounterDefinition<'type' | 'outcome'> = {
  name: 'sayso_deliveries_total',
  help: 'Deliveries that ended in this process, by type of action: arrived, or failed for good',
  labelNames: ['type', 'outcome'],
};
