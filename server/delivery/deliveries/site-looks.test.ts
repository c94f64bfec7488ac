import { expect, it } from 'vitest';
import { createLog } from '#server/platform/log.ts';
import { createLooks, lookAtDueSites, SITES_AT_ONCE } from './site-looks.ts';

const COUNT = 4 * SITES_AT_ONCE;

/** Sites that are due until they are looked at; some fail, or are looked at until they are let go. */
function openSites({ failing = 0, hanging = 0, count = COUNT } = {}) {
  const due = Array.from({ length: count }, (_, index) => `site-${String(index).padStart(3, '0')}`);
  const started: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const most = { running: 0, asked: 0 };
  let running = 0;

  async function lease(siteId: string): Promise<void> {
    const index = Number(siteId.slice(5));
    await (index >= failing && index < failing + hanging ? released : Promise.resolve());
    if (index < failing) throw new Error('cannot be read');
    due.splice(due.indexOf(siteId), 1);
  }

  const looks = createLooks(createLog('silent'), async (siteId) => {
    started.push(siteId);
    running += 1;
    most.running = Math.max(most.running, running);
    await lease(siteId).finally(() => (running -= 1));
  });
  const read = async ({ without, limit }: { without: readonly string[]; limit: number }) => {
    most.asked = Math.max(most.asked, limit);
    return due.filter((siteId) => !without.includes(siteId)).slice(0, limit);
  };
  return { due, started, release, most, looks, read };
}

const NEVER = new AbortController().signal;

it('a pass polls all sites, the longest overdue first, a bounded number at a time', async () => {
  const { due, started, most, looks, read } = openSites();
  await lookAtDueSites(looks, { read, hasRoom: () => true }, NEVER);
  await looks.ended();
  expect(due).toEqual([]);
  expect(started).toHaveLength(COUNT);
  expect(started).toEqual(started.toSorted());
  expect(most).toEqual({ running: SITES_AT_ONCE, asked: SITES_AT_ONCE });
});

it('a pass leaves failing sites to the next one, and polls the others', async () => {
  const failing = SITES_AT_ONCE + 10;
  const { due, started, looks, read } = openSites({ failing });
  await lookAtDueSites(looks, { read, hasRoom: () => true }, NEVER);
  await looks.ended();
  expect(due).toHaveLength(failing);
  expect(started).toHaveLength(COUNT);
});

it('a pass continues beside polls that hang while a slot is left', async () => {
  const hanging = SITES_AT_ONCE - 1;
  // Those that are left take their turns in the one slot, each with its pause.
  const { due, release, looks, read } = openSites({ hanging, count: hanging + 6 });
  await lookAtDueSites(looks, { read, hasRoom: () => true }, NEVER);
  await expect.poll(() => due.length).toBe(hanging);
  expect(looks.underWay()).toHaveLength(hanging);
  release();
  await looks.ended();
  expect(due).toEqual([]);
});

it('a pass polls only the first sites where there is no room', async () => {
  const { started, looks, read } = openSites();
  await lookAtDueSites(looks, { read, hasRoom: () => false }, NEVER);
  await looks.ended();
  expect(started).toHaveLength(SITES_AT_ONCE);
});

it('a pass stops when it is told to', async () => {
  const { started, looks, read } = openSites();
  const stopping = new AbortController();
  const hasRoom = () => {
    stopping.abort();
    return true;
  };
  await lookAtDueSites(looks, { read, hasRoom }, stopping.signal);
  await looks.ended();
  expect(started).toHaveLength(SITES_AT_ONCE);
});

it('a site that is announced while it is polled is polled again', async () => {
  const { started, release, looks } = openSites({ hanging: 1 });
  const first = looks.look('site-000');
  void looks.look('site-000');
  void looks.look('site-000');
  release();
  expect(await first).toBe(true);
  await looks.ended();
  expect(started).toEqual(['site-000', 'site-000']);
});
