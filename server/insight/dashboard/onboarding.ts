import type { ChoiceSource } from '#contract/choices.ts';
import type { Onboarding } from '#contract/dashboard.ts';
import { emailKey } from '#contract/email-key.ts';
import { accountOf } from '#server/accounts/users/find-account.ts';
import { findCustomerByEmail } from '#server/audience/customers/customers.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { type ActionRow, allActions } from '#server/delivery/actions/actions.ts';
import { listPages } from '#server/pages/preference-pages/preference-pages.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { allIntegrations, type IntegrationRow } from '#server/tools/integrations/integrations.ts';
import { hasChoiceFrom, newestSources } from './dashboard.sql.ts';

/** The sources of customers' own choices. */
const BY_CUSTOMERS: readonly ChoiceSource[] = [
  'page',
  'state_link',
  'leave_link',
  'confirm_link',
  'one_click',
];

/** How many choices back "recently" reaches. */
const NEWEST = 25;

/**
 * What a site has of what the first steps create.
 * @param userId whose own visit to a page counts, by the email of the account
 */
export async function readOnboarding(
  services: Services,
  siteId: string,
  userId: string,
): Promise<Onboarding> {
  const [pages, account] = await Promise.all([
    listPages(services, siteId),
    accountOf(services.database.global, userId),
  ]);
  const [first] = pages;
  const counts = await services.database.readSite(siteId, async (site) => {
    const [lists, integrations, actions, newest, hasOwnChoice] = await Promise.all([
      allLists(site),
      allIntegrations(site),
      allActions(site),
      newestSources(site, NEWEST),
      account !== undefined && hasChosen(site, account.email),
    ]);
    return {
      lists: lists.length,
      integrations: integrations.length,
      actions: actions.length,
      to_set_up: toSetUp(integrations, actions),
      has_own_choice: hasOwnChoice,
      is_live: newest.some((source) => BY_CUSTOMERS.includes(source)),
    };
  });
  return {
    ...counts,
    pages: pages.length,
    first_page: first === undefined ? null : { id: first.id, url: first.url },
  };
}

function toSetUp(
  integrations: readonly IntegrationRow[],
  actions: readonly ActionRow[],
): Onboarding['to_set_up'] {
  const found = integrations.find(
    ({ id, status }) =>
      status === 'connected' && !actions.some(({ integration_id: integrationId }) => integrationId === id),
  );
  return found === undefined ? null : { id: found.id, name: found.name };
}

async function hasChosen(site: SiteDb, email: string): Promise<boolean> {
  const customer = await findCustomerByEmail(site, emailKey(email));
  return customer !== undefined && hasChoiceFrom(site, customer.id, BY_CUSTOMERS);
}
