import { request } from 'node:http';
import { API_PREFIX } from '#contract/route.ts';
import { ROUTES } from '#contract/routes.ts';
import { sealSessionToken } from '#server/accounts/access/customer-session-token.ts';
import { dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';

/* A call of every route that reads, and of those that customers and programs write with most. */

export interface Read {
  /** Operation id of the route; '' of what is no route of the contract. */
  route: string;
  /** Which of its ways to read. */
  variant: string;
  run(): Promise<unknown>;
}

/** The same for different people each time. */
export interface Write {
  name: string;
  run(turn: number): Promise<unknown>;
}

/** What the calls are about. */
export interface GrowthIds {
  owner: string;
  organization: string;
  site: string;
  host: string;
  lists: string[];
  page: string;
  actions: string[];
  integration: string;
  import: string;
  comparison: string;
  bulkChange: string;
  complaint: string;
  delivery: string;
  record: string;
  customer: string;
  email: string;
}

/** What calls tools, and reads only what there is of lists and settings of the site itself. */
export const READS_OF_TOOLS: ReadonlySet<string> = new Set(['listToolResources', 'getProposals']);

/** @throws Error when it is refused. Of a file only the beginning is read: it may have no end. */
function ask(
  url: string,
  { body = '', ...options }: { method: string; headers: Record<string, string>; body?: string },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const call = request(url, options, (answer) => {
    let text = '';
    const isFile = String(answer.headers['content-disposition']).startsWith('attachment');
    answer.setEncoding('utf8').on('data', (some: string) => {
      if (text.length < 1000) text += some;
      if (isFile) answer.destroy();
    });
    answer.on('error', reject).on('close', () => {
      const status = answer.statusCode ?? 0;
      if (status < 400) resolve();
      else reject(new Error(`${options.method} ${url}: ${status} ${text}`));
    });
  });
  call.on('error', reject).end(body);
  return promise;
}

interface Calling {
  base: string;
  services: Services;
  ids: GrowthIds;
  headers: Record<string, string>;
}

const DAY_MS = 86_400_000;

const hostOf = (base: string, { host }: GrowthIds) => `${host}:${new URL(base).port}`;

export function readsOf({ base, services, ids, headers }: Calling): Read[] {
  const since = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const sealed = sealSessionToken(services, ids.site, {
    id: ids.customer,
    pageId: ids.page,
    level: 'proven',
    generation: 0,
    sequence: 2,
  });
  const params: Record<string, string> = {
    organization_id: ids.organization,
    site_id: ids.site,
    customerId: sealed,
    custom_path: 'preferences',
    comparison_id: ids.comparison,
    version: '1',
  };
  const asVisitor = { 'x-site-domain': ids.host };

  const get = (path: string, as: Record<string, string>, query: Record<string, string>) => {
    const search = new URLSearchParams(query);
    return ask(`${base}${path}${search.size === 0 ? '' : `?${search}`}`, { method: 'GET', headers: as });
  };

  function read(
    route: string,
    {
      id = '',
      query = {},
      variant = '',
    }: { id?: string; query?: Record<string, string>; variant?: string } = {},
  ): Read {
    const found = ROUTES.get(route);
    if (found === undefined) throw new Error(`There is no route ${route}`);
    const path = found.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'id' ? id : (params[name] ?? ''),
    );
    const as = found.access === 'visitor' || found.access === 'customer' ? asVisitor : headers;
    const said = variant || new URLSearchParams(query).toString();
    return { route, variant: said, run: () => get(`${API_PREFIX}${path}`, as, query) };
  }

  const { integration } = ids;
  const list = ids.lists[0] ?? '';
  const customerFilters: Record<string, Record<string, string>> = {
    newest: {},
    'search, start': { search: 'nina' },
    'search, one address': { search: ids.email },
    'search, nobody': { search: 'zzzz' },
    'search, anywhere': { search: 'novak', match: 'anywhere' },
    'search, anywhere, nobody': { search: 'qqqq', match: 'anywhere' },
    'of a list': { receives_list_id: list },
    'left a list': { left_list_id: list },
    active: { state: 'active' },
    unsubscribed: { state: 'unsubscribed' },
    'paused, nobody': { state: 'paused' },
    'wrong recipient, nobody': { state: 'wrong_recipient' },
    bounced: { state: 'bounced' },
    'undelivered to a tool, nobody': { undelivered_to: integration },
    'added since yesterday': { added_since: since(1) },
    'changed since yesterday': { changed_since: since(1) },
    'test, nobody': { test: 'true' },
  };
  const evidenceFilters: Record<string, Record<string, string>> = {
    newest: {},
    chosen: { chose: 'true' },
    joins: { move: 'joined' },
    leaves: { move: 'left' },
    'of a list': { list_id: list },
    'leaves of a list': { list_id: list, move: 'left' },
    'since a month': { since: since(30) },
    'leaves for a reason': { move: 'left', reason: 'too_many' },
    'test, none': { test: 'true' },
  };
  const deliveryFilters: Record<string, Record<string, string>> = {
    newest: {},
    arrived: { status: 'arrived' },
    failed: { status: 'failed' },
    waiting: { status: 'waiting' },
    'of an action': { action_id: ids.actions[1] ?? '' },
    'failed, of an action': { action_id: ids.actions[1] ?? '', status: 'failed' },
    'of a customer': { customer_id: ids.customer },
    'since yesterday': { since: since(1) },
    late: { late: 'true' },
    'of a tool, none': { integration_id: integration },
    'test, none': { test: 'true' },
  };
  const each = (route: string, filters: Record<string, Record<string, string>>) =>
    Object.entries(filters).map(([variant, query]) => read(route, { query, variant }));
  const ranges = ['7d', '30d', '90d', '12m'];
  return [
    ...[
      'getAccount',
      'listSecondFactors',
      'exportAccount',
      'listSessions',
      'planDeletion',
      'listSurveys',
    ].map((route) => read(route, { id: ids.owner })),
    read('getAppSettings'),
    read('getOrganization', { id: ids.organization }),
    ...['listMembers', 'listSites', 'listSitesV1_1', 'getDomain', 'listConnectors', 'listSitesInNeed'].map(
      (route) => read(route),
    ),
    read('askTls', { query: { domain: ids.host } }),
    read('check', { query: { site_domain: 'somebody' }, variant: 'site' }),
    read('check', { query: { organization_name: 'Somebody' }, variant: 'organization' }),
    read('listLists'),
    read('getList', { id: list }),
    read('getListFigures'),
    read('listPreferencePages'),
    ...['getPreferencePage', 'getPageDraft', 'getPageVersion', 'listPageVersions'].map((route) =>
      read(route, { id: ids.page }),
    ),
    read('listIntegrations'),
    ...['getIntegration', 'listToolLinks', 'listInbound', 'listComparisons', 'getComparison'].map((route) =>
      read(route, { id: integration }),
    ),
    read('listComparisonDifferences', { id: integration, query: { count: 'different' } }),
    read('listDifferences', { id: integration }),
    read('listDifferences', { id: integration, query: { status: 'open', kind: 'not_applied' } }),
    ...each('listCustomers', customerFilters),
    ...each('countCustomers', customerFilters),
    ...['getCustomer', 'getCustomerLists', 'listPendingChanges', 'listCustomerEvidence'].map((route) =>
      read(route, { id: ids.customer }),
    ),
    read('listCustomerViews'),
    read('getComplaint', { id: ids.complaint }),
    ...each('listComplaints', {
      all: {},
      open: { state: 'open' },
      closed: { state: 'closed' },
      'of a customer': { customer_id: ids.customer },
    }),
    read('getEvidence', { id: ids.record }),
    ...each('listEvidence', evidenceFilters),
    ...['getEvidenceCheck', 'getEvidenceAnchor', 'listEvidenceHeads', 'listImports', 'listBulkChanges'].map(
      (route) => read(route),
    ),
    ...['getImport', 'listImportRows', 'downloadRejectedRows'].map((route) =>
      read(route, { id: ids.import }),
    ),
    read('listImportRows', { id: ids.import, query: { verdict: 'rejected' } }),
    ...['getBulkChange', 'listUndoneCustomers'].map((route) => read(route, { id: ids.bulkChange })),
    read('exportCustomers', { variant: 'to the first bytes' }),
    read('exportCustomers', { query: { receives_list_id: list }, variant: 'of a list, to the first bytes' }),
    read('exportEvidence', { variant: 'to the first bytes' }),
    read('exportCustomerProof', { id: ids.customer }),
    read('exportCustomerProofPdf', { id: ids.customer }),
    read('exportSiteProof', { variant: 'to the first bytes' }),
    read('exportSiteProofPdf'),
    read('listActions'),
    read('getAction', { id: ids.actions[0] ?? '' }),
    read('getActionFigures'),
    read('listActionSamples'),
    ...['countHeld', 'countReplays', 'listApiKeys', 'listAuditActors', 'listAuditLog', 'getOnboarding'].map(
      (route) => read(route),
    ),
    read('listAuditLog', { query: { noun: 'list' }, variant: 'of lists' }),
    read('listAuditLog', { query: { actor_id: newId() }, variant: 'of nobody' }),
    read('getDelivery', { id: ids.delivery }),
    ...each('listDeliveries', deliveryFilters),
    ...ranges.map((range) => read('getDashboard', { query: { range } })),
    ...ranges.map((range) => read('getLeaveJudgements', { query: { range } })),
    read('getChoiceProgress'),
    read('getCustomerPage'),
    read('getPublicPage'),
    {
      route: '',
      variant: 'page HTML, first visit',
      run: () => get('/preferences', { host: hostOf(base, ids) }, {}),
    },
  ];
}

