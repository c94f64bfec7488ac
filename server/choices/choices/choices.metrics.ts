import type { CounterDefinition } from '#server/platform/process-metrics.ts';

export const SAVES: CounterDefinition<'source'> = {
  name: 'sayso_saves_total',
  help: 'Choices that this process committed, by their source',
  labelNames: ['source'],
};
