import { randomBytes } from 'node:crypto';
import { signUp, updateAccount } from '#contract/accounts.ts';
import { createAction, listActions } from '#contract/actions.ts';
import { answerComplaint, listComplaints } from '#contract/complaints.ts';
import { createCustomer, listCustomers, mintLinks, setCustomerLists } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { listIntegrations } from '#contract/integrations.ts';
import { createList, type List, listLists, LEGAL_BASES } from '#contract/lists.ts';
import { acceptInvitation, inviteMember } from '#contract/members.ts';
import { createOrganization } from '#contract/organizations.ts';
import { createPreferencePage, listPreferencePages } from '#contract/preference-pages.ts';
import { complain, openCustomer } from '#contract/public-preferences.ts';
import { createSite, listSites, updateSite } from '#contract/sites.ts';
import { DEMO_PASSWORD } from '#db/demo/demo.ts';
import { type Caller, callsTo } from '#test/harness/product.ts';
import { checkAFile, type Demo, logInToDemo } from './demo.ts';

/** Who looks at the owner app; each is another world. */
export const PEOPLE = ['nobody', 'shop', 'beginner', 'newcomer', 'viewer', 'crowded', 'tester'] as const;
export type Who = (typeof PEOPLE)[number];

/** What the pictures are of, beside the screens that every site has. */
export interface OwnerWorld {
  /** By username; their password is the demo's. */
  names: Record<Exclude<Who, 'nobody'>, string>;
  /** In an invitation that waits. */
  invitation: string;
  shop: Things & { import: string; toolAction: string; webhook: string; delivery: string };
  crowded: Things & { complaint: string };
  tester: Pick<Things, 'customer'> & { delivery: string };
}

/** One of each that a site has. */
interface Things {
  site: string;
  customer: string;
  email: string;
  integration: string;
  list: string;
  page: string;
}

interface Person {
  username: string;
  email: string;
  /** How calls are made as them. */
  owner: Caller;
  id: string;
}

/** Brings everybody into the demo, and what the pictures need beyond it. */
export async function buildOwnerWorld(demo: Demo): Promise<OwnerWorld> {
  const session = await logInToDemo(demo);
  const owner = { token: session.token };
  const { params, things } = await thingsOf(demo, session.organization, owner);
  const { call } = callsTo(demo.url);
  const actions = (await call(listActions, { params }, owner)).results;
  const deliveries = await call(listDeliveries, { params, query: { limit: 1 } }, owner);
  const viewer = await signUpAs(demo, 'viewer');
  await call(
    acceptInvitation,
    { body: { token: await invite(demo, params, owner, viewer.email) } },
    viewer.owner,
  );
  const beginner = await beginAnew(demo);
  const crowded = await buildCrowded(demo);
  const tester = await buildTester(demo);
  const newcomer = await signUpAs(demo, 'newcomer');
  return {
    names: {
      shop: 'acme',
      beginner: beginner.username,
      newcomer: newcomer.username,
      viewer: viewer.username,
      crowded: crowded.username,
      tester: tester.username,
    },
    invitation: await invite(demo, params, owner, 'ines.duarte@example.com'),
    shop: {
      ...things,
      import: await checkAFile(demo.url, params, owner),
      toolAction: actions.find((one) => one.integration_id !== null)?.id ?? '',
      webhook: actions.find((one) => one.type === 'webhook')?.name ?? '',
      delivery: deliveries.results[0]?.id ?? '',
    },
    crowded: crowded.things,
    tester: tester.things,
  };
}

/** Of the oldest site of an organization. */
async function thingsOf({ url }: Demo, organization: string, owner: Caller) {
  const { call } = callsTo(url);
  const { results: sites } = await call(listSites, { params: { organization_id: organization } }, owner);
  const site = sites[0]?.id ?? '';
  const params = { organization_id: organization, site_id: site };
  const [customer] = (await call(listCustomers, { params, query: { limit: 1 } }, owner)).results;
  const [integration] = (await call(listIntegrations, { params }, owner)).results;
  const [list] = (await call(listLists, { params }, owner)).results;
  const [page] = (await call(listPreferencePages, { params }, owner)).results;
  const things: Things = {
    site,
    customer: customer?.id ?? '',
    email: customer?.email ?? '',
    integration: integration?.id ?? '',
    list: list?.id ?? '',
    page: page?.id ?? '',
  };
  return { params, things };
}

