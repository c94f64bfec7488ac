import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetPassword } from '#contract/accounts.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { startComparison } from '#contract/comparisons.ts';
import { mintLinks } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { API_PREFIX } from '#contract/route.ts';
import { ROUTES } from '#contract/routes.ts';
import { sealDataLink, sealEmailUndo } from '#server/visit/customer-mails/mailed-links.ts';
import { type DnsServer, startDnsServer } from './fakes/dns-server.ts';
import { type BrevoFake, startBrevoFake } from './fakes/tools/brevo.ts';
import { insertPreview } from './harness/bulk-undos.ts';
import { verifyDomain } from './harness/domains.ts';
import { csv, upload } from './harness/imports.ts';
import { startTestProduct, type TestProduct } from './harness/product.ts';
import { collectRoutes, type RegisteredRoute } from './harness/routes.ts';
import { noteWrites, type Writes } from './harness/rows.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from './harness/world.ts';

/** Without these the call is refused. */
const QUERIES: Record<string, string> = {
  listComparisonDifferences: '?count=different',
  check: '?organization_name=acme',
  askTls: '?domain=localhost',
  listToolResources: '?kind=lists',
};

const READING = ['GET', 'HEAD', 'OPTIONS'] as const;

interface Real {
  /** Every id of something that is there, for the parameters of paths. */
  ids: string[];
  sealed: string;
  challenge: string;
  leaveLinks: string[];
  /** The address for a tool's webhooks. */
  hook: { integration: string; secret: string };
  /** What the links of mails carry. */
  tokens: string[];
  hosts: string[];
  queries: string[];
  comparisonId: string;
}

let dns: DnsServer;
let brevo: BrevoFake;
let product: TestProduct;
let routes: RegisteredRoute[];
let writes: Writes;
let world: World;
let real: Real;

beforeAll(async () => {
  dns = await startDnsServer();
  brevo = await startBrevoFake();
  const env = { DNS_SERVERS: dns.address, CONNECTOR_BREVO_URL: brevo.url };
  const collected = await collectRoutes(() => startTestProduct({ env }));
  product = collected.started;
  routes = collected.routes;
  writes = await noteWrites(product.testDatabase.owner);
  world = await buildWorld(product);
  real = await makeReal();
});

afterAll(async () => {
  await product.stop();
  await brevo.close();
  await dns.close();
});

async function makeReal(): Promise<Real> {
  const { owner, params, page, weekly, offers, site, visitor } = world;
  const ownHost = `mail.${site.name}.example`;
  const domain = await verifyDomain(product, dns, world, ownHost);
  expect(domain.status).toBe('verified');
  await product.call(
    createPreferencePage,
    {
      params,
      body: {
        name: 'Proof needed',
        custom_path: 'proven',
        lists: [{ id: weekly.id }],
        attrs: { enhanced_security: true, template_id: 'stacked_marketer_template' },
      },
    },
    owner,
  );
  const action = await buildWebhook(product, world, { url: 'https://shop.example/hook' });
  const connection = { provider: 'brevo', credentials: brevo.credentials };
  const integration = await product.call(createIntegration, { params, body: connection }, owner);
  const compared = { params: { ...params, id: integration.id } };
  const comparison = await product.call(startComparison, compared, owner);
  const vera = await buildCustomer(product, world);
  const sealed = await openAsProven(product, world, vera);
  const customer = { ...params, id: vera.id };
  const body = [{ notification_list_id: weekly.id, subscribed: false }];
  await product.call(saveLists, { params: { customerId: sealed }, body }, visitor);
  // Under its customer's id, so that no route is read by one more id.
  await product.testDatabase.owner.query(
    `insert into complaints (site_id, id, customer_id, language, received_at, due_at)
     values ($1, $2, $2, 'en', now(), now())`,
    [site.id, vera.id],
  );
  await product.call(resetPassword, { body: { email: owner.email } });
  const everything = await product.call(mintLinks, { params: customer, body: {} }, owner);
  const oneList = await product.call(mintLinks, { params: customer, body: { list_id: offers.id } }, owner);
  const deliveries = await product.call(listDeliveries, { params }, owner);
  const evidence = await product.call(listCustomerEvidence, { params: customer }, owner);
  const bulkChange = await insertPreview(product, world);
  const imported = await upload(product, world, csv('email', 'nora@example.com'));
  const mails = await product.testDatabase.owner.query<{ id: string }>('select id from outbox_emails');
  const { challenge } = everything;
  const mailed = { customerId: vera.id, pageId: page.id };
  const { services } = product;
  const change = { ...mailed, sequence: 1, oldEmail: 'before@example.com' };
  return {
    ids: [
      owner.id,
      bulkChange,
      params.organization_id,
      weekly.id,
      page.id,
      vera.id,
      action.id,
      integration.id,
      imported.id,
      ...deliveries.results.map(({ id }) => id),
      ...evidence.results.map(({ id }) => id),
      ...mails.rows.map(({ id }) => id),
    ],
    sealed,
    comparisonId: comparison.id,
    hook: { integration: integration.id, secret: integration.webhook_url?.split('/').at(-1) ?? '' },
    challenge,
    tokens: [
      sealEmailUndo(services, site.id, change),
      sealDataLink(services, site.id, { ...mailed, kind: 'download' }),
      sealDataLink(services, site.id, { ...mailed, kind: 'erasure' }),
    ],
    leaveLinks: [everything.one_click_url, oneList.one_click_url].map((url) => url.split('/u/')[1] ?? ''),
    // The app's, the site's, the site's own domain, and an unknown one.
    hosts: [
      new URL(product.url).host,
      `${site.domain_name}:${product.services.config.port}`,
      ownHost,
      'nobody.example',
    ],
    queries: [
      '',
      `?challenge=${challenge}`,
      `?challenge=${challenge}&state=unsubscribe`,
      `?challenge=${challenge}&state=unsubscribe&listId=${weekly.id}`,
      `?challenge=${challenge}&state=subscribe&listId=${weekly.id}&save=1`,
      `?email=${encodeURIComponent(vera.email)}&state=unsubscribe`,
      `?email=${encodeURIComponent(vera.email)}&state=subscribe&listId=${offers.id}`,
      '?email=nobody.yet%40example.com&state=subscribe',
      '?List-Unsubscribe=One-Click',
    ],
  };
}

