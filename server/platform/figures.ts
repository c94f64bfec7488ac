import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** What this process has done since it started, for `/metrics`. Labels name kinds, never people, sites or accounts. */
export interface Figures {
  readonly registry: Registry;
  /** Choices that were committed. */
  readonly saves: Counter<'source'>;
  /** Tries of deliveries. */
  readonly attempts: Counter<'type' | 'outcome'>;
  /** Deliveries that came to an end. */
  readonly deliveries: Counter<'type' | 'outcome'>;
  readonly emails: Counter<'outcome'>;
  readonly requests: Histogram<'method' | 'route' | 'status'>;
}

export function createFigures(): Figures {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    saves: new Counter({
      name: 'sayso_saves_total',
      help: 'Choices that this process committed, by their source',
      labelNames: ['source'],
      registers,
    }),
    attempts: new Counter({
      name: 'sayso_delivery_attempts_total',
      help: 'Attempts of deliveries that this process made, by type of action and outcome',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    deliveries: new Counter({
      name: 'sayso_deliveries_total',
      help: 'Deliveries that ended in this process, by type of action: arrived, or failed for good',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    emails: new Counter({
      name: 'sayso_emails_total',
      help: 'Emails that this process handed over, by what the mail server said; kept: no mail server is set',
      labelNames: ['outcome'],
      registers,
    }),
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer, by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
  };
}
