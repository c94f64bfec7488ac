import { requireCustomer } from '#server/audience/customers/customers.ts';
import { choiceWithPrevious, sourceOfChoice } from '#server/audience/evidence/evidence.ts';
import type { PreferenceChange } from '#server/audience/evidence/transitions.ts';
import { type ChoiceContext, choiceRulesOf, saveChoice } from '#server/choices/choices/choices.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import type { RestoreLink } from '#server/visit/customer-mails/mailed-links.ts';

/** `done`: already restored; `changed`: there was a later choice. */
type RestoreState = 'possible' | 'done' | 'changed';

export interface Restorable {
  state: RestoreState;
  email: string;
  /** The list that was unsubscribed from; null: everything. */
  listId: string | null;
}

type Choices = Awaited<ReturnType<typeof choiceWithPrevious>>;

const isAboutAll = ({ events }: Choices[number]) => events.includes('global_unsubscribed');

/** The state before the choice, according to its evidence. */
function choiceChangeOf(
  choices: Choices,
  listIds: readonly string[],
): Extract<PreferenceChange, { restore: unknown }> {
  const [previous, left] = choices;
  if (previous === undefined || left === undefined) throw notFound('This link');
  return {
    restore: {
      globalUnsubscribe: previous.global_unsubscribe,
      pausedUntil: previous.paused_until,
      // A global opt-out overrides the subscriptions without changing them.
      lists: isAboutAll(left)
        ? []
        : left.lists.flatMap(({ list_id, previous: was }) =>
            was !== null && listIds.includes(list_id) ? [{ list_id, subscribed: was }] : [],
          ),
    },
  };
}

/** What a mailed link would restore, and whether it still can. @throws AppError `not_found` */
export async function restorableOf(
  services: Services,
  siteId: string,
  { customerId, sequence }: RestoreLink,
): Promise<Restorable> {
  return services.database.readSite(siteId, async (site) => {
    const customer = await requireCustomer(site, customerId);
    const [, left] = await choiceWithPrevious(site, customerId, sequence);
    if (left === undefined) throw notFound('This link');
    const listId = isAboutAll(left) ? null : (left.lists[0]?.list_id ?? null);
    const email = customer.email ?? '';
    if (customer.sequence === sequence) return { state: 'possible', email, listId };
    const isRestored =
      customer.sequence === sequence + 1 && (await sourceOfChoice(site, customerId, sequence + 1)) === 'undo';
    return { state: isRestored ? 'done' : 'changed', email, listId };
  });
}

/** Restores exactly the former state, unless there was a later choice. */
export async function restoreSubscriptions(
  services: Services,
  siteId: string,
  link: RestoreLink,
  context: ChoiceContext,
): Promise<Restorable> {
  const { customerId, sequence } = link;
  const { lists } = await choiceRulesOf(services, siteId);
  const choices = await services.database.readSite(siteId, (site) =>
    choiceWithPrevious(site, customerId, sequence),
  );
  const listIds = lists.map(({ id }) => id);
  await saveChoice(services, siteId, customerId, choiceChangeOf(choices, listIds), context, { sequence });
  return restorableOf(services, siteId, link);
}
