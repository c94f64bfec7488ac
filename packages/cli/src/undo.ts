import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkChange } from '#contract/bulk-changes.ts';
import type { Sayso } from '../../sdk/src/index.ts';

const LOOK_EVERY_MS = 500;
const MOST_LOOKS = 60;

/** Whether an undo was started, which happens once. */
export function isUndone({ undo }: BulkChange): boolean {
  return undo !== null && !['checking', 'checked'].includes(undo.status);
}

/**
 * Has the undo worked out, and waits for it; changes no customers.
 * @returns after half a minute as it is then, with the status `checking`
 */
export async function previewedUndo(sayso: Sayso, id: string): Promise<BulkChange> {
  const known = await sayso.getBulkChange({ id });
  if (isUndone(known)) return known;
  let one = await sayso.previewUndo({ id });
  for (let look = 0; look < MOST_LOOKS && one.undo?.status === 'checking'; look += 1) {
    await sleep(LOOK_EVERY_MS);
    one = await sayso.getBulkChange({ id });
  }
  return one;
}

/** Where a person looks at a bulk change, and can undo it. */
export function bulkChangeUrl({ site }: Sayso, id: string): string {
  return `${site.server}/bulk-changes/${id}?site=${site.siteId}`;
}
