import { requireCustomer } from '#server/audience/customers/customers.ts';
import { choiceWithPrevious, sourceOfChoice } from '#server/audience/evidence/evidence.ts';
import type { PreferenceChange } from '#server/audience/evidence/transitions.ts';
import { type ChoiceContext, choiceRulesOf, saveChoice } from '#server/choices/choices/choices.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import type { RestoreLink } from '#server/visit/customer-mails/mailed-links.ts';

/** `done`: restored already; `changed`: something else was chosen since. */
type RestoreState = 'possible' | 'done' | 'changed';

export interface Restorable {
  state: RestoreState;
  email: string;
  /** The list that was left; null: everything. */
  listId: string | null;
}

type Choices = Awaited<ReturnType<typeof choiceWithPrevious>>;

const isAboutAll = ({ events }: Choices[number]) => events.includes('global_unsubscribed');

/** What there was before the choice, as its evidence says. */
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
      // Leaving everything lies over the subscriptions and leaves them as they are.
      lists: isAboutAll(left)
        ? []
        : left.lists.flatMap(({ list_id, previous: was }) =>
            was !== null && listIds.includes(list_id) ? [{ list_id, subscribed: was }] : [],
          ),
    },
  };
}

/** What a link of a mail would restore, and whether it still may. @throws AppError `not_found` */
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

/** Restores exactly what there was, on a person's click, unless something else was chosen since. */
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
