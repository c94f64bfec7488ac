import type { ActionRow } from '#server/delivery/actions/actions.ts';
import { capabilityOf } from '#server/tools/integrations/catalogue.ts';
import type { EventOrigin } from './inbound.ts';

type EventSource = Pick<EventOrigin, 'integrationId' | 'connector'>;

function actsIn(action: ActionRow, { integrationId }: EventSource): boolean {
  return action.enabled && action.integration_id === integrationId;
}

/**
 * Does membership here mirror membership there? An action that removes new subscribers of one list from another list
 * of the tool says nothing about people leaving that one.
 */
function isMirror(action: ActionRow, { connector }: EventSource): boolean {
  const capability = capabilityOf(connector, action.type);
  if (!capability.can) return false;
  const isForward = action.operation === null || action.operation === capability.operations[0];
  if (action.event !== 'subscribed' && action.event !== 'unsubscribed') return false;
  const receives = action.event === 'subscribed';
  // Forward adds to a list, or suppresses.
  return action.type === 'list' ? isForward === receives : isForward !== receives;
}

/** Lists of the site mapped to a resource of the tool by its actions. */
export function listMappingsOf(
  actions: readonly ActionRow[],
  source: EventSource,
  resource: string,
): string[] {
  const tied = actions.filter(
    (action) =>
      actsIn(action, source) &&
      (action.type === 'list' || action.type === 'suppression_group') &&
      action.target['id'] === resource &&
      isMirror(action, source),
  );
  return [...new Set(tied.flatMap((action) => action.list_ids))];
}

/** Do actions write pauses to the tool? Then it may report them back as opt-outs. */
export function mirrorsPauses(actions: readonly ActionRow[], source: EventSource): boolean {
  return actions.some(
    (action) =>
      actsIn(action, source) &&
      action.type === 'global_unsubscribe' &&
      (action.event === 'global_unsubscribed' || action.event === 'unsubscribed'),
  );
}