async function signUpAs({ url }: Demo, name: string): Promise<Person> {
  const username = `${name}-${randomBytes(3).toString('hex')}`;
  const email = `${username}@example.com`;
  const body = { username, email, password: DEMO_PASSWORD };
  const account = await callsTo(url).call(signUp, { body });
  return { username, email, id: account.id, owner: { token: account.access_token } };
}

/** The token in the mail that an invitation sent. */
async function invite(
  { url }: Demo,
  params: { organization_id: string; site_id: string },
  owner: Caller,
  email: string,
): Promise<string> {
  await callsTo(url).call(inviteMember, { params, body: { email, role: 'viewer' } }, owner);
  const outbox = await (await fetch(`${url}/dev/outbox`)).text();
  const [, path] = /href="(\/dev\/outbox\/[^"]+)"/.exec(outbox) ?? [];
  const mail = await (await fetch(`${url}${path}`)).text();
  const [, token] = /accept-invitation\?token=([\w-]+)/.exec(mail) ?? [];
  if (token === undefined) throw new Error(`${email} has got no invitation`);
  return token;
}

/** An owner who has just answered the survey. */
async function beginAnew(
  demo: Demo,
  name = 'The Bakery',
): Promise<Person & { organization: string; site: string }> {
  const { call } = callsTo(demo.url);
  const person = await signUpAs(demo, 'new');
  const { owner, id } = person;
  const organization = await call(
    createOrganization,
    { body: { name: `${name} ${person.username}` } },
    owner,
  );
  await call(updateAccount, { params: { id }, body: { organization: organization.id } }, owner);
  const params = { organization_id: organization.id };
  const site = await call(createSite, { params, body: { domain_name: person.username, name } }, owner);
  return { ...person, organization: organization.id, site: site.id };
}

/** An owner of a site in test mode, with what a test customer and a real one left behind. */
async function buildTester(demo: Demo): Promise<Person & { things: OwnerWorld['tester'] }> {
  const { call } = callsTo(demo.url);
  const person = await beginAnew(demo, 'The Florist');
  const { owner } = person;
  const params = { organization_id: person.organization, site_id: person.site };
  const list = await call(createList, { params, body: { name: 'Weekly news' } }, owner);
  const trigger = { event: 'unsubscribed' as const, list_ids: [] };
  const target = { url: 'https://shop.example/hooks' };
  await call(
    createAction,
    { params, body: { type: 'webhook', name: 'Tell the shop', trigger, target } },
    owner,
  );
  await call(
    updateSite,
    {
      params,
      body: {
        test_mode: true,
        test_emails: ['qa@florist.example', '@test.florist.example'],
        evidence_anchor: 'proof@florist.example',
      },
    },
    owner,
  );
  const made = [];
  for (const email of ['vera.lind@example.com', 'qa@florist.example']) {
    const customer = await call(createCustomer, { params, body: { email } }, owner);
    for (const subscribed of [true, false]) {
      const body = [{ notification_list_id: list.id, subscribed }];
      await call(setCustomerLists, { params: { ...params, id: customer.id }, body }, owner);
    }
    made.push(customer.id);
  }
  const { results } = await call(listDeliveries, { params, query: { test: 'true' } }, owner);
  return { ...person, things: { customer: made[1] ?? '', delivery: results[0]?.id ?? '' } };
}

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const FULL_NAME = `${LONG} & Co.`;
const LONG_EMAIL =
  'a-very-long-local-part-of-an-address.with.dots@subdomain.of-a-long-company-name.example.com';

