import { randomBytes } from 'node:crypto';
import { logIn, signUp, updateAccount } from '#contract/accounts.ts';
import { createAction } from '#contract/actions.ts';
import { createCustomer, type Customer, mintLinks } from '#contract/customers.ts';
import { emailKey } from '#contract/email-key.ts';
import { createList, type List } from '#contract/lists.ts';
import { createOrganization } from '#contract/organizations.ts';
import { createPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { openCustomer } from '#contract/public-preferences.ts';
import { createSite, type Site } from '#contract/sites.ts';
import { deviceCookie } from '#server/accounts/sessions/known-devices.ts';
import { type ChoiceContext, NO_VISIT } from '#server/choices/choices/choices.ts';
import type { Caller, Calls, TestProduct } from './product.ts';

export const PASSWORD = 'correct horse battery';

export interface Owner extends Caller {
  token: string;
  id: string;
  username: string;
  email: string;
  refreshToken: string;
}

/** An account that has not answered the survey yet. */
export async function buildOwner(product: Calls, name = 'nora'): Promise<Owner> {
  const username = `${name}-${randomBytes(4).toString('hex')}`;
  const email = `${username}@example.com`;
  const account = await product.call(signUp, { body: { username, email, password: PASSWORD } });
  return {
    id: account.id,
    username,
    email,
    token: account.access_token,
    refreshToken: account.refresh_token,
  };
}

/** How a test says that somebody chose with a personal link. */
export const ON_THE_PAGE: ChoiceContext = { source: 'page', authority: 'link', saveId: null, ...NO_VISIT };

/** A browser in which this owner has logged in before: no mail tells of it. */
export function knownBrowser({ services }: TestProduct, { id }: { id: string }): { cookie: string } {
  const [cookie = ''] = deviceCookie(services, null, id).split(';');
  return { cookie };
}

/** A clock that was moved outlives the token, and many log-ins are too many. */
export async function logInAgain(product: TestProduct, owner: Owner): Promise<void> {
  await product.testDatabase.owner.query('delete from rate_limits');
  const body = { username: owner.email, password: PASSWORD };
  const tokens = await product.call(logIn, { body }, knownBrowser(product, owner));
  owner.token = tokens.access_token;
  owner.refreshToken = tokens.refresh_token;
}

export interface World {
  owner: Owner;
  /** Path parameters of everything of the site. */
  params: { organization_id: string; site_id: string };
  site: Site;
  /** How visitors of the site call. */
  visitor: Caller;
  weekly: List;
  offers: List;
  page: PreferencePage;
}

/** An organization with one site, two lists and one page that lets new people in. */
export async function buildWorld(product: Calls, name = 'acme'): Promise<World> {
  const owner = await buildOwner(product);
  const label = `${name}-${randomBytes(4).toString('hex')}`;
  const organization = await product.call(createOrganization, { body: { name: label } }, owner);
  await product.call(
    updateAccount,
    { params: { id: owner.id }, body: { organization: organization.id } },
    owner,
  );
  return buildSite(product, owner, organization.id, label);
}

/** Another site of an owner, with the same two lists and page: a fresh world without a new account. */
export async function buildSite(
  product: Calls,
  owner: Owner,
  organizationId: string,
  label = `site-${randomBytes(4).toString('hex')}`,
): Promise<World> {
  const site = await product.call(
    createSite,
    { params: { organization_id: organizationId }, body: { domain_name: label, name: label } },
    owner,
  );
  const params = { organization_id: organizationId, site_id: site.id };
  const weekly = await product.call(
    createList,
    { params, body: { name: 'Weekly news', description: 'Every Monday', subscription_default_state: true } },
    owner,
  );
  const offers = await product.call(createList, { params, body: { name: 'Offers' } }, owner);
  const page = await product.call(
    createPreferencePage,
    {
      params,
      body: {
        name: 'Acme',
        custom_path: 'preferences',
        allow_customer_create: true,
        lists: [{ id: weekly.id }, { id: offers.id }],
      },
    },
    owner,
  );
  return { owner, params, site, visitor: { host: site.domain_name }, weekly, offers, page };
}

/** The mailbox has agreed to get the site's evidence. */
export async function agreeToRecords(product: TestProduct, { params }: World, email: string): Promise<void> {
  await product.testDatabase.owner.query('update sites set record_mailboxes = $2 where id = $1', [
    params.site_id,
    JSON.stringify({ [emailKey(email)]: true }),
  ]);
}

export async function buildCustomer(product: Calls, world: World, email?: string): Promise<Customer> {
  const address = email ?? `vera-${randomBytes(4).toString('hex')}@example.com`;
  return product.call(createCustomer, { params: world.params, body: { email: address } }, world.owner);
}

/** The sealed id with which a customer who opened a personal link acts. */
export async function openAsProven(product: Calls, world: World, customer: Customer): Promise<string> {
  const links = await product.call(
    mintLinks,
    { params: { ...world.params, id: customer.id }, body: {} },
    world.owner,
  );
  const opened = await product.call(
    openCustomer,
    { body: { challenge: links.challenge, custom_path: world.page.custom_path } },
    world.visitor,
  );
  return opened.id;
}

/** A webhook action for one event; gives its id and its secret. */
export async function buildWebhook(
  product: Calls,
  world: World,
  input: { url: string; event?: 'subscribed' | 'unsubscribed' | 'global_unsubscribed'; list_ids?: string[] },
): Promise<{ id: string; secret: string }> {
  const action = await product.call(
    createAction,
    {
      params: world.params,
      body: {
        type: 'webhook',
        name: 'Tell the shop',
        trigger: { event: input.event ?? 'unsubscribed', list_ids: input.list_ids ?? [] },
        target: { url: input.url },
      },
    },
    world.owner,
  );
  return { id: action.id, secret: action.signing_secret ?? '' };
}
