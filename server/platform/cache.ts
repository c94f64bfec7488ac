import pg from 'pg';
import type { SiteDb } from './database.ts';
import type { Log } from './log.ts';

const CHANNEL = 'sayso_changed';
const MAX_ENTRIES = 20_000;

/**
 * What rarely changes, kept in the process. Every entry hangs on a tag (`site:{id}`, `host:{name}`); whoever
 * changes what is behind a tag announces it in the same transaction, and all processes forget it.
 * While the announcements cannot be heard, nothing is kept.
 */
export interface Cache {
  get<T>(tag: string, key: string, load: () => Promise<T>): Promise<T>;
  /** Announces a change to all processes when the transaction commits. */
  announce(tx: Pick<SiteDb, 'query'>, tag: string): Promise<void>;
  /** Forgets at once in this process; call it after the commit, so that the writer reads its own write. */
  forget(tag: string): void;
  close(): Promise<void>;
}

interface Tagged {
  values: Map<string, unknown>;
}

/** @param url any role that may LISTEN */
export async function createCache(url: string, log: Log): Promise<Cache> {
  const tags = new Map<string, Tagged>();
  let listener: pg.Client | null = null;
  let closed = false;

  function forgetAll(): void {
    tags.clear();
  }

  async function listen(): Promise<void> {
    if (closed) return;
    const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 2000 });
    client.on('notification', (message) => tags.delete(message.payload ?? ''));
    client.on('error', () => {});
    client.on('end', () => {
      if (listener === client) listener = null;
      forgetAll();
      if (!closed) setTimeout(() => void listen(), 500).unref();
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      forgetAll();
      listener = client;
    } catch (error) {
      log.warn({ err: error }, 'changes cannot be heard; nothing is cached until they can');
      await client.end().catch(() => {});
    }
  }

  function taggedOf(tag: string): Tagged {
    const known = tags.get(tag);
    if (known !== undefined) return known;
    if (tags.size >= MAX_ENTRIES) forgetAll();
    const fresh = { values: new Map<string, unknown>() };
    tags.set(tag, fresh);
    return fresh;
  }

  await listen();
  return {
    async get<T>(tag: string, key: string, load: () => Promise<T>): Promise<T> {
      if (listener === null) return load();
      const tagged = taggedOf(tag);
      if (tagged.values.has(key)) return tagged.values.get(key) as T;
      const value = await load();
      // Forgotten meanwhile: the value may be older than the change, so it is used once and not kept.
      if (tags.get(tag) === tagged && tagged.values.size < 200) tagged.values.set(key, value);
      return value;
    },
    async announce(tx, tag) {
      await tx.query('select pg_notify($1, $2)', [CHANNEL, tag]);
    },
    forget: (tag) => void tags.delete(tag),
    async close() {
      closed = true;
      await listener?.end();
    },
  };
}