export function writesOf({
  base,
  services,
  ids,
  headers,
  persons,
}: Calling & { persons: string[] }): Write[] {
  const site = `${API_PREFIX}/core/v1/organizations/${ids.organization}/sites/${ids.site}`;
  // From anywhere: a save that was made before would change nothing.
  let used = Math.floor(Math.random() * persons.length);
  const nextPerson = () => persons[(used += 1) % persons.length] ?? '';
  const sealedOf = (id: string) =>
    sealSessionToken(services, ids.site, {
      id,
      pageId: ids.page,
      level: 'proven',
      generation: 0,
      sequence: 2,
    });
  const challengeOf = (id: string, purpose: 'manage' | 'leave') =>
    makeChallenge(services.keyring, {
      siteId: ids.site,
      customerId: id,
      issuedOn: dayOf(services.clock.now()),
      generation: 0,
      listId: null,
      purpose,
    });

  function send(method: string, path: string, as: Record<string, string>, body?: unknown): Promise<void> {
    if (body === undefined) return ask(`${base}${path}`, { method, headers: as });
    const json = { ...as, 'content-type': 'application/json' };
    return ask(`${base}${path}`, { method, headers: json, body: JSON.stringify(body) });
  }

  const visitor = { 'x-site-domain': ids.host };
  const customer = `${API_PREFIX}/customer/v1/customers`;
  return [
    {
      name: 'save on the page',
      run: (turn) =>
        send('PUT', `${customer}/${sealedOf(nextPerson())}/lists`, visitor, [
          { notification_list_id: ids.lists[2], subscribed: turn % 2 === 0 },
          { notification_list_id: ids.lists[1], subscribed: turn % 2 === 1 },
        ]),
    },
    {
      name: 'leave everything or come back on the page',
      run: (turn) =>
        send('PATCH', `${customer}/${sealedOf(nextPerson())}`, visitor, {
          global_unsubscribe: turn % 2 === 0,
        }),
    },
    {
      name: 'complain',
      run: () =>
        send('POST', `${customer}/${sealedOf(nextPerson())}/complaints`, visitor, { text: `No: ${newId()}` }),
    },
    {
      name: 'one-click',
      run: () =>
        ask(`${base}/u/${challengeOf(nextPerson(), 'leave')}`, {
          method: 'POST',
          headers: { host: hostOf(base, ids), 'content-type': 'application/x-www-form-urlencoded' },
          body: 'List-Unsubscribe=One-Click',
        }),
    },
    {
      name: 'open a personal link',
      run: () =>
        send('POST', customer, visitor, {
          challenge: challengeOf(nextPerson(), 'manage'),
          custom_path: 'preferences',
        }),
    },
    {
      name: 'open the page by an address',
      run: () =>
        send('POST', customer, visitor, { email: `${newId()}@example.com`, custom_path: 'preferences' }),
    },
    {
      name: 'add a customer',
      run: () => send('POST', `${site}/customers`, headers, { email: `${newId()}@example.com` }),
    },
    {
      name: 'change lists of a customer',
      run: (turn) =>
        send('PUT', `${site}/customers/${nextPerson()}/lists`, headers, [
          { notification_list_id: ids.lists[2], subscribed: turn % 2 === 1 },
        ]),
    },
    { name: 'mint links', run: () => send('POST', `${site}/customers/${nextPerson()}/links`, headers, {}) },
    {
      name: 'end links',
      run: () => send('POST', `${site}/customers/${nextPerson()}/links/end`, headers, {}),
    },
    {
      name: 'change an email',
      run: () =>
        send('PATCH', `${site}/customers/${nextPerson()}`, headers, { email: `${newId()}@example.com` }),
    },
    {
      name: 'preview a choice',
      run: () =>
        send('POST', `${site}/choice-previews`, headers, {
          customer: { id: nextPerson() },
          choice: { global_unsubscribe: true },
        }),
    },
    {
      name: 'preview an action',
      run: () =>
        send('POST', `${site}/actions/${ids.actions[0]}/preview`, headers, { customer_id: nextPerson() }),
    },
    { name: 'erase a customer', run: () => send('DELETE', `${site}/customers/${nextPerson()}`, headers) },
  ];
}