/** The values that a parameter of a path can really have. */
function valuesOf(name: string): string[] {
  const { owner, params, site, page } = world;
  const known: Record<string, string[]> = {
    organization_id: [params.organization_id],
    site_id: [params.site_id],
    site: [site.id],
    customerId: [real.sealed],
    custom_path: [page.custom_path, 'proven'],
    challenge: [real.challenge, ...real.leaveLinks],
    token: real.tokens,
    integration: [real.hook.integration],
    secret: [real.hook.secret],
    id: real.ids,
    comparison_id: [real.comparisonId],
    difference_id: [real.comparisonId],
    version: ['1'],
    user: [owner.id],
    passkey_id: [owner.id],
    '*': [page.custom_path, 'proven', `u/${real.leaveLinks[0] ?? ''}`, 'nothing-here'],
  };
  return known[name] ?? real.ids;
}

/** Every real path of a route: one for each combination of values. */
function pathsOf(path: string): string[] {
  const parameter = /:(\w+)|\*/.exec(path);
  if (parameter === null) return [path];
  const values = valuesOf(parameter[1] ?? '*');
  return values.flatMap((value) => pathsOf(path.replace(parameter[0], encodeURI(value))));
}

async function read(
  method: (typeof READING)[number],
  url: string,
  host: string,
  headers: Record<string, string>,
) {
  const answer = await product.http.inject({ method, url, headers: { host, ...headers } });
  return answer.statusCode;
}

const asOwner = () => ({ authorization: `Bearer ${world.owner.token}`, accept: 'application/json' });
const asVisitor = () => ({ 'x-site-domain': world.site.domain_name, accept: 'text/html' });

describe('reading changes nothing', () => {
  it(
    'with GET, HEAD and OPTIONS on every route, host, real id, challenge, state link and leave link (spec 41)',
    { timeout: 120_000 },
    async () => {
      const paths = [...new Set(routes.map(({ path }) => path))];
      const answers: Record<number, number> = {};
      await writes.forget();
      for (const path of paths) {
        const forBrowsers = !path.startsWith('/api/');
        const hosts = forBrowsers ? real.hosts : real.hosts.slice(0, 1);
        // The pages of sites answer where a path is free; only they read the query.
        const queries =
          forBrowsers && /:challenge|:custom|:token|\*/.test(path) ? real.queries : real.queries.slice(0, 1);
        const realPaths = pathsOf(path);
        // A call of the API is the same call by each method, whatever its id; scanners follow links by any of them.
        const [first] = realPaths;
        for (const realPath of realPaths) {
          for (const host of hosts) {
            for (const query of host === real.hosts[1] ? queries : queries.slice(0, 1)) {
              for (const method of forBrowsers || realPath === first ? READING : (['GET'] as const)) {
                const headers = forBrowsers ? asVisitor() : { ...asVisitor(), ...asOwner() };
                const status = await read(method, `${realPath}${query}`, host, headers);
                if (status >= 500) expect.fail(`${method} ${host} ${realPath}${query} answered ${status}`);
                answers[status] = (answers[status] ?? 0) + 1;
              }
            }
          }
        }
        expect(await writes.tables(), `reading ${path}`).toEqual([]);
      }
      // Otherwise this would only prove that refusing changes nothing.
      expect(answers[200]).toBeGreaterThan(100);
    },
  );

  it('and every GET of the contract was really answered', async () => {
    await writes.forget();
    for (const [name, { method, path }] of ROUTES) {
      if (method !== 'GET') continue;
      const headers = { ...asVisitor(), ...asOwner() };
      const query = QUERIES[name] ?? '';
      const statuses: number[] = [];
      for (const realPath of pathsOf(`${API_PREFIX}${path.replace(/\{(\w+)\}/g, ':$1')}`)) {
        statuses.push(await read('GET', `${realPath}${query}`, real.hosts[0] ?? '', headers));
      }
      expect(statuses, name).toContain(200);
    }
    expect(await writes.tables()).toEqual([]);
  });
});
