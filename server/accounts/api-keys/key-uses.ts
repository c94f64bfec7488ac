import { intervalTask } from '#server/platform/interval-worker.ts';
import type { Services } from '#server/platform/services.ts';
import { type KeyRow, recordKeyUse } from './api-keys.sql.ts';

/** How exactly the last use is kept: a busy key costs one write an hour. */
const COARSE_MS = 3_600_000;
const SAVE_EVERY_MS = 10 * 60_000;

interface Use {
  siteId: string;
  at: Date;
}

/** By key, until they are saved: a call that only reads writes nothing itself. */
const unsaved = new WeakMap<Services['database'], Map<string, Use>>();

function usesOf(database: Services['database']): Map<string, Use> {
  const uses = unsaved.get(database) ?? new Map<string, Use>();
  unsaved.set(database, uses);
  return uses;
}

export function noteKeyUse({ database, clock }: Services, key: KeyRow): void {
  const at = clock.now();
  if (key.last_used_at !== null && at.getTime() - key.last_used_at.getTime() < COARSE_MS) return;
  usesOf(database).set(key.id, { siteId: key.site_id, at });
}

/** Writes the uses that this process noted; one that can't be saved is tried again with the next. */
export async function saveKeyUses({ database }: Pick<Services, 'database'>): Promise<void> {
  const uses = usesOf(database);
  for (const [id, use] of uses) {
    await database.inSite(use.siteId, (site) => recordKeyUse(site, id, use.at));
    if (uses.get(id) === use) uses.delete(id);
  }
}

export const KEY_USES = intervalTask({
  name: 'api-key-uses',
  everyMs: SAVE_EVERY_MS,
  run: async (services) => saveKeyUses(services),
});
