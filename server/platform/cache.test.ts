import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { type Cache, createCache } from './cache.ts';
import { createLog } from './log.ts';
import { openPubsub, type Pubsub } from './pubsub.ts';

let database: TestDatabase;
let pubsub: Pubsub[];
let here: Cache;
let there: Cache;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

beforeEach(async () => {
  const log = createLog('silent');
  pubsub = await Promise.all([openPubsub(database.appUrl, log), openPubsub(database.appUrl, log)]);
  [here, there] = pubsub.map((one) => createCache(one)) as [Cache, Cache];
});

afterEach(async () => {
  await Promise.all(pubsub.map((one) => one.close()));
});

const query = (text: string, values?: unknown[]) => database.owner.query(text, values);

function load(cache: Cache, value: string, tag = 'site:1') {
  return cache.get(tag, 'name', async () => value);
}

describe('a cached value', () => {
  it('is loaded once, even when it is empty', async () => {
    expect(await load(here, 'first')).toBe('first');
    expect(await load(here, 'second')).toBe('first');
    expect(await here.get('site:1', 'none', async () => null)).toBeNull();
    expect(await here.get<string | null>('site:1', 'none', async () => 'late')).toBeNull();
  });

  it('is invalidated in every process when a change is announced, tag by tag', async () => {
    for (const cache of [here, there]) await load(cache, 'old');
    await load(there, 'other', 'site:2');
    await here.announce({ query }, 'site:1');
    await expect.poll(() => load(there, 'new')).toBe('new');
    await expect.poll(() => load(here, 'new')).toBe('new');
    expect(await load(there, 'changed', 'site:2')).toBe('other');
  });

  it('is invalidated locally at once', async () => {
    await load(here, 'old');
    here.evict('site:1');
    expect(await load(here, 'new')).toBe('new');
  });

  it('is not stored when it was invalidated while it was loading', async () => {
    const loading = here.get('site:1', 'name', async () => {
      here.evict('site:1');
      return 'stale';
    });
    expect(await loading).toBe('stale');
    expect(await load(here, 'fresh')).toBe('fresh');
  });

  it('is not stored when loading failed', async () => {
    await expect(here.get('site:1', 'name', async () => Promise.reject(new Error('away')))).rejects.toThrow(
      'away',
    );
    expect(await load(here, 'fine')).toBe('fine');
  });

  it('is not used while announcements cannot be received, and fresh afterwards', async () => {
    await load(here, 'old');
    await database.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen sayso' and datname = current_database()`,
    );
    await expect.poll(() => load(here, 'new')).toBe('new');
    await expect.poll(() => pubsub.every((one) => one.isListening), { timeout: 15_000 }).toBe(true);
    await load(here, 'kept');
    expect(await load(here, 'later')).not.toBe('later');
  });
});
