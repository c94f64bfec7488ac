import { sourceOfChoice } from '#server/audience/evidence/evidence.ts';
import { deleteReason } from '#server/audience/evidence/reasons.ts';
import {
  type ChoiceResult,
  type ChoiceContext,
  type Precondition,
  saveChoice,
} from '#server/choices/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import type { UndoToken } from './undo-tokens.ts';

/**
 * Undoes the choice of an undo token: restores what the person saw before it. Idempotent.
 * @throws AppError `conflict` after a later choice
 */
export async function undoChoice(
  services: Services,
  siteId: string,
  undoToken: UndoToken,
  context: Omit<ChoiceContext, 'source'>,
  precondition: Precondition = {},
): Promise<ChoiceResult> {
  const { customerId, choiceId, sequence, before } = undoToken;
  const result = await saveChoice(
    services,
    siteId,
    customerId,
    { restore: before },
    { ...context, source: 'undo' },
    { ...precondition, sequence },
    async (site) => [deleteReason(site, choiceId)],
  );
  if (result.refused === 'lowersOnly') return result;
  if (result.refused !== null && !(await isUndone(services, siteId, undoToken, result))) {
    throw new AppError('conflict', "The preferences have changed since, so this can't be undone anymore.");
  }
  // The state may already be the former one; the reason is deleted all the same.
  if (result.choiceId === null) {
    await services.database.inSite(siteId, (site) => site.commitWith([deleteReason(site, choiceId)]));
  }
  return result;
}

async function isUndone(
  services: Services,
  siteId: string,
  { customerId, sequence }: UndoToken,
  now: ChoiceResult,
): Promise<boolean> {
  if (now.sequence !== sequence + 1) return false;
  const source = await services.database.readSite(siteId, (site) =>
    sourceOfChoice(site, customerId, now.sequence),
  );
  return source === 'undo';
}
