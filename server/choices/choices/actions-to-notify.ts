import type { WaitingAction } from '#server/delivery/actions/actions.ts';
import { hasToldSince } from '#server/delivery/deliveries/deliveries.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { ChoiceContext } from './choices.ts';

/** A tool that we wrote to since may have overwritten what it reported, so it gets the choice, too. */
export async function actionsToNotify(
  site: SiteDb,
  customerId: string,
  actions: readonly WaitingAction[],
  toldBy: ChoiceContext['toldBy'],
): Promise<readonly WaitingAction[]> {
  if (toldBy === undefined) return actions;
  const others = actions.filter((action) => action.integration_id !== toldBy.integrationId);
  if (others.length === actions.length) return actions;
  return (await hasToldSince(site, customerId, toldBy)) ? actions : others;
}
