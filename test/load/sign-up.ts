import { signUp, updateAccount } from '#contract/accounts.ts';
import { check } from '#contract/checkers.ts';
import { callRoute } from '#contract/client.ts';
import { createOrganization } from '#contract/organizations.ts';
import { createSite } from '#contract/sites.ts';
import { submitSurvey } from '#contract/survey.ts';
import { newId } from '#server/platform/ids.ts';

export interface SignedUp {
  organization: string;
  headers: { authorization: string };
}

/**
 * The whole sign-up, in the order of `setup.logic.ts` in the owner app (spec section 4): the account, both names looked up
 * while they are typed, the survey, the organization, its owner and the first site with its host.
 * @param base where the product listens
 */
export async function signUpWholly(base: string): Promise<SignedUp> {
  const name = `new-${newId()}`;
  const account = await callRoute(
    signUp,
    {
      body: {
        username: name.slice(0, 30),
        email: `${name}@example.com`,
        password: 'correct horse battery',
      },
    },
    { base },
  );
  const headers = { authorization: `Bearer ${account.access_token}` };
  const asOwner = { base, headers };
  const params = { id: account.id };
  await callRoute(check, { query: { organization_name: name } }, asOwner);
  await callRoute(check, { query: { site_domain: name } }, asOwner);
  const data = { name, domain: name, integrations: ['Mailchimp'], contacts: 5000 as const };
  await callRoute(submitSurvey, { params, body: { version: 1, data } }, asOwner);
  const { id: organization } = await callRoute(createOrganization, { body: { name } }, asOwner);
  await callRoute(updateAccount, { params, body: { organization } }, asOwner);
  await callRoute(
    createSite,
    { params: { organization_id: organization }, body: { domain_name: name, name } },
    asOwner,
  );
  return { organization, headers };
}
