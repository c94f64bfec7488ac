import type { CounterDefinition } from '#server/platform/figures.ts';

export const SAVES: CounterDefinition<'source'> = {
  name: 'sayso_saves_total',
  help: 'Choices that this process committed, by their source',
  labelNames: ['source'],
};
