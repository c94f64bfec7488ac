import type { CounterDefinition } from '#server/platform/process-metrics.ts';

export const SAVES: CounterDefinition<'source'> = {
  name: 'sayso_saves_total',
  help: 'Choices this process saved, by source',
  labelNames: ['source'],
};
