import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** A counter, declared by the module that counts. Labels are categories, never people, sites or accounts. */
export interface CounterDefinition<Label extends string = string> {
  name: string;
  help: string;
  labelNames: readonly Label[];
}

/** The metrics of this process since its start, for `/metrics`. */
export interface ProcessMetrics {
  readonly registry: Registry;
  readonly emails: Counter<'outcome'>;
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  counter<Label extends string>(definition: CounterDefinition<Label>): Counter<Label>;
}

/** @param counters of all modules, so that each is exported before its first increment */
export function createProcessMetrics(counters: readonly CounterDefinition[]): ProcessMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const known = new Map<CounterDefinition, Counter>();

  function counter<Label extends string>(definition: CounterDefinition<Label>): Counter<Label> {
    const made = known.get(definition) ?? new Counter({ ...definition, registers });
    known.set(definition, made);
    return made;
  }

  for (const definition of counters) counter(definition);
  return {
    registry,
    counter,
    emails: new Counter({
      name: 'sayso_emails_total',
      help: 'Emails this process sent, by the answer of the mail server; kept: stored, because no mail server is set',
      labelNames: ['outcome'],
      registers,
    }),
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer a request, by method, route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
  };
}
