import type { SiteDb } from './database.ts';
import { type Pubsub, publishStatement } from './pubsub.ts';

const CHANGED = 'changed';
const MAX_TAGS = 20_000;
const MAX_VALUES_OF_TAG = 200;

/**
 * In-process cache for data that rarely changes. Every entry has a tag (`site:{id}`, `host:{name}`). A transaction that
 * changes the data announces the tag, and all processes evict its entries. While announcements cannot be received,
 * nothing is cached.
 */
export interface Cache {
  get<T>(tag: string, key: string, load: () => Promise<T>): Promise<T>;
  /** Announces a change to all processes when the transaction commits. */
  announce(tx: Pick<SiteDb, 'query'>, tag: string): Promise<void>;
  /** Evicts at once in this process; call it after the commit, so that the writer reads its own write. */
  evict(tag: string): void;
}

/** Announces a change to the caches of all processes when the transaction commits; commands have no cache of their own. */
export async function announceChange(tx: Pick<SiteDb, 'query'>, tag: string): Promise<void> {
  const { sql, parameters } = publishStatement(CHANGED, tag);
  await tx.query(sql, parameters);
}

export function createCache(pubsub: Pubsub): Cache {
  const tags = new Map<string, Map<string, unknown>>();
  pubsub.on(CHANGED, (tag) => tags.delete(tag));
  pubsub.onGap(() => tags.clear());

  function valuesOf(tag: string): Map<string, unknown> {
    const known = tags.get(tag);
    if (known !== undefined) return known;
    if (tags.size >= MAX_TAGS) tags.clear();
    const fresh = new Map<string, unknown>();
    tags.set(tag, fresh);
    return fresh;
  }

  return {
    async get<T>(tag: string, key: string, load: () => Promise<T>): Promise<T> {
      if (!pubsub.isListening) return load();
      const values = valuesOf(tag);
      if (values.has(key)) return values.get(key) as T;
      const value = await load();
      // Evicted during the read: the value may predate the change, so it is used once and not cached.
      if (tags.get(tag) === values && values.size < MAX_VALUES_OF_TAG) values.set(key, value);
      return value;
    },
    announce: announceChange,
    evict: (tag) => void tags.delete(tag),
  };
}
