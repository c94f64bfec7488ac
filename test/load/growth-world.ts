import { request } from 'node:http';
import pg from 'pg';
import { logIn } from '#contract/accounts.ts';
import { listEvidence } from '#contract/choices.ts';
import { callRoute } from '#contract/client.ts';
import { API_PREFIX } from '#contract/route.ts';
import { ROUTES } from '#contract/routes.ts';
import { sealSessionToken } from '#server/accounts/access/customer-session-token.ts';
import { dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { NO_COUNTS } from '#server/visit/bulk-changes/undo-steps.ts';
import { DEMO_PASSWORD } from '#db/demo/demo.ts';

/*
 * The site of `npm run demo -- crowd=N`, with one customer in a hundred in each of the things that also grow with a site,
 * and a call of every route that reads.
 */

/** One customer in so many is in an import, differs in a tool, complained and so on. */
const BESIDE_ONE_IN = 100;

export interface GrowthWorld {
  reads: Read[];
  writes: Write[];
}

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

interface Place {
  base: string;
  services: Services;
  ownerUrl: string;
  besideOneIn?: number;
}

interface Ids {
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

const COMPARED = {
  total: 1,
  customers: 1,
  compared: 1,
  same: 0,
  different: 1,
  mended: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
};

/** What calls tools, and reads only what there is of lists and settings of the site itself. */
export const READS_OF_TOOLS: ReadonlySet<string> = new Set(['listToolResources', 'getProposals']);

/** @param options.base where the product of `services` listens */
export async function openGrowthWorld({
  base,
  services,
  ownerUrl,
  besideOneIn = BESIDE_ONE_IN,
}: Place): Promise<GrowthWorld> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const known = await client.query<{ organization_id: string }>(
      `select organization_id from users where username = 'millions'`,
    );
    const ids = await idsOf(client, known.rows[0]?.organization_id ?? '', besideOneIn);
    // Last: growing takes longer than a token lasts.
    await client.query('delete from rate_limits');
    const body = { username: 'millions', password: DEMO_PASSWORD };
    const tokens = await callRoute(logIn, { body }, { base });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const evidence = await callRoute(
      listEvidence,
      {
        params: { organization_id: ids.organization, site_id: ids.site },
        query: { chose: 'true', limit: 1 },
      },
      { base, headers },
    );
    const record = evidence.results[0];
    if (record === undefined) throw new Error('Somebody has chosen');
    const delivered = await client.query<{ id: string; email: string }>(
      `select d.id, c.email from deliveries d join customers c on c.site_id = d.site_id and c.id = d.customer_id
       where d.site_id = $1 order by d.id desc limit 1`,
      [ids.site],
    );
    const whole = {
      ...ids,
      record: record.id,
      customer: record.customer_id,
      delivery: delivered.rows[0]?.id ?? '',
      email: delivered.rows[0]?.email ?? '',
    };
    const people = await client.query<{ id: string }>(
      `select customer_id as id from (select customer_id from choices where site_id = $1 and sequence = 2 order by id desc limit 2000) c
       join customers on customers.site_id = $1 and customers.id = customer_id and not global_unsubscribe and erased_at is null
       limit 400`,
      [ids.site],
    );
    const persons = people.rows.map(({ id }) => id);
    return {
      reads: readsOf({ base, services, ids: whole, headers }),
      writes: writesOf({ base, services, ids: whole, headers, persons }),
    };
  } finally {
    await client.end();
  }
}

async function idsOf(client: pg.Client, organizationId: string, besideOneIn: number): Promise<Ids> {
  const one = async (text: string, values: unknown[]) =>
    (await client.query<{ id: string }>(text, values)).rows.map(({ id }) => id);
  const [site = ''] = await one('select id from sites where organization_id = $1', [organizationId]);
  const [owner = ''] = await one('select user_id as id from members where organization_id = $1', [
    organizationId,
  ]);
  const [host = ''] = await one('select host as id from host_names where site_id = $1', [site]);
  const [page = ''] = await one('select id from preference_pages where site_id = $1', [site]);
  const lists = await one('select id from lists where site_id = $1 order by show_order', [site]);
  const actions = await one('select id from actions where site_id = $1 order by id', [site]);
  const beside = await growBeside(client, {
    site,
    owner,
    lists,
    action: actions[0] ?? '',
    oneIn: besideOneIn,
  });
  return {
    owner,
    organization: organizationId,
    site,
    host,
    lists,
    page,
    actions,
    record: '',
    customer: '',
    delivery: '',
    email: '',
    ...beside,
  };
}

