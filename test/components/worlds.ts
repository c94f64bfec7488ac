import { getAccount, logIn, NO_ORGANIZATION, updateAccount } from '#contract/accounts.ts';
import { readAccountLink } from '#contract/account-links.ts';
import { type Action, getAction, listActions, TOOL_ACTIONS } from '#contract/actions.ts';
import { getAppSettings } from '#contract/app-settings.ts';
import { getBulkChange } from '#contract/bulk-changes.ts';
import { check, CHECKER_MESSAGES } from '#contract/checkers.ts';
import { getCustomer, listCustomers } from '#contract/customers.ts';
import { type Dashboard, getDashboard } from '#contract/dashboard.ts';
import { type Delivery, listDeliveries } from '#contract/deliveries.ts';
import { getEvidenceCheck } from '#contract/evidence-check.ts';
import { getImport } from '#contract/imports.ts';
import {
  type ConnectorInfo,
  getIntegration,
  listConnectors,
  listIntegrations,
} from '#contract/integrations.ts';
import { readInvitation } from '#contract/members.ts';
import {
  getPreferencePage,
  type ListedPreferencePage,
  listPreferencePages,
  type PreferencePage,
} from '#contract/preference-pages.ts';
import { listPendingChanges, PENDING_KINDS } from '#contract/pending-changes.ts';
import { getProposals } from '#contract/proposals.ts';
import { listToolLinks } from '#contract/tool-links.ts';
import { getOrganization } from '#contract/organizations.ts';
import { listSitesV1_1, type Site } from '#contract/sites.ts';
import { PROPOSED } from '#test/page/owner-proposals.ts';
import type { OwnerWorld, Who } from '#test/page/owner-world.ts';
import { type Fact, fact, Refused, type World } from './fake-api.ts';
import { idOf } from './made-up.ts';

export const OWNER = idOf('user');

const TOOLS = ['mailchimp', 'hubspot', 'brevo', 'klaviyo'];

const asking = {
  name: 'api_key',
  label: 'API key',
  help: 'In your account.',
  secret: true,
  example: 'abc-us1',
  choices: null,
};

/** A tool that can do everything. */
function capable(one: ConnectorInfo, row: number): ConnectorInfo {
  const actions = Object.entries(TOOL_ACTIONS).map(([type, { operations, target }]) => {
    const can = { can: true as const, operations: [...operations], target };
    return [type, { ...can, irreversible: null, note: null, note_operation: null }] as const;
  });
  return {
    ...one,
    id: TOOLS[row] ?? `tool-${row}`,
    credentials: [asking],
    oauth_takes: [],
    actions: { ...one.actions, ...Object.fromEntries(actions) },
    imports: ['lists', 'tags'],
    email_merge_tag: '*|EMAIL|*',
  };
}

/** What acts in a tool, a webhook, and evidence by email. */
function working(one: Action, row: number): Action {
  const [list = idOf('list')] = one.trigger.list_ids;
  const trigger = {
    event: row % 2 === 0 ? ('subscribed' as const) : ('unsubscribed' as const),
    list_ids: [list],
  };
  const common = { ...one, trigger, enabled: row % 7 !== 3, operation: null, integration_id: null };
  if (row % 4 === 1) return { ...common, type: 'webhook', target: { url: 'https://shop.example/hooks' } };
  if (row % 4 === 2) return { ...common, type: 'evidence', target: { email: 'proof@example.com' } };
  return {
    ...common,
    type: 'list',
    operation: row % 2 === 0 ? 'add' : 'remove',
    integration_id: idOf('integration'),
    target: { id: 'news', name: 'Newsletter' },
  };
}

const week = (from: number) => Array.from({ length: 7 }, (_, day) => from + ((day * 3) % 5));

const overAWeek = (one: Dashboard): Dashboard => ({
  ...one,
  periods: week(0).map((_, day) => new Date(Date.UTC(2026, 10, 14 + day)).toISOString()),
  choices: { ...one.choices, periods: week(4) },
  lists: one.lists.map((list) => ({ ...list, joins: week(3), leaves: week(1) })),
});

const plainPage = <P extends PreferencePage>(page: P): P => ({
  ...page,
  favicon: '',
  logo: '',
  active_languages: [],
  embed_origins: [],
  warnings: [],
  attrs: {
    ...page.attrs,
    primary_color: '#009AD0',
    text_color: '#2C3D20',
    background_color: '#F8F8F8',
    unsubscribe_all: true,
    tag_subject: '',
    tag_pre_name: '',
    saved_preferences_msg: '',
  },
});

const SITE: Site = {
  id: idOf('site'),
  name: 'Acme Outdoor',
  domain_name: 'acme.localhost',
  custom_domain: null,
  custom_domain_status: null,
  url: 'https://acme.localhost',
  link_lifetime_days: 365,
  delivery_content_days: 30,
  sender_name: '',
  reply_to: '',
  operator: { legal_name: '', postal_address: '', privacy_url: '', imprint_url: '' },
  test_mode: false,
  test_emails: [],
  evidence_anchor: '',
  taken_down: null,
};

const SITES = [SITE, { ...SITE, id: idOf('site', 1), name: 'Acme for dealers' }];

const inResults =
  <One, Answer extends { results: One[] }>(change: (one: One, row: number) => One) =>
  (answer: Answer): Answer => ({ ...answer, results: answer.results.map(change) });

