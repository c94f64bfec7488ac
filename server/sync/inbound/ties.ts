import type { ActionRow } from '#server/delivery/actions/actions.ts';
import { capabilityOf } from '#server/tools/integrations/catalogue.ts';
import type { Told } from './inbound.ts';

type Teller = Pick<Told, 'integrationId' | 'connector'>;

function actsIn(action: ActionRow, { integrationId }: Teller): boolean {
  return action.enabled && action.integration_id === integrationId;
}

/**
 * Does being on the list here mean being in it there? A rule that takes new subscribers of one list out of another one
 * of the tool says nothing about who leaves that.
 */
function isMirror(action: ActionRow, { connector }: Teller): boolean {
  const capability = capabilityOf(connector, action.type);
  if (!capability.can) return false;
  const isForward = action.operation === null || action.operation === capability.operations[0];
  if (action.event !== 'subscribed' && action.event !== 'unsubscribed') return false;
  const receives = action.event === 'subscribed';
  // Forward puts into a list, and holds back by a suppression group.
  return action.type === 'list' ? isForward === receives : isForward !== receives;
}

/** The lists of the site that its actions tie to something in the tool. */
export function listsTiedTo(actions: readonly ActionRow[], teller: Teller, resource: string): string[] {
  const tied = actions.filter(
    (action) =>
      actsIn(action, teller) &&
      (action.type === 'list' || action.type === 'suppression_group') &&
      action.target['id'] === resource &&
      isMirror(action, teller),
  );
  return [...new Set(tied.flatMap((action) => action.list_ids))];
}

/** Does the tool hear from here when somebody pauses? Then it may tell that back as an opt-out. */
export function tellsOfPauses(actions: readonly ActionRow[], teller: Teller): boolean {
  return actions.some(
    (action) =>
      actsIn(action, teller) &&
      action.type === 'global_unsubscribe' &&
      (action.event === 'global_unsubscribed' || action.event === 'unsubscribed'),
  );
}