/** Brings what else grows with a site to its size. Rows that fit together need no check of each. */
async function growBeside(
  client: pg.Client,
  {
    site,
    owner,
    lists,
    action,
    oneIn,
  }: { site: string; owner: string; lists: string[]; action: string; oneIn: number },
) {
  const known = await client.query<{ id: string; kind: string }>(
    `select id, 'integration' as kind from integrations where site_id = $1
     union all select id, 'import' from imports where site_id = $1
     union all select id, 'comparison' from reconciliations where site_id = $1`,
    [site],
  );
  const idOf = (kind: string) => known.rows.find((row) => row.kind === kind)?.id ?? newId();
  const imported = idOf('import');
  const ids = {
    integration: idOf('integration'),
    import: imported,
    comparison: idOf('comparison'),
    // The undoing of an import has its id.
    bulkChange: imported,
  };
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into integrations (site_id, id, provider, name, credentials_sealed, status, created_at, updated_at)
     values ($1, $2, 'brevo', 'Brevo', '', 'connected', now(), now()) on conflict do nothing`,
    [site, ids.integration],
  );
  await client.query(
    `insert into imports (site_id, id, source, status, file_name, columns, options, counts, position, round, created_by, created_at, updated_at, ended_at)
     values ($1, $2, 'csv', 'finished', 'people.csv', '{email}', '{}', '{}', 0, 1, $3, now(), now(), now()) on conflict do nothing`,
    [site, ids.import, owner],
  );
  await client.query(
    `insert into site_domains (site_id, host, created_at, next_check_at)
     values ($1, 'mail.millions.example', now(), now() + interval '1 day') on conflict do nothing`,
    [site],
  );
  await client.query(
    `insert into reconciliations (site_id, id, integration_id, kind, status, counts, started_at, finished_at)
     values ($1, $2, $3, 'nightly', 'finished',
       $4, now(), now()) on conflict do nothing`,
    [site, ids.comparison, ids.integration, JSON.stringify(COMPARED)],
  );
  await client.query(
    `insert into bulk_undos (site_id, id, about, status, counts, told, round, started_by, created_at, updated_at)
     values ($1, $2, $3, 'finished', $4, '{}', 1, null, now(), now()) on conflict do nothing`,
    [
      site,
      ids.bulkChange,
      JSON.stringify({
        kind: 'import',
        prefix: `import:${ids.bulkChange}:`,
        from_id: ids.bulkChange,
        to_id: ids.bulkChange,
        name: 'people.csv',
        integration_id: null,
        actor: `user:${owner}`,
        customers: 0,
        started_at: new Date().toISOString(),
        ended_at: new Date().toISOString(),
      }),
      JSON.stringify(NO_COUNTS),
    ],
  );
  const some = `select *, row_number() over (order by id) as n from customers
    where site_id = $1 and erased_at is null and ('x' || right(id::text, 4))::bit(16)::int % ${oneIn} = 0`;
  const beside: [text: string, values: unknown[]][] = [
    [
      `insert into import_rows (site_id, import_id, number, email, email_key, fields, preferences, verdict, reason, customer_id, applied_at)
       select site_id, $2, n, email, email_key, array[email], '{"lists":[],"leaves":null}',
         case when n % 4 = 0 then 'rejected' else 'changed' end, 'No list', id, now() from (${some}) c on conflict do nothing`,
      [ids.import],
    ],
    [
      `insert into discrepancies (site_id, id, reconciliation_id, integration_id, customer_id, action_id, target_key, kind, change, ours, theirs, status, created_at)
       select site_id, id, $2, $3, id, $4, 'list:1', 'not_applied', $5::jsonb, $6::jsonb, $7::jsonb,
         case when n % 2 = 0 then 'open' else 'mended' end, created_at from (${some}) c on conflict do nothing`,
      [
        ids.comparison,
        ids.integration,
        action,
        JSON.stringify({
          in: 'tool',
          type: 'list',
          target: { id: '1', name: 'News' },
          on: true,
          list_ids: lists.slice(0, 1),
        }),
        JSON.stringify({
          global_unsubscribe: false,
          paused_until: null,
          lists: lists.slice(0, 1).map((id) => ({ list_id: id, subscribed: true })),
          changed_at: new Date().toISOString(),
        }),
        JSON.stringify({ known: true, unsubscribed: false, holds: false }),
      ],
    ],
    [
      `insert into inbound_events (site_id, id, integration_id, event_key, kind, occurred_at, received_at, customer_id, outcome)
       select site_id, id, $2, decode(md5(id::text), 'hex'), 'unsubscribed', created_at, created_at, id, 'applied' from (${some}) c
       on conflict do nothing`,
      [ids.integration],
    ],
    [
      `insert into complaints (site_id, id, customer_id, language, received_at, due_at, closed_at, outcome)
       select site_id, id, id, 'en', created_at, created_at + interval '30 days',
         case when n % 2 = 0 then created_at end, case when n % 2 = 0 then 'upheld' end from (${some}) c on conflict do nothing`,
      [],
    ],
    [
      `insert into audit_log (site_id, id, actor, event, subject, details, created_at)
       select site_id, id, 'user:' || $2, 'customer.created', id::text, '{}', created_at from (${some}) c on conflict do nothing`,
      [owner],
    ],
    [
      `insert into bulk_undo_customers (site_id, undo_id, customer_id, verdict, plan, is_new, applied_at)
       select site_id, $2, id, case when n % 3 = 0 then 'kept' else 'restored' end,
         '{"sequences":[],"restored":[],"kept":[]}', false, now() from (${some}) c on conflict do nothing`,
      [ids.bulkChange],
    ],
    [
      `insert into email_bounces (site_id, customer_id, email_key, status, reply, bounced_at)
       select site_id, id, email_key, 550, 'No such user', created_at from (${some}) c on conflict do nothing`,
      [],
    ],
    [
      `insert into pending_changes (site_id, customer_id, kind, id, sequence, change_sealed, requested, expires_at, list_ids)
       select site_id, id, 'subscribe', id, sequence, '', '{}', now() + interval '1 day', array[$2::uuid] from (${some}) c
       on conflict do nothing`,
      [lists[0]],
    ],
  ];
  const size = await client.query<{ wanted: string; there: string }>(
    `select (select count(*) from customers where site_id = $1) / $2::int as wanted,
       (select count(*) from complaints where site_id = $1) as there`,
    [site, oneIn],
  );
  const { wanted, there } = size.rows[0] ?? { wanted: 0, there: 0 };
  const isGrown = Number(there) > 0.9 * Number(wanted);
  if (!isGrown) for (const [text, values] of beside) await client.query(text, [site, ...values]);
  // As the check of last night counted it.
  await client.query(
    `insert into evidence_checks (site_id, id, records, chains, broken, findings, anchor, seal, checked_at)
     select $1, $2::uuid, records, chains, 0, '[]', jsonb_build_object('before', $2::uuid::text, 'records', records, 'digest', ''), '', now()
     from (select count(*) as records from choices where site_id = $1) r,
       (select count(*) as chains from customers where site_id = $1) c`,
    [site, newId()],
  );
  await client.query('set session_replication_role = origin');
  await client.query(isGrown ? 'vacuum analyze evidence_checks' : 'vacuum analyze');
  const { rows } = await client.query<{ id: string }>(
    'select id from complaints where site_id = $1 order by id desc limit 1',
    [site],
  );
  return { ...ids, complaint: rows[0]?.id ?? '' };
}

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
  ids: Ids;
  headers: Record<string, string>;
}

const DAY_MS = 86_400_000;

const hostOf = (base: string, { host }: Ids) => `${host}:${new URL(base).port}`;

function readsOf({ base, services, ids, headers }: Calling): Read[] {
  const since = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const sealed = sealSessionToken(services, ids.site, {
    id: ids.customer,
    pageId: ids.page,
    level: 'proven',
    generation: 0,
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

function writesOf({ base, services, ids, headers, persons }: Calling & { persons: string[] }): Write[] {
  const site = `${API_PREFIX}/core/v1/organizations/${ids.organization}/sites/${ids.site}`;
  // From anywhere: a save that was made before would change nothing.
  let used = Math.floor(Math.random() * persons.length);
  const nextPerson = () => persons[(used += 1) % persons.length] ?? '';
  const sealedOf = (id: string) =>
    sealSessionToken(services, ids.site, { id, pageId: ids.page, level: 'proven', generation: 0 });
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
    { name: 'erase a customer', run: () => send('DELETE', `${site}/customers/${nextPerson()}`, headers) },
  ];
}
