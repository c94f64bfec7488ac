import { withoutAddresses } from '#contract/email-address.ts';
import type { BulkChange } from '#contract/bulk-changes.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { currentActor } from '#server/accounts/audit-log/current-actor.ts';
import { advisoryLock } from '#server/platform/database.ts';
import { AppError, invalidField } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { presentOne, requireBulkChange } from './bulk-changes.ts';
import { insertUndo, lockUndo, type UndoRow } from './bulk-changes.sql.ts';
import { enqueueFor, NO_COUNTS, step } from './undo-steps.ts';

/** @throws AppError `conflict` once the undo was started */
function refuseStarted({ status }: UndoRow): void {
  if (status === 'finished') throw new AppError('conflict', 'This bulk change was already undone.');
  if (status === 'applying' || status === 'deleting') {
    throw new AppError('conflict', 'This bulk change is already being undone.');
  }
}

/**
 * Starts to work out what an undo would do; changes no customers.
 * @throws AppError `not_found`, `conflict`
 */
export async function previewUndo(services: Services, siteId: string, id: string): Promise<BulkChange> {
  const now = services.clock.now();
  const one = await services.database.inSite(siteId, async (site) => {
    await advisoryLock(site, `bulk-undo:${siteId}:${id}`);
    const { found, undo: known } = await requireBulkChange(site, id, now);
    if (found.isRunning) {
      throw new AppError(
        'conflict',
        found.about.kind === 'import'
          ? 'This import is still being applied. Cancel it, or wait until it has finished.'
          : 'This bulk change may still be going on. Try again 10 minutes after its last change.',
      );
    }
    const fresh = {
      status: 'checking',
      counts: JSON.stringify(NO_COUNTS),
      told: '{}',
      cursor: null,
    } as const;
    if (known === null) {
      const undo = await insertUndo(site, {
        ...fresh,
        id,
        about: JSON.stringify(found.about),
        round: 0,
        started_by: null,
        created_at: now,
        updated_at: now,
        started_at: null,
        ended_at: null,
      });
      await enqueueFor(services, site, undo);
      return { found, undo };
    }
    const undo = (await lockUndo(site, id)) ?? known;
    refuseStarted(undo);
    // Somebody else's preview is under way and will answer both.
    return { found, undo: undo.status === 'checking' ? undo : await step(services, site, undo, fresh) };
  });
  return presentOne(services, siteId, one);
}

/** @throws AppError `invalid_field` unless the number of people who lose something was named */
function refuseUnconfirmed({ counts }: UndoRow, unsubscribes: number): void {
  if (counts.unsubscribes === unsubscribes) return;
  throw invalidField(
    'unsubscribes',
    `unsubscribes: to confirm, send how many customers no longer receive something. In the preview, that is ${counts.unsubscribes}.`,
  );
}

/**
 * Starts an undo whose preview is there.
 * @param unsubscribes the confirmed number of people who lose something
 * @throws AppError `not_found`, `conflict`, `invalid_field`
 */
export async function startUndo(
  services: Services,
  siteId: string,
  id: string,
  unsubscribes: number,
): Promise<BulkChange> {
  const now = services.clock.now();
  const one = await services.database.inSite(siteId, async (site) => {
    const { found } = await requireBulkChange(site, id, now);
    const undo = await lockUndo(site, id);
    if (undo === undefined) throw new AppError('conflict', 'Preview the undo first, then start it.');
    refuseStarted(undo);
    if (undo.status === 'checking') {
      throw new AppError(
        'conflict',
        "The preview isn't ready yet. Start the undo once its status is checked.",
      );
    }
    refuseUnconfirmed(undo, unsubscribes);
    const started = await step(services, site, undo, {
      status: 'applying',
      cursor: null,
      started_by: currentActor(),
      started_at: now,
    });
    const name = found.about.name === null ? {} : { name: withoutAddresses(found.about.name) };
    await recordChange(services, site, 'bulk_change.undone', { id, ...name, count: undo.counts.customers });
    return { found, undo: started };
  });
  return presentOne(services, siteId, one);
}
