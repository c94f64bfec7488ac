import pg from 'pg';
import type { Log } from './log.ts';

const CHANNEL = 'sayso';

/** A connection that only listens would never learn that the database has vanished. */
const CHECK_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 5_000;

/**
 * Short messages between the processes of the product, through the database. Each has a kind and a text.
 * They are hints: code that needs certainty also polls.
 */
export interface Pubsub {
  /** false while messages may be missed. */
  readonly isListening: boolean;
  on(kind: string, handle: (text: string) => void): void;
  /** Messages may have been missed. */
  onGap(handle: () => void): void;
  close(): Promise<void>;
}

/** The statement that notifies every process when its transaction commits. */
export function publishStatement(kind: string, text: string): { sql: string; parameters: string[] } {
  return { sql: 'select pg_notify($1, $2)', parameters: [CHANNEL, `${kind} ${text}`] };
}

/** @param url any role that may LISTEN */
export async function openPubsub(url: string, log: Log): Promise<Pubsub> {
  const handlers = new Map<string, ((text: string) => void)[]>();
  const gapHandlers: (() => void)[] = [];
  let listener: pg.Client | null = null;
  let closed = false;

  function gap(): void {
    for (const handle of gapHandlers) handle();
  }

  async function listen(): Promise<void> {
    if (closed) return;
    const client = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: 2000,
      query_timeout: ANSWER_WITHIN_MS,
    });
    let checks: NodeJS.Timeout | undefined;
    client.on('notification', ({ payload = '' }) => {
      const [kind = '', ...text] = payload.split(' ');
      for (const handle of handlers.get(kind) ?? []) handle(text.join(' '));
    });
    client.on('error', () => {});
    client.on('end', () => {
      clearInterval(checks);
      if (listener === client) listener = null;
      gap();
      if (!closed) setTimeout(() => void listen(), 500).unref();
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      listener = client;
      checks = setInterval(() => {
        client
          .query('select')
          .catch(() => client.end())
          .catch(() => {});
      }, CHECK_EVERY_MS);
      checks.unref();
      gap();
    } catch (error) {
      log.warn({ err: error }, 'lost the connection for messages from other processes');
      await client.end().catch(() => {});
    }
  }

  await listen();
  return {
    get isListening() {
      return listener !== null;
    },
    on(kind, handle) {
      handlers.set(kind, [...(handlers.get(kind) ?? []), handle]);
    },
    onGap: (handle) => void gapHandlers.push(handle),
    async close() {
      closed = true;
      await listener?.end();
    },
  };
}
