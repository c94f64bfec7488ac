import type { WaitingAction } from '#server/delivery/actions/actions.ts';
import { hasToldSince } from '#server/delivery/deliveries/deliveries.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { ChoiceContext } from './choices.ts';
import { wantedActions } from './wanted-actions.ts';

/** A tool that we wrote to since may have overwritten what it reported, so it gets the choice, too. */
export async function actionsToNotify(
  site: SiteDb,
  customerId: string,
  actions: readonly WaitingAction[],
  { toldBy, ...context }: Pick<ChoiceContext, 'toldBy' | 'sendsOnlyOptOuts'>,
): Promise<readonly WaitingAction[]> {
  const all = wantedActions(actions, context);
  if (toldBy === undefined) return all;
  const others = wantedActions(all, { toldBy });
  if (others.length === all.length) return all;
  return (await hasToldSince(site, customerId, toldBy)) ? all : others;
}
