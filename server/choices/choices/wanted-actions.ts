import type { WaitingAction } from '#server/delivery/actions/actions.ts';
import { OPT_OUTS } from '#server/delivery/actions/stops-in-tools.ts';
import type { ChoiceContext } from './choices.ts';

/** The actions that a choice may run: not those of the tool that it comes from, and maybe only those about opt-outs. */
export function wantedActions(
  actions: readonly WaitingAction[],
  { toldBy, sendsOnlyOptOuts }: Pick<ChoiceContext, 'toldBy' | 'sendsOnlyOptOuts'>,
): WaitingAction[] {
  return actions.filter(
    ({ event, integration_id: integrationId }) =>
      (toldBy === undefined || integrationId !== toldBy.integrationId) &&
      (sendsOnlyOptOuts !== true || OPT_OUTS.includes(event)),
  );
}
