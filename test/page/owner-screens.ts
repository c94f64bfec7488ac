import { randomBytes } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { signUp, updateAccount } from '#contract/accounts.ts';
import { listCustomers } from '#contract/customers.ts';
import { listIntegrations } from '#contract/integrations.ts';
import { listLists } from '#contract/lists.ts';
import { createOrganization } from '#contract/organizations.ts';
import { listPreferencePages } from '#contract/preference-pages.ts';
import { createSite, listSites } from '#contract/sites.ts';
import { callsTo } from '#test/harness/product.ts';
import { type Demo, logInToDemo } from './demo.ts';

/** The screens of the owner app, each in the states that it can be in. */

type Session = Awaited<ReturnType<typeof logInToDemo>>;

export interface OwnerShot {
  name: string;
  path: string;
  state: 'ready' | 'empty' | 'loading' | 'failed';
  /** null: nobody is logged in. */
  session: Session | null;
}

/** Screens that are about what a site has; without anything of it they teach. */
const LISTINGS = [
  '/dashboard',
  '/integrations',
  '/lists',
  '/actions',
  '/preference-pages',
  '/customers',
  '/deliveries',
  '/evidence',
  '/imports',
] as const;

const SECTIONS = [
  'profile',
  'security',
  'appearance',
  'organization',
  'team',
  'api-keys',
  'audit-log',
  'data',
];

const OUTSIDE = ['/login', '/signup', '/reset-password', '/404'];

/** Everything below a site, but for the site itself, which the frame around the screens needs. */
const OF_A_SITE = /\/api\/core\/v1\/organizations\/[^/]+\/sites\/[^/?]+\/./;

const AWAY = {
  message: 'The service is busy for a moment; try again shortly.',
  data: null,
  meta: {
    errors: [{ code: 'unavailable', message: 'The service is busy for a moment; try again shortly.' }],
  },
};

/** An owner who has just answered the survey. */
async function signUpAnew({ url }: Demo): Promise<Session> {
  const { call } = callsTo(url);
  const username = `new-${randomBytes(3).toString('hex')}`;
  const body = { username, email: `${username}@example.com`, password: 'correct horse battery' };
  const account = await call(signUp, { body });
  const owner = { token: account.access_token };
  const organization = await call(createOrganization, { body: { name: `Bakery ${username}` } }, owner);
  const params = { id: account.id };
  await call(updateAccount, { params, body: { organization: organization.id } }, owner);
  const site = { domain_name: username, name: 'The Bakery' };
  await call(createSite, { params: { organization_id: organization.id }, body: site }, owner);
  return {
    id: account.id,
    organization: organization.id,
    token: account.access_token,
    refresh: account.refresh_token,
  };
}

/** Screens about one thing, of the demo's shop. */
async function singleScreens({ url }: Demo, session: Session): Promise<{ name: string; path: string }[]> {
  const { call } = callsTo(url);
  const owner = { token: session.token };
  const organization = { organization_id: session.organization };
  const { results: sites } = await call(listSites, { params: organization }, owner);
  const [shop] = sites;
  if (shop === undefined) throw new Error('The demo world has no shop');
  const params = { ...organization, site_id: shop.id };
  const first = (all: { results: { id: string }[] }) => all.results[0]?.id ?? '';
  const customer = first(await call(listCustomers, { params, query: { limit: 1 } }, owner));
  const integration = first(await call(listIntegrations, { params }, owner));
  const list = first(await call(listLists, { params }, owner));
  const page = first(await call(listPreferencePages, { params }, owner));
  return [
    { name: 'a customer', path: `/customers/${customer}` },
    { name: 'an integration', path: `/integrations/${integration}` },
    { name: 'a list', path: `/create-list/${list}` },
    { name: 'a page', path: `/edit-preference-page/${shop.id}/${page}` },
  ];
}

/** @param demo with the stand-ins of the tools */
export async function ownerShots(demo: Demo): Promise<OwnerShot[]> {
  const session = await logInToDemo(demo);
  const anew = await signUpAnew(demo);
  const [site] = (
    await callsTo(demo.url).call(
      listSites,
      { params: { organization_id: session.organization } },
      { token: session.token },
    )
  ).results;
  const ready = [
    ...LISTINGS.map((path) => ({ name: path, path })),
    ...SECTIONS.map((one) => ({
      name: `/account-settings ${one}`,
      path: `/account-settings?section=${one}`,
    })),
    { name: '/site-settings', path: '/site-settings' },
    { name: 'a new list', path: '/create-list/new' },
    { name: 'a new page', path: `/create-preference-page/${site?.id ?? ''}` },
    { name: 'a new action', path: '/actions?edit=new' },
    { name: 'a new import', path: '/imports/new' },
    ...(await singleScreens(demo, session)),
  ];
  return [
    ...OUTSIDE.map((path) => ({ name: path, path, state: 'ready' as const, session: null })),
    ...ready.map((screen) => ({ ...screen, state: 'ready' as const, session })),
    ...LISTINGS.map((path) => ({ name: path, path, state: 'empty' as const, session: anew })),
    ...(['loading', 'failed'] as const).flatMap((state) =>
      LISTINGS.map((path) => ({ name: path, path, state, session })),
    ),
  ];
}

/** Brings a window there. */
export async function showOwnerShot(page: Page, { url }: Demo, shot: OwnerShot): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(`${url}/login`);
  await page.evaluate(
    (entry) => (entry === null ? localStorage.clear() : localStorage.setItem('auth', entry)),
    shot.session === null ? null : JSON.stringify(shot.session),
  );
  if (shot.state === 'loading') await page.route(OF_A_SITE, () => {});
  if (shot.state === 'failed') await page.route(OF_A_SITE, refuse);
  await page.goto(`${url}${shot.path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (shot.state === 'failed') await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  // What waits for an answer never comes to rest.
  else if (shot.state === 'loading') await page.waitForTimeout(500);
  else await page.waitForLoadState('networkidle');
}

const refuse = (route: Route) => route.fulfill({ status: 503, json: AWAY });