/** True in every world. */
const COMMON: readonly Fact[] = [
  fact(getAppSettings, (made) => ({
    ...made,
    app_url: location.origin,
    sends_email: true,
    google_client_id: null,
  })),
  fact(getAccount, (made) => ({
    ...made,
    organization: idOf('organization'),
    permissions: [],
    role: 'owner' as const,
    groups: [],
    has_usable_password: true,
  })),
  fact(updateAccount, (made) => ({ ...made, organization: idOf('organization'), groups: [] })),
  fact(listSitesV1_1, (made) => ({ ...made, results: SITES })),
  fact(getOrganization, (made) => ({
    ...made,
    is_valid: true,
    sites: [SITE],
  })),
  fact(listConnectors, inResults(capable)),
  // One tool is left to connect.
  fact(listIntegrations, (made) => ({
    ...made,
    results: made.results
      .map((one, row) => ({
        ...one,
        provider: TOOLS[row % 3] ?? '',
        // The second one hears nothing from its tool.
        webhook_state: row === 1 ? ('missing' as const) : one.webhook_state,
      }))
      .slice(0, 3),
  })),
  fact(getProposals, () => PROPOSED),
  fact(listPendingChanges, (made) => ({ ...made, results: made.results.slice(0, PENDING_KINDS.length) })),
  fact(listToolLinks, (made) => ({
    ...made,
    pages: made.pages.map((page) => ({
      ...page,
      by_address: 'https://acme.localhost/preferences?email=*|EMAIL|*',
    })),
  })),
  fact(getIntegration, (made) => ({ ...made, provider: 'mailchimp', name: 'Mailchimp' })),
  fact(listActions, inResults(working)),
  fact(getAction, (made) => working(made, 0)),
  fact(getDashboard, overAWeek),
  fact(getEvidenceCheck, (made) => ({ ...made, broken: 0, findings: [] })),
  fact(
    listPreferencePages,
    inResults((page: ListedPreferencePage) => plainPage(page)),
  ),
  fact(getPreferencePage, plainPage),
  fact(listCustomers, (made, { url }) => {
    const isFound = !/nobody|zzz/.test(url.searchParams.get('search') ?? '');
    return { ...made, results: isFound ? made.results : [] };
  }),
  fact(getImport, (made) => ({
    ...made,
    status: 'checked' as const,
    source: 'csv' as const,
    file_name: 'newsletter-november.csv',
    columns: ['Email', 'News'],
    column_samples: [
      { filled: 4, values: ['vera.lind@example.com'], date_order: null },
      { filled: 4, values: ['yes', 'no'], date_order: null },
    ],
    mapping: { email: 'Email', lists: [{ column: 'News', list_id: idOf('list') }] },
    suggested_mapping: { email: 'Email', lists: [] },
  })),
  fact(getBulkChange, () => {
    throw new Refused('not_found');
  }),
  fact(check, (_made, { url }) => {
    const isName = url.searchParams.has('organization_name');
    return [{ error: false, message: isName ? CHECKER_MESSAGES.nameFree : CHECKER_MESSAGES.domainFree }];
  }),
  fact(readInvitation, (made, { body }) => refusedIfUsed(made, body)),
  fact(readAccountLink, (made, { body }) => refusedIfUsed(made, body)),
  fact(logIn, () => {
    throw new Refused('invalid_credentials');
  }),
];

function refusedIfUsed<Answer>(made: Answer, body: unknown): Answer {
  if ((body as { token?: string }).token === 'used') throw new Refused('link_used');
  return made;
}

const withSite = (change: Partial<Site>): Fact =>
  fact(listSitesV1_1, (made) => ({ ...made, results: made.results.map((site) => ({ ...site, ...change })) }));

const IN_TEST_MODE: readonly Fact[] = [
  withSite({
    test_mode: true,
    test_emails: ['qa@florist.example', '@test.florist.example'],
    evidence_anchor: 'proof@florist.example',
  }),
  fact(getCustomer, (made) => ({ ...made, test: true })),
  fact(
    listDeliveries,
    inResults((one: Delivery) => ({ ...one, outcome: 'held' as const, status: 'waiting' as const })),
  ),
];

/** What each of them is told. */
export const WORLDS: Record<Who, World> = {
  nobody: { amount: 'some', role: 'owner', facts: COMMON },
  shop: { amount: 'some', role: 'owner', facts: COMMON },
  viewer: {
    amount: 'some',
    role: 'viewer',
    facts: [...COMMON, fact(getAccount, (made) => ({ ...made, role: 'viewer' as const }))],
  },
  crowded: {
    amount: 'many',
    role: 'owner' as const,
    facts: [
      ...COMMON,
      withSite({
        custom_domain: 'preferences.the-letters-of-a-rather-long-company-name.example',
        custom_domain_status: 'pending',
      }),
    ],
  },
  beginner: {
    amount: 'none',
    role: 'owner',
    facts: [...COMMON, fact(listSitesV1_1, (made) => ({ ...made, results: [SITE] }))],
  },
  tester: { amount: 'some', role: 'owner', facts: [...COMMON, ...IN_TEST_MODE] },
  newcomer: {
    amount: 'none',
    role: 'owner' as const,
    facts: [...COMMON, fact(getAccount, (made) => ({ ...made, organization: NO_ORGANIZATION }))],
  },
};

const things = {
  site: idOf('site'),
  customer: idOf('customer'),
  email: 'vera.lind@example.com',
  integration: idOf('integration'),
  list: idOf('list'),
  page: idOf('page'),
};

/** What the states are of. */
export const THINGS: OwnerWorld = {
  names: { shop: '', beginner: '', newcomer: '', viewer: '', crowded: '', tester: '' },
  invitation: 'waiting',
  shop: {
    ...things,
    import: idOf('import'),
    toolAction: idOf('action'),
    webhook: 'Tell the shop',
    delivery: idOf('delivery'),
  },
  crowded: { ...things, complaint: idOf('complaint') },
  tester: { customer: idOf('customer'), delivery: idOf('delivery') },
};