/** An owner with as much as there may be of everything, in names as long as they may be. */
async function buildCrowded(demo: Demo): Promise<Person & { things: OwnerWorld['crowded'] }> {
  const { call } = callsTo(demo.url);
  const person = await beginAnew(demo, FULL_NAME);
  const { owner } = person;
  const params = { organization_id: person.organization, site_id: person.site };
  const lists: List[] = [];
  for (let number = 1; number <= 50; number += 1) {
    lists.push(await call(createList, { params, body: longList(number) }, owner));
  }
  const custom_domain = 'preferences.the-letters-of-a-rather-long-company-name.example';
  await call(updateSite, { params, body: { custom_domain } }, owner);
  for (const custom_path of ['preferences', 'a-path-that-is-as-long-as-the-marketing-department-wished']) {
    const body = {
      name: FULL_NAME,
      custom_path,
      allow_customer_create: true,
      active_languages: LANGUAGES.filter((one) => one !== 'en'),
      override: { reason: 'Its lists have no translations.' },
      lists: lists.map(({ id }) => ({ id })),
    };
    await call(createPreferencePage, { params, body }, owner);
  }
  const customer = await call(createCustomer, { params, body: { email: LONG_EMAIL } }, owner);
  const choices = lists.map(({ id }, index) => ({
    notification_list_id: id,
    subscribed: index % 2 === 0,
  }));
  await call(setCustomerLists, { params: { ...params, id: customer.id }, body: choices }, owner);
  await call(createAction, { params, body: longWebhook(lists) }, owner);
  const { things } = await thingsOf(demo, person.organization, owner);
  const complaint = await complainAs(demo, owner, params, customer.id);
  return { ...person, things: { ...things, complaint } };
}

/** Two complaints of a customer, one of them answered; gives the open one. */
async function complainAs(
  { url }: Demo,
  owner: Caller,
  params: { organization_id: string; site_id: string },
  id: string,
): Promise<string> {
  const { call } = callsTo(url);
  const { organization_id } = params;
  const { results: sites } = await call(listSites, { params: { organization_id } }, owner);
  const visitor = { host: sites[0]?.domain_name ?? '' };
  const { challenge } = await call(mintLinks, { params: { ...params, id }, body: {} }, owner);
  const opened = await call(openCustomer, { body: { challenge, custom_path: 'preferences' } }, visitor);
  const typed = await call(
    openCustomer,
    { body: { email: LONG_EMAIL, custom_path: 'preferences' } },
    visitor,
  );
  const [first, second] = COMPLAINTS;
  // By someone who only typed the email, which its badge says.
  await call(complain, { params: { customerId: typed.id }, body: { text: first } }, visitor);
  await call(complain, { params: { customerId: opened.id }, body: { text: second } }, visitor);
  const { results } = await call(listComplaints, { params, query: { state: 'open' } }, owner);
  const [open, answered] = results.map((one) => one.id);
  const body = { outcome: 'partly_upheld' as const, answer: LONG_ANSWER };
  await call(answerComplaint, { params: { ...params, id: answered ?? '' }, body }, owner);
  return open ?? '';
}

const COMPLAINTS = [
  'I booked a workshop in May, and since then I have had emails from a repair shop that I have never heard of.\n\nI never agreed that you pass my email on. Tell me who else has it.',
  'You write to me about children’s clothes. How do you know that I have children?',
] as const;

const LONG_ANSWER =
  'We guessed it from your orders.\n\nYou are right that we should have asked first. We have deleted the guess and no longer make any.';

function longList(number: number) {
  const name = number % 10 === 1 ? `${LONG} ${number}` : `Letter number ${number}`;
  const description =
    number % 5 === 1 ? 'A description as long as it may be. '.repeat(7).trim() : 'Every Monday.';
  const translations = LANGUAGES.filter((one) => one !== 'en').map((language) => ({
    language,
    name,
    description,
  }));
  return {
    name,
    description,
    // A list that people confirm is off until they do.
    subscription_default_state: number % 2 === 0 && number % 3 !== 0,
    double_opt_in: number % 3 === 0,
    legal_basis: LEGAL_BASES[number % 5] ?? null,
    translations,
  };
}

const longWebhook = (lists: readonly List[]) => ({
  type: 'webhook' as const,
  name: `Tell ${LONG} all`,
  trigger: { event: 'unsubscribed' as const, list_ids: lists.slice(0, 12).map(({ id }) => id) },
  target: {
    url: `https://hooks.of-a-rather-long-company-name.example.com/${'a-long-part-of-a-path/'.repeat(6)}`,
  },
});
