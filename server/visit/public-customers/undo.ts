import { sourceOfChoice } from '#server/audience/evidence/evidence.ts';
import { deleteReason } from '#server/audience/evidence/reasons.ts';
import { type ChoiceResult, type ChoiceContext, saveChoice } from '#server/choices/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import type { UndoToken } from './undo-tokens.ts';

/**
 * Takes back the choice of a receipt: everything is again as the person saw it before. Doing it twice does it once.
 * @throws AppError `conflict` when something else was chosen since
 */
export async function undoChoice(
  services: Services,
  siteId: string,
  undoToken: UndoToken,
  context: Omit<ChoiceContext, 'source'>,
): Promise<ChoiceResult> {
  const { customerId, choiceId, sequence, before } = undoToken;
  const result = await saveChoice(
    services,
    siteId,
    customerId,
    { restore: before },
    { ...context, source: 'undo' },
    { sequence },
    async (site) => [deleteReason(site, choiceId)],
  );
  if (result.refused !== null && !(await isUndone(services, siteId, undoToken, result))) {
    throw new AppError('conflict', 'Something else was chosen since, so this cannot be taken back any more.');
  }
  // The state may be the same again without an undo; the reason goes all the same.
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
