import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { startComparison } from '#contract/comparisons.ts';
import type { ErrorBody } from '#contract/errors.ts';
import { createApiKey } from '#contract/api-keys.ts';
import { createCustomerView } from '#contract/customer-views.ts';
import { createIntegration } from '#contract/integrations.ts';
import { createList } from '#contract/lists.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { startOAuth } from '#contract/oauth.ts';
import { listPageVersions, savePageDraft } from '#contract/page-drafts.ts';
import { createPreferencePage, pageAttrs } from '#contract/preference-pages.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { KEY_SCOPES, type KeyScope, type Role, ROLES } from '#contract/roles.ts';
import { API_PREFIX, type Route } from '#contract/route.ts';
import { ROUTES } from '#contract/routes.ts';
import { startPasskey, startTotp } from '#contract/second-factors.ts';
import { newId } from '#server/platform/ids.ts';
import { sha256 } from '#server/platform/secrets.ts';
import { type BrevoFake, startBrevoFake } from './fakes/tools/brevo.ts';
import { newAuthenticator } from './harness/authenticator.ts';
import { insertPreview } from './harness/bulk-undos.ts';
import { setDomain } from './harness/domains.ts';
import { eachOf } from './harness/each-of.ts';
import { csv, upload } from './harness/imports.ts';
import { buildMember } from './harness/members.ts';
import { type Caller, startTestProduct, type TestProduct } from './harness/product.ts';
import { authenticatorApp } from './harness/second-factors.ts';
import { collectRoutes, type RegisteredRoute } from './harness/routes.ts';
import { noteWrites, type Writes } from './harness/rows.ts';
import {
  buildCustomer,
  buildOwner,
  buildWebhook,
  buildWorld,
  knownBrowser,
  openAsProven,
  type Owner,
  PASSWORD,
  type World,
} from './harness/world.ts';

/** An organization with one of everything, and one customer who made a choice. */
interface Tenant extends World {
  customer: { id: string; email: string };
  /** The sealed id of that customer. */
  sealed: string;
  challenge: string;
  action: { id: string; secret: string };
  integrationId: string;
  deliveryId: string;
  choiceId: string;
}

interface Parts {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
}

/**
 * Who calls. `anonymous` knows ids but has no token; `stranger` owns another organization; `member` owns this one;
 * `elsewhere` is a customer of another site and `customer` one of this site.
 */
const CALLERS = ['anonymous', 'stranger', 'member', 'elsewhere', 'customer'] as const;
type CallerName = (typeof CALLERS)[number];

/** Without a token only customers of the site get in. */
const OWNERS_ONLY = [401, 404, 200, 401, 401] as const;
const OWNERS_MAKE = [401, 404, 201, 401, 401] as const;
const OWNERS_DELETE = [401, 404, 204, 401, 401] as const;
const OWNERS_START = [401, 404, 202, 401, 401] as const;
const EVERYONE = [200, 200, 200, 200, 200] as const;
/** Every account may; what it gets or makes is its own. */
const ACCOUNTS = [401, 200, 200, 401, 401] as const;
const CUSTOMERS_ONLY = [404, 404, 404, 404, 200] as const;
const CUSTOMERS_TELL = [404, 404, 404, 404, 204] as const;

/** The status that each caller gets, in the order of `CALLERS`, by operation id. */
const EXPECTED: Record<string, readonly [number, number, number, number, number]> = {
  getAppSettings: EVERYONE,
  signUp: [201, 201, 201, 201, 201],
  logIn: EVERYONE,
  logInWithGoogle: [404, 404, 404, 404, 404],
  startSignIn: [404, 404, 404, 404, 404],
  finishSignIn: [404, 404, 404, 404, 404],
  // Nobody brings what Google said, nor the token of a mail.
  linkGoogle: [409, 409, 409, 409, 409],
  finishLogIn: [409, 409, 409, 409, 409],
  listSecondFactors: OWNERS_ONLY,
  startTotp: OWNERS_ONLY,
  addTotp: OWNERS_MAKE,
  removeTotp: OWNERS_ONLY,
  startPasskey: OWNERS_ONLY,
  addPasskey: OWNERS_MAKE,
  renamePasskey: OWNERS_ONLY,
  removePasskey: OWNERS_ONLY,
  createRecoveryCodes: OWNERS_MAKE,
  startReauthentication: OWNERS_ONLY,
  reauthenticate: OWNERS_ONLY,
  requireSecondFactor: OWNERS_ONLY,
  mailGoogleLink: [409, 409, 409, 409, 409],
  unlinkGoogle: OWNERS_ONLY,
  changeEmail: OWNERS_START,
  cancelEmailChange: OWNERS_ONLY,
  readAccountLink: [409, 409, 409, 409, 409],
  confirmAccountLink: [409, 409, 409, 409, 409],
  refreshTokens: EVERYONE,
  logOut: [204, 204, 204, 204, 204],
  resetPassword: EVERYONE,
  getAccount: OWNERS_ONLY,
  updateAccount: OWNERS_ONLY,
  updateAccountWithoutId: [401, 400, 400, 401, 401],
  listSessions: OWNERS_ONLY,
  endSession: OWNERS_DELETE,
  endOtherSessions: OWNERS_DELETE,
  uploadAvatar: OWNERS_MAKE,
  removeAvatar: OWNERS_ONLY,
  exportAccount: OWNERS_ONLY,
  planDeletion: OWNERS_ONLY,
  // For its member too: no existing username was typed.
  deleteAccount: [401, 404, 422, 401, 401],
  submitSurvey: OWNERS_MAKE,
  listSurveys: OWNERS_ONLY,
  createOrganization: [401, 201, 201, 401, 401],
  getOrganization: OWNERS_ONLY,
  renameOrganization: OWNERS_ONLY,
  check: ACCOUNTS,
  listSites: OWNERS_ONLY,
  listSitesV1_1: OWNERS_ONLY,
  createSite: OWNERS_MAKE,
  updateSite: OWNERS_ONLY,
  sendTestEmail: OWNERS_ONLY,
  getDomain: OWNERS_ONLY,
  checkDomain: OWNERS_ONLY,
  askTls: EVERYONE,
  listLists: OWNERS_ONLY,
  createList: OWNERS_MAKE,
  orderLists: OWNERS_ONLY,
  getList: OWNERS_ONLY,
  updateList: OWNERS_ONLY,
  deleteList: OWNERS_DELETE,
  listPreferencePages: OWNERS_ONLY,
  createPreferencePage: OWNERS_MAKE,
  getPreferencePage: OWNERS_ONLY,
  replacePreferencePage: OWNERS_ONLY,
  deletePreferencePage: OWNERS_DELETE,
  getPageDraft: OWNERS_ONLY,
  savePageDraft: OWNERS_ONLY,
  discardPageDraft: OWNERS_DELETE,
  listPageVersions: OWNERS_ONLY,
  getPageVersion: OWNERS_ONLY,
  sendOwnLink: OWNERS_START,
  mintOwnLink: OWNERS_MAKE,
  uploadImage: OWNERS_MAKE,
  checkEmail: OWNERS_ONLY,
  listCustomers: OWNERS_ONLY,
  countCustomers: OWNERS_ONLY,
  listCustomerViews: OWNERS_ONLY,
  createCustomerView: OWNERS_MAKE,
  updateCustomerView: OWNERS_ONLY,
  deleteCustomerView: OWNERS_DELETE,
  createCustomer: OWNERS_MAKE,
  getCustomer: OWNERS_ONLY,
  updateCustomer: OWNERS_ONLY,
  deleteCustomer: OWNERS_DELETE,
  getCustomerLists: OWNERS_ONLY,
  setCustomerLists: OWNERS_ONLY,
  listPendingChanges: OWNERS_ONLY,
  listComplaints: OWNERS_ONLY,
  getComplaint: OWNERS_ONLY,
  answerComplaint: OWNERS_ONLY,
  mintLinks: OWNERS_MAKE,
  endLinks: OWNERS_ONLY,
  listCustomerEvidence: OWNERS_ONLY,
  listEvidence: OWNERS_ONLY,
  getEvidence: OWNERS_ONLY,
  getEvidenceCheck: OWNERS_ONLY,
  uploadImport: OWNERS_MAKE,
  createImport: OWNERS_MAKE,
  listImports: OWNERS_ONLY,
  getImport: OWNERS_ONLY,
  checkImport: OWNERS_START,
  applyImport: OWNERS_START,
  cancelImport: OWNERS_ONLY,
  listImportRows: OWNERS_ONLY,
  listBulkChanges: OWNERS_ONLY,
  getBulkChange: OWNERS_ONLY,
  previewUndo: OWNERS_START,
  startUndo: OWNERS_START,
  listUndoneCustomers: OWNERS_ONLY,
  downloadRejectedRows: OWNERS_ONLY,
  exportCustomers: OWNERS_ONLY,
  exportEvidence: OWNERS_ONLY,
  exportCustomerProof: OWNERS_ONLY,
  exportCustomerProofPdf: OWNERS_ONLY,
  exportSiteProof: OWNERS_ONLY,
  exportSiteProofPdf: OWNERS_ONLY,
  listEvidenceHeads: OWNERS_ONLY,
  getEvidenceAnchor: OWNERS_ONLY,
  // The site sends its heads nowhere.
  askEvidenceAnchor: [401, 404, 409, 401, 401],
  listConnectors: ACCOUNTS,
  listIntegrations: OWNERS_ONLY,
  createIntegration: OWNERS_MAKE,
  getIntegration: OWNERS_ONLY,
  updateIntegration: OWNERS_ONLY,
  deleteIntegration: OWNERS_DELETE,
  verifyIntegration: OWNERS_ONLY,
  setUpWebhook: OWNERS_ONLY,
  listToolResources: OWNERS_ONLY,
  listToolLinks: OWNERS_ONLY,
  getProposals: OWNERS_ONLY,
  applyProposals: OWNERS_ONLY,
  startOAuth: OWNERS_ONLY,
  // What one account has begun is nothing to another.
  finishOAuth: [401, 422, 200, 401, 401],
  listInbound: OWNERS_ONLY,
  startComparison: OWNERS_START,
  listComparisons: OWNERS_ONLY,
  getComparison: OWNERS_ONLY,
  listComparisonDifferences: OWNERS_ONLY,
  cancelComparison: OWNERS_ONLY,
  listDifferences: OWNERS_ONLY,
  mendDifference: OWNERS_ONLY,
  dismissDifference: OWNERS_ONLY,
  mendDifferences: OWNERS_START,
  listActions: OWNERS_ONLY,
  createAction: OWNERS_MAKE,
  getAction: OWNERS_ONLY,
  updateAction: OWNERS_ONLY,
  deleteAction: OWNERS_DELETE,
  previewAction: OWNERS_ONLY,
  previewChoice: OWNERS_ONLY,
  testAction: OWNERS_ONLY,
  listActionSamples: OWNERS_ONLY,
  listDeliveries: OWNERS_ONLY,
  getDashboard: OWNERS_ONLY,
  getLeaveJudgements: OWNERS_ONLY,
  getOnboarding: OWNERS_ONLY,
  listSitesInNeed: OWNERS_ONLY,
  getListFigures: OWNERS_ONLY,
  getActionFigures: OWNERS_ONLY,
  getDelivery: OWNERS_ONLY,
  replayDelivery: OWNERS_START,
  countReplays: OWNERS_ONLY,
  countHeld: OWNERS_ONLY,
  replayDeliveries: OWNERS_START,
  listMembers: OWNERS_ONLY,
  inviteMember: OWNERS_MAKE,
  resendInvitation: OWNERS_ONLY,
  withdrawInvitation: OWNERS_DELETE,
  changeMember: OWNERS_ONLY,
  removeMember: OWNERS_DELETE,
  // The only owner stays.
  leaveOrganization: [401, 404, 409, 401, 401],
  readInvitation: EVERYONE,
  // Who has an organization keeps it.
  acceptInvitation: [401, 409, 409, 401, 401],
  listApiKeys: OWNERS_ONLY,
  createApiKey: OWNERS_MAKE,
  revokeApiKey: OWNERS_DELETE,
  listAuditLog: OWNERS_ONLY,
  listAuditActors: OWNERS_ONLY,
  recordAgentCall: OWNERS_DELETE,
  getPublicPage: EVERYONE,
  // A challenge of this site proves this site's customer, no matter who sends it; the caller's own is worth nothing here.
  openCustomer: [404, 404, 404, 404, 200],
  getCustomerPage: CUSTOMERS_ONLY,
  saveLists: CUSTOMERS_ONLY,
  updatePublicCustomer: CUSTOMERS_ONLY,
  undoChoice: CUSTOMERS_ONLY,
  giveReason: CUSTOMERS_TELL,
  requestData: [404, 404, 404, 404, 202],
  complain: [404, 404, 404, 404, 202],
  mailFreshLink: [404, 404, 404, 404, 202],
  // Nothing waits, which only the customer themselves learns by it.
  resendConfirmation: [404, 404, 404, 404, 404],
  endOwnLinks: CUSTOMERS_ONLY,
  getChoiceProgress: CUSTOMERS_ONLY,
};

let product: TestProduct;
let routes: RegisteredRoute[];
let writes: Writes;
let brevo: BrevoFake;
let acme: Tenant;
let globex: Tenant;
let spare: Owner;

beforeAll(async () => {
  brevo = await startBrevoFake();
  // No DNS server listens there: what a check finds is another test's business.
  const env = {
    DNS_SERVERS: '127.0.0.1:9',
    CONNECTOR_BREVO_URL: brevo.url,
    CONNECTOR_BREVO_CLIENT_ID: brevo.oauth.clientId,
    CONNECTOR_BREVO_CLIENT_SECRET: brevo.oauth.clientSecret,
  };
  const collected = await collectRoutes(() => startTestProduct({ env }));
  product = collected.started;
  routes = collected.routes;
  writes = await noteWrites(product.testDatabase.owner);
  acme = await buildTenant('acme');
  globex = await buildTenant('globex');
  spare = await buildOwner(product, 'spare');
});

afterAll(async () => {
  await product.stop();
  await brevo.close();
});

async function connectBrevo({ params, owner }: World): Promise<string> {
  const body = { provider: 'brevo', credentials: brevo.credentials };
  return (await product.call(createIntegration, { params, body }, owner)).id;
}

/** What the tool sends an owner back with. */
async function logInAtBrevo({ params, owner }: World): Promise<{ code: string; state: string }> {
  const { authorize_url } = await product.call(startOAuth, { params, body: { provider: 'brevo' } }, owner);
  const { code, state } = await brevo.oauth.allow(authorize_url);
  return { code, state };
}

async function endViews({ site }: Tenant): Promise<void> {
  await product.testDatabase.owner.query('delete from customer_views where site_id = $1', [site.id]);
}

/** One that nobody has answered. */
async function complaintOf({ params, customer }: Tenant): Promise<Record<string, string>> {
  const id = newId();
  await product.testDatabase.owner.query(
    `insert into complaints (site_id, id, customer_id, language, received_at, due_at)
     values ($1, $2, $3, 'en', now(), now())`,
    [params.site_id, id, customer.id],
  );
  return { ...params, id };
}

async function viewOf(tenant: Tenant): Promise<Record<string, string>> {
  await endViews(tenant);
  const body = { name: 'Readers', filter: { state: 'active' as const } };
  const { id } = await product.call(createCustomerView, { params: tenant.params, body }, tenant.owner);
  return { ...tenant.params, id };
}

async function startedComparison(tenant: Tenant): Promise<Record<string, string>> {
  const params = { ...tenant.params, id: await connectBrevo(tenant) };
  const { id } = await product.call(startComparison, { params }, tenant.owner);
  return { ...params, comparison_id: id };
}

async function finishedComparison({ params, integrationId }: Tenant): Promise<Record<string, string>> {
  const id = newId();
  const done = { total: 0, customers: 0, compared: 0, same: 0, different: 0 };
  const counts = { ...done, mended: 0, failed: 0, unknown: 0, skipped: 0 };
  await product.testDatabase.owner.query(
    `insert into reconciliations (site_id, id, integration_id, kind, status, counts, started_at, finished_at)
     values ($1, $2, $3, 'on_demand', 'finished', $4, now(), now())`,
    [params.site_id, id, integrationId, counts],
  );
  return { ...params, id: integrationId, comparison_id: id };
}

/** Found by a comparison some time ago; it no longer holds. */
async function foundDifference({ params, customer, integrationId }: Tenant): Promise<Record<string, string>> {
  const id = newId();
  const change = { in: 'tool', type: 'list', target: { id: '7', name: 'Weekly' }, on: true, list_ids: [] };
  const now = new Date();
  const ours = { global_unsubscribe: false, paused_until: null, lists: [], changed_at: now.toISOString() };
  const theirs = { known: true, unsubscribed: false, holds: false };
  await product.testDatabase.owner.query(
    `insert into discrepancies values ($1, $2, $2, $3, $4, null, $2::uuid::text, 'not_applied', $5, $6, $7, 'open', null, $8)`,
    [params.site_id, id, integrationId, customer.id, change, ours, theirs, now],
  );
  return { ...params, id: integrationId, difference_id: id };
}

async function buildTenant(name: string): Promise<Tenant> {
  const world = await buildWorld(product, name);
  await setDomain(product, world, `mail.${name}.example`);
  const action = await buildWebhook(product, world, { url: `https://${name}.example/hook` });
  const customer = await buildCustomer(product, world, `${name}-customer@example.com`);
  const sealed = await openAsProven(product, world, customer);
  const links = await mint(world, customer.id);
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await product.call(saveLists, { params: { customerId: sealed }, body }, world.visitor);
  const deliveries = await product.call(listDeliveries, { params: world.params }, world.owner);
  const evidence = await product.call(
    listCustomerEvidence,
    { params: { ...world.params, id: customer.id } },
    world.owner,
  );
  return {
    ...world,
    customer,
    sealed,
    challenge: links.challenge,
    action,
    integrationId: await connectBrevo(world),
    deliveryId: deliveries.results[0]?.id ?? '',
    choiceId: evidence.results[0]?.id ?? '',
  };
}

async function mint(world: World, id: string): Promise<{ challenge: string }> {
  const answer = await send(route('mintLinks'), { params: { ...world.params, id }, body: {} }, world.owner);
  return answer.json as { challenge: string };
}

function route(name: string): Route {
  const found = ROUTES.get(name);
  if (found === undefined) throw new Error(`The contract has no ${name}`);
  return found;
}

/** Everything but the limits: being refused may count as a try. */
async function tablesWritten(): Promise<string[]> {
  const tables = await writes.tables();
  return tables.filter((table) => table !== 'public.rate_limits');
}

async function send(to: Route, parts: Parts, as: Caller) {
  const path = to.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parts.params?.[name] ?? ''),
  );
  const response = await fetch(`${product.url}${API_PREFIX}${path}?${new URLSearchParams(parts.query)}`, {
    method: to.method,
    headers: {
      ...(as.token === undefined ? {} : { authorization: `Bearer ${as.token}` }),
      ...(as.host === undefined ? {} : { 'x-site-domain': as.host }),
      ...(parts.body === undefined || isFile(parts.body) ? {} : { 'content-type': 'application/json' }),
      ...parts.headers,
    },
    body: isFile(parts.body) ? parts.body : parts.body === undefined ? null : JSON.stringify(parts.body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, text, json: isJson ? (JSON.parse(text) as unknown) : null };
}

const isFile = (body: unknown): body is Blob => body instanceof Blob;

const PICTURE = new Blob(
  ['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'],
  {
    type: 'image/svg+xml',
  },
);

const EMAIL = new Blob(['From: nora@shop.example\r\n\r\nHello'], { type: 'message/rfc822' });

const fresh = () => randomBytes(5).toString('hex');

const pageBody = (tenant: Tenant) => ({
  name: 'Another page',
  custom_path: `page-${fresh()}`,
  lists: [{ id: tenant.weekly.id }],
});

/** One more log-in of an owner, made by hand: log-ins are counted. */
async function anotherSession(owner: Owner): Promise<string> {
  const id = newId();
  await product.testDatabase.owner.query(
    `insert into sessions (id, user_id, created_at, expires_at) values ($1, $2, $3, $3)`,
    [id, owner.id, new Date()],
  );
  return id;
}

/** As if the account had never had a second factor. */
async function withoutFactors({ id }: Owner): Promise<void> {
  for (const table of ['totp_factors', 'passkeys']) {
    await product.testDatabase.owner.query(`delete from ${table} where user_id = $1`, [id]);
  }
}

/** One more, made by hand: the account is told of those that are added. */
async function passkeyOf(owner: Owner): Promise<string> {
  await withoutFactors(owner);
  const id = newId();
  await product.testDatabase.owner.query(
    `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, is_synced, name, created_at)
     values ($1, $2, $3, '\\x00', 0, '{}', false, 'Key', now())`,
    [id, owner.id, fresh()],
  );
  return id;
}

/** Their mail follows the answer: it is none of the changes that the next call must not make. */
const MAILED_AFTERWARDS: ReadonlySet<string> = new Set([
  'addTotp',
  'removeTotp',
  'addPasskey',
  'removePasskey',
  'createRecoveryCodes',
]);

async function mailCount(): Promise<number> {
  const { rows: found } = await product.testDatabase.owner.query('select 1 from outbox_emails');
  return found.length;
}

/** A call on something of the tenant that must work for its member (or for its customer). */
const CALLS: Record<string, (tenant: Tenant) => Parts | Promise<Parts>> = {
  getAppSettings: () => ({}),
  signUp: () => ({
    body: { username: `new-${fresh()}`, email: `new-${fresh()}@example.com`, password: PASSWORD },
  }),
  logIn: () => ({
    headers: knownBrowser(product, spare),
    body: { username: spare.username, password: PASSWORD },
  }),
  logInWithGoogle: () => ({ body: { code: 'a-code' } }),
  startSignIn: () => ({ body: {} }),
  finishSignIn: () => ({ body: { code: 'a-code', state: 'a-state', flow: 'a-flow' } }),
  linkGoogle: () => ({ body: { link_token: 'nothing', password: PASSWORD } }),
  mailGoogleLink: () => ({ body: { link_token: 'nothing' } }),
  finishLogIn: () => ({ body: { ticket: 'nothing', way: 'totp', code: '000000' } }),
  listSecondFactors: ({ owner }) => ({ params: { id: owner.id } }),
  startTotp: async ({ owner }) => {
    await withoutFactors(owner);
    return { params: { id: owner.id } };
  },
  addTotp: async ({ owner }) => {
    await withoutFactors(owner);
    const params = { id: owner.id };
    const { secret, setup } = await product.call(startTotp, { params }, owner);
    return { params, body: { setup, code: authenticatorApp(product, secret).code() } };
  },
  removeTotp: async ({ owner }) => {
    await withoutFactors(owner);
    await product.testDatabase.owner.query(`insert into totp_factors values ($1, 'x', 0, now())`, [owner.id]);
    return { params: { id: owner.id } };
  },
  startPasskey: ({ owner }) => ({ params: { id: owner.id } }),
  addPasskey: async ({ owner }) => {
    const params = { id: owner.id };
    const { options, setup } = await product.call(startPasskey, { params }, owner);
    const attestation = newAuthenticator(product.url).create(options);
    return { params, body: { setup, name: 'Key', attestation } };
  },
  renamePasskey: async ({ owner }) => ({
    params: { id: owner.id, passkey_id: await passkeyOf(owner) },
    body: { name: 'Another name' },
  }),
  removePasskey: async ({ owner }) => ({
    params: { id: owner.id, passkey_id: await passkeyOf(owner) },
  }),
  createRecoveryCodes: async ({ owner }) => {
    await passkeyOf(owner);
    return { params: { id: owner.id } };
  },
  startReauthentication: ({ owner }) => ({ params: { id: owner.id } }),
  reauthenticate: ({ owner }) => ({
    params: { id: owner.id },
    body: { way: 'password', password: PASSWORD },
  }),
  requireSecondFactor: ({ params }) => ({
    params: { id: params.organization_id },
    body: { required: false },
  }),
  unlinkGoogle: ({ owner }) => ({ params: { id: owner.id } }),
  changeEmail: ({ owner }) => ({
    params: { id: owner.id },
    body: { email: `moved-${fresh()}@example.com`, current_password: PASSWORD },
  }),
  cancelEmailChange: ({ owner }) => ({ params: { id: owner.id } }),
  readAccountLink: () => ({ body: { token: 'nothing' } }),
  confirmAccountLink: () => ({ body: { token: 'nothing' } }),
  refreshTokens: () => ({ body: { refresh_token: spare.refreshToken } }),
  logOut: () => ({ body: { refresh_token: `unknown-${fresh()}` } }),
  resetPassword: () => ({ body: { email: `nobody-${fresh()}@example.com` } }),
  getAccount: ({ owner }) => ({ params: { id: owner.id } }),
  updateAccount: ({ owner }) => ({ params: { id: owner.id }, body: { first_name: 'Nora' } }),
  updateAccountWithoutId: () => ({ body: {} }),
  listSessions: ({ owner }) => ({ params: { id: owner.id } }),
  endSession: async ({ owner }) => ({
    params: { id: owner.id, session_id: await anotherSession(owner) },
  }),
  endOtherSessions: ({ owner }) => ({ params: { id: owner.id } }),
  uploadAvatar: ({ owner }) => ({ params: { id: owner.id }, body: PICTURE }),
  removeAvatar: ({ owner }) => ({ params: { id: owner.id } }),
  exportAccount: ({ owner }) => ({ params: { id: owner.id } }),
  planDeletion: ({ owner }) => ({ params: { id: owner.id } }),
  deleteAccount: ({ owner }) => ({ params: { id: owner.id }, body: { username: 'nobody' } }),
  listSurveys: ({ owner }) => ({ params: { id: owner.id } }),
  submitSurvey: ({ owner }) => ({
    params: { id: owner.id },
    body: { version: 1, data: { name: 'Acme', domain: 'acme', integrations: [], contacts: 1000 } },
  }),
  createOrganization: () => ({ body: { name: `Organization ${fresh()}` } }),
  getOrganization: ({ params }) => ({ params: { id: params.organization_id } }),
  renameOrganization: ({ params }) => ({
    params: { id: params.organization_id },
    body: { name: `Renamed ${fresh()}` },
  }),
  check: () => ({ query: { organization_name: 'anything' } }),
  listSites: ({ params }) => ({ params }),
  listSitesV1_1: ({ params }) => ({ params }),
  createSite: ({ params }) => ({ params, body: { name: 'Second', domain_name: `second-${fresh()}` } }),
  updateSite: ({ params, site }) => ({ params, body: { name: site.name } }),
  sendTestEmail: ({ params }) => ({ params }),
  getDomain: ({ params }) => ({ params }),
  checkDomain: ({ params }) => ({ params }),
  askTls: ({ site }) => ({ query: { domain: site.domain_name } }),
  listLists: ({ params }) => ({ params }),
  createList: ({ params }) => ({ params, body: { name: 'Another list' } }),
  orderLists: async (tenant) => ({ params: tenant.params, body: { ids: await listIds(tenant) } }),
  getList: ({ params, weekly }) => ({ params: { ...params, id: weekly.id } }),
  updateList: ({ params, weekly }) => ({ params: { ...params, id: weekly.id }, body: { name: weekly.name } }),
  deleteList: async ({ params, owner }) => {
    const list = await product.call(createList, { params, body: { name: 'To be deleted' } }, owner);
    return { params: { ...params, id: list.id } };
  },
  listPreferencePages: ({ params }) => ({ params }),
  createPreferencePage: (tenant) => ({ params: tenant.params, body: pageBody(tenant) }),
  getPreferencePage: ({ params, page }) => ({ params: { ...params, id: page.id } }),
  replacePreferencePage: ({ params, page, weekly, offers }) => ({
    params: { ...params, id: page.id },
    body: { name: page.name, custom_path: page.custom_path, lists: [{ id: weekly.id }, { id: offers.id }] },
  }),
  deletePreferencePage: async (tenant) => {
    const { params, owner } = tenant;
    const page = await product.call(createPreferencePage, { params, body: pageBody(tenant) }, owner);
    return { params: { ...params, id: page.id } };
  },
  getPageDraft: ({ params, page }) => ({ params: { ...params, id: page.id } }),
  savePageDraft: async (tenant) => ({ params: await undraftedPage(tenant), body: draftBody(tenant) }),
  discardPageDraft: async (tenant) => {
    const params = await undraftedPage(tenant);
    await product.call(savePageDraft, { params, body: draftBody(tenant) }, tenant.owner);
    return { params, query: { revision: '1' } };
  },
  listPageVersions: ({ params, page }) => ({ params: { ...params, id: page.id } }),
  getPageVersion: async ({ params, page, owner }) => {
    const { results } = await product.call(listPageVersions, { params: { ...params, id: page.id } }, owner);
    return { params: { ...params, id: page.id, version: String(results[0]?.version) } };
  },
  sendOwnLink: ({ params, page }) => ({ params: { ...params, id: page.id } }),
  mintOwnLink: ({ params, page }) => ({ params: { ...params, id: page.id } }),
  uploadImage: ({ params }) => ({ params, query: { kind: 'logo' }, body: PICTURE }),
  checkEmail: ({ params }) => ({ params, body: EMAIL }),
  listCustomers: ({ params }) => ({ params }),
  countCustomers: ({ params }) => ({ params }),
  listCustomerViews: ({ params }) => ({ params }),
  createCustomerView: async (tenant) => {
    await endViews(tenant);
    return { params: tenant.params, body: { name: 'Readers', filter: { state: 'active' } } };
  },
  updateCustomerView: async (tenant) => ({ params: await viewOf(tenant), body: { name: fresh() } }),
  deleteCustomerView: async (tenant) => ({ params: await viewOf(tenant) }),
  createCustomer: ({ params }) => ({ params, body: { email: `${fresh()}@example.com` } }),
  getCustomer: ({ params, customer }) => ({ params: { ...params, id: customer.id } }),
  updateCustomer: ({ params, customer }) => ({
    params: { ...params, id: customer.id },
    body: { global_unsubscribe: false },
  }),
  deleteCustomer: async (tenant) => ({
    params: { ...tenant.params, id: (await buildCustomer(product, tenant)).id },
  }),
  getCustomerLists: ({ params, customer }) => ({ params: { ...params, id: customer.id } }),
  setCustomerLists: ({ params, customer, weekly }) => ({
    params: { ...params, id: customer.id },
    body: [{ notification_list_id: weekly.id, subscribed: true }],
  }),
  listComplaints: ({ params }) => ({ params }),
  getComplaint: async (tenant) => ({ params: await complaintOf(tenant) }),
  answerComplaint: async (tenant) => ({
    params: await complaintOf(tenant),
    body: { outcome: 'upheld', answer: 'We stopped it.' },
  }),
  listPendingChanges: ({ params, customer }) => ({ params: { ...params, id: customer.id } }),
  mintLinks: ({ params, customer, weekly }) => ({
    params: { ...params, id: customer.id },
    body: { list_id: weekly.id },
  }),
  endLinks: ({ params, customer }) => ({ params: { ...params, id: customer.id } }),
  listCustomerEvidence: ({ params, customer }) => ({ params: { ...params, id: customer.id } }),
  listEvidence: ({ params }) => ({ params }),
  getEvidence: ({ params, choiceId }) => ({ params: { ...params, id: choiceId } }),
  getEvidenceCheck: ({ params }) => ({ params }),
  uploadImport: async (tenant) => {
    await endImports(tenant);
    return { params: tenant.params, query: { file_name: 'a.csv' }, body: csv('email', 'nora@example.com') };
  },
  createImport: async (tenant) => {
    await endImports(tenant);
    const resources = [{ resource: { id: '1', name: 'There' }, list_id: null }];
    const body = { integration_id: tenant.integrationId, kind: 'lists', resources };
    return { params: tenant.params, body };
  },
  listImports: ({ params }) => ({ params }),
  getImport: async (tenant) => ({ params: await importOf(tenant) }),
  checkImport: async (tenant) => ({
    params: await importOf(tenant),
    body: { mapping: { email: 'email' } },
  }),
  applyImport: async (tenant) => ({ params: await importOf(tenant, 'checked') }),
  cancelImport: async (tenant) => ({ params: await importOf(tenant) }),
  listImportRows: async (tenant) => ({ params: await importOf(tenant) }),
  downloadRejectedRows: async (tenant) => ({ params: await importOf(tenant) }),
  listBulkChanges: ({ params }) => ({ params }),
  getBulkChange: async (tenant) => ({ params: await undoOf(tenant) }),
  previewUndo: async (tenant) => ({ params: await undoOf(tenant) }),
  startUndo: async (tenant) => ({ params: await undoOf(tenant), body: { unsubscribes: 0 } }),
  listUndoneCustomers: async (tenant) => ({ params: await undoOf(tenant) }),
  exportCustomers: ({ params }) => ({ params }),
  exportEvidence: ({ params }) => ({ params }),
  exportCustomerProof: ({ params, customer }) => ({ params: { ...params, id: customer.id } }),
  exportCustomerProofPdf: ({ params, customer }) => ({ params: { ...params, id: customer.id } }),
  exportSiteProof: ({ params }) => ({ params }),
  exportSiteProofPdf: ({ params }) => ({ params }),
  listEvidenceHeads: ({ params }) => ({ params }),
  getEvidenceAnchor: ({ params }) => ({ params }),
  askEvidenceAnchor: ({ params }) => ({ params }),
  listConnectors: () => ({}),
  listIntegrations: ({ params }) => ({ params }),
  createIntegration: ({ params }) => ({
    params,
    body: { provider: 'brevo', credentials: brevo.credentials },
  }),
  getIntegration: ({ params, integrationId }) => ({ params: { ...params, id: integrationId } }),
  updateIntegration: ({ params, integrationId }) => ({
    params: { ...params, id: integrationId },
    body: { name: 'Renamed' },
  }),
  deleteIntegration: async (tenant) => ({
    params: { ...tenant.params, id: await connectBrevo(tenant) },
  }),
  verifyIntegration: ({ params, integrationId }) => ({ params: { ...params, id: integrationId } }),
  setUpWebhook: ({ params, integrationId }) => ({ params: { ...params, id: integrationId } }),
  listToolResources: ({ params, integrationId }) => ({
    params: { ...params, id: integrationId },
    query: { kind: 'lists' },
  }),
  listToolLinks: ({ params, integrationId }) => ({ params: { ...params, id: integrationId } }),
  getProposals: ({ params, integrationId }) => ({ params: { ...params, id: integrationId } }),
  applyProposals: ({ params, integrationId }) => ({
    params: { ...params, id: integrationId },
    body: { create: [{ key: 'page' }] },
  }),
  startOAuth: ({ params }) => ({ params, body: { provider: 'brevo' } }),
  finishOAuth: async (tenant) => ({ body: await logInAtBrevo(tenant) }),
  listInbound: ({ params, integrationId }) => ({ params: { ...params, id: integrationId } }),
  startComparison: async (tenant) => ({ params: { ...tenant.params, id: await connectBrevo(tenant) } }),
  listComparisons: ({ params, integrationId }) => ({ params: { ...params, id: integrationId } }),
  getComparison: async (tenant) => ({ params: await startedComparison(tenant) }),
  listComparisonDifferences: async (tenant) => ({
    params: await finishedComparison(tenant),
    query: { count: 'different' },
  }),
  cancelComparison: async (tenant) => ({ params: await startedComparison(tenant) }),
  listDifferences: ({ params, integrationId }) => ({ params: { ...params, id: integrationId } }),
  mendDifference: async (tenant) => ({ params: await foundDifference(tenant) }),
  dismissDifference: async (tenant) => ({ params: await foundDifference(tenant) }),
  mendDifferences: async (tenant) => ({
    params: { ...tenant.params, id: await connectBrevo(tenant) },
    body: { kind: 'not_applied' },
  }),
  listActions: ({ params }) => ({ params }),
  createAction: ({ params }) => ({
    params,
    body: {
      type: 'webhook',
      name: 'Another action',
      enabled: false,
      trigger: { event: 'customer_created' },
      target: { url: 'https://shop.example/hook' },
    },
  }),
  getAction: ({ params, action }) => ({ params: { ...params, id: action.id } }),
  updateAction: ({ params, action }) => ({ params: { ...params, id: action.id }, body: { name: 'Renamed' } }),
  deleteAction: async (tenant) => ({
    params: {
      ...tenant.params,
      id: (await buildWebhook(product, tenant, { url: 'https://shop.example/hook' })).id,
    },
  }),
  previewAction: ({ params, action, customer }) => ({
    params: { ...params, id: action.id },
    body: { customer_id: customer.id },
  }),
  previewChoice: ({ params, customer }) => ({
    params,
    body: { customer: { id: customer.id }, choice: { global_unsubscribe: true } },
  }),
  testAction: async (tenant) => ({
    // Nobody listens there: what comes back is another test's business.
    params: {
      ...tenant.params,
      id: (await buildWebhook(product, tenant, { url: 'http://127.0.0.1:9/hook' })).id,
    },
  }),
  listActionSamples: ({ params }) => ({ params }),
  getDashboard: ({ params }) => ({ params, query: { range: '90d' } }),
  getLeaveJudgements: ({ params }) => ({ params }),
  getOnboarding: ({ params }) => ({ params }),
  listSitesInNeed: ({ params }) => ({ params }),
  getListFigures: ({ params }) => ({ params }),
  getActionFigures: ({ params }) => ({ params }),
  listDeliveries: ({ params, customer }) => ({ params, query: { customer_id: customer.id } }),
  getDelivery: ({ params, deliveryId }) => ({ params: { ...params, id: deliveryId } }),
  replayDelivery: ({ params, deliveryId }) => ({ params: { ...params, id: deliveryId } }),
  countReplays: ({ params, action }) => ({ params, query: { action_id: action.id } }),
  countHeld: ({ params }) => ({ params }),
  replayDeliveries: ({ params, action }) => ({ params, body: { action_id: action.id } }),
  listMembers: ({ params }) => ({ params }),
  inviteMember: ({ params }) => ({ params, body: { email: `${fresh()}@example.com`, role: 'viewer' } }),
  resendInvitation: async (tenant) => ({ params: { ...tenant.params, id: (await invited(tenant)).id } }),
  withdrawInvitation: async (tenant) => ({ params: { ...tenant.params, id: (await invited(tenant)).id } }),
  changeMember: async (tenant) => ({
    params: { ...tenant.params, id: await colleagueOf(tenant) },
    body: { role: 'editor' },
  }),
  removeMember: async (tenant) => ({ params: { ...tenant.params, id: await colleagueOf(tenant) } }),
  leaveOrganization: ({ params }) => ({ params }),
  readInvitation: async (tenant) => ({ body: { token: (await invited(tenant)).token } }),
  acceptInvitation: async (tenant) => {
    const { token } = await invited(tenant);
    // The person says on purpose that it is them.
    return { body: { token, as: 'OWN' } };
  },
  listApiKeys: ({ params }) => ({ params }),
  createApiKey: ({ params }) => ({ params, body: { name: 'A key', scopes: ['read'] } }),
  revokeApiKey: async ({ params, owner }) => {
    const body = { name: 'To be revoked', scopes: ['read' as const] };
    return { params: { ...params, id: (await product.call(createApiKey, { params, body }, owner)).id } };
  },
  listAuditLog: ({ params }) => ({ params }),
  listAuditActors: ({ params }) => ({ params }),
  recordAgentCall: ({ params, customer }) => ({
    params,
    body: { tool: 'find_customer', email: customer.email },
  }),
  getPublicPage: ({ page }) => ({ params: { custom_path: page.custom_path } }),
  openCustomer: ({ page }) => ({ body: { challenge: 'OWN', custom_path: page.custom_path } }),
  getCustomerPage: ({ page }) => ({ params: { customerId: 'OWN', custom_path: page.custom_path } }),
  saveLists: ({ weekly }) => ({
    params: { customerId: 'OWN' },
    body: [{ notification_list_id: weekly.id, subscribed: true }],
  }),
  requestData: () => ({ params: { customerId: 'OWN' }, body: { kind: 'download' } }),
  mailFreshLink: () => ({ params: { customerId: 'OWN' } }),
  complain: async () => {
    await product.testDatabase.owner.query('delete from rate_limits');
    return { params: { customerId: 'OWN' }, body: { text: 'I never agreed to this.' } };
  },
  resendConfirmation: () => ({ params: { customerId: 'OWN' }, body: { kind: 'subscribe' } }),
  endOwnLinks: () => ({ params: { customerId: 'OWN' } }),
  getChoiceProgress: () => ({ params: { customerId: 'OWN' } }),
  updatePublicCustomer: () => ({ params: { customerId: 'OWN' }, body: { global_unsubscribe: false } }),
  undoChoice: async (tenant) => ({
    params: { customerId: 'OWN' },
    body: { receipt: await receiptOf(tenant) },
  }),
  giveReason: async (tenant) => ({
    params: { customerId: 'OWN' },
    body: { receipt: await receiptOf(tenant), reason: 'other' },
  }),
};

const draftBody = ({ weekly }: Tenant) => ({
  content: {
    name: 'Half a na',
    custom_path: 'half',
    allow_customer_create: false,
    favicon: '',
    logo: '',
    active_languages: [],
    embed_origins: [],
    attrs: pageAttrs.parse({}),
    lists: [{ id: weekly.id }],
  },
  base_version: 1,
  revision: null,
});

/** A page of its own, so that no other draft is in the way. */
async function undraftedPage(tenant: Tenant): Promise<Tenant['params'] & { id: string }> {
  const { params, owner } = tenant;
  const { id } = await product.call(createPreferencePage, { params, body: pageBody(tenant) }, owner);
  return { ...params, id };
}

/** A site has only so many at a time. */
async function endImports({ site }: Tenant): Promise<void> {
  await product.testDatabase.owner.query('delete from imports where site_id = $1', [site.id]);
}

async function importOf(tenant: Tenant, status = 'uploaded'): Promise<Tenant['params'] & { id: string }> {
  await endImports(tenant);
  const { id } = await upload(product, tenant, csv('email', 'nora@example.com'));
  await product.testDatabase.owner.query('update imports set status = $2 where id = $1', [id, status]);
  return { ...tenant.params, id };
}

async function undoOf(tenant: Tenant): Promise<Tenant['params'] & { id: string }> {
  return { ...tenant.params, id: await insertPreview(product, tenant) };
}

/** Written by hand: an organization mails only so many an hour. */
async function invited({ params, owner }: Tenant): Promise<{ id: string; token: string }> {
  const [id, token] = [newId(), fresh()];
  const now = product.clock.now();
  await product.testDatabase.owner.query(
    `insert into invitations values ($1, $2, $3, $3, 'viewer', $4, $5, $6, $7, $6)`,
    [
      id,
      params.organization_id,
      `${token}@example.com`,
      sha256(token),
      owner.id,
      now,
      new Date(now.getTime() + 1000 * 3600),
    ],
  );
  return { id, token };
}

async function colleagueOf({ params }: Tenant): Promise<string> {
  const { id } = await buildOwner(product, 'colleague');
  await product.testDatabase.owner.query(`insert into members values ($1, $2, 'viewer', now())`, [
    params.organization_id,
    id,
  ]);
  return id;
}

/** Of a choice that was made a moment ago. */
async function receiptOf({ challenge, page, visitor, weekly }: Tenant): Promise<string> {
  // As a page that was opened just now: one from before changes nothing that was decided since.
  const body = { challenge, custom_path: page.custom_path };
  const { id: sealed } = await product.call(openCustomer, { body }, visitor);
  const save = (subscribed: boolean) =>
    product.call(
      saveLists,
      { params: { customerId: sealed }, body: [{ notification_list_id: weekly.id, subscribed }] },
      visitor,
    );
  await save(true);
  return (await save(false)).receipt ?? '';
}

async function listIds(tenant: Tenant): Promise<string[]> {
  const { json } = await send(route('listLists'), { params: tenant.params }, tenant.owner);
  return (json as { results: { id: string }[] }).results.map((list) => list.id);
}

function addressOf(caller: CallerName): string {
  return (caller === 'stranger' ? globex : acme).owner.email;
}

/** What a caller shows in place of a customer's authority. */
function ownAuthority(caller: CallerName): { sealed: string; challenge: string } {
  if (caller === 'customer') return acme;
  if (caller === 'elsewhere') return globex;
  // Having the row's id grants nothing.
  return { sealed: acme.customer.id, challenge: acme.customer.id };
}

function callerOf(name: CallerName): Caller {
  if (name === 'stranger') return { ...acme.visitor, token: globex.owner.token };
  if (name === 'member') return { ...acme.visitor, token: acme.owner.token };
  if (name === 'elsewhere') return { ...acme.visitor, token: globex.sealed };
  if (name === 'customer') return { ...acme.visitor, token: acme.sealed };
  return acme.visitor;
}

function withOwnAuthority(parts: Parts, caller: CallerName): Parts {
  const own = ownAuthority(caller);
  const body = parts.body as Record<string, unknown> | undefined;
  return {
    ...parts,
    ...(parts.params?.['customerId'] === 'OWN'
      ? { params: { ...parts.params, customerId: own.sealed } }
      : {}),
    ...(body?.['as'] === 'OWN' ? { body: { ...body, as: addressOf(caller) } } : {}),
    ...(body?.['challenge'] === 'OWN' ? { body: { ...body, challenge: own.challenge } } : {}),
  };
}

/** What only the tenant's own people may read. */
function secretsOf(tenant: Tenant): string[] {
  const { owner, customer, action } = tenant;
  const accounts = [owner.id, owner.username, owner.email, owner.refreshToken];
  const ids = [
    tenant.params.organization_id,
    customer.id,
    action.id,
    tenant.integrationId,
    tenant.deliveryId,
    tenant.choiceId,
  ];
  return [...accounts, ...ids, customer.email, action.secret, tenant.challenge];
}

/** What the tenant shows to the visitors of its pages, and to nobody on other hosts. */
function publicMarksOf(tenant: Tenant): string[] {
  return [tenant.weekly.id, tenant.offers.id, tenant.page.id, tenant.site.id, tenant.site.domain_name];
}

function leaksOf(text: string, secrets: string[]): string[] {
  return secrets.filter((secret) => secret !== '' && text.includes(secret));
}

/** To the person who has its token. */
const SHOWS_WHO_INVITES = 'readInvitation';

const OPEN_TO_VISITORS = new Set(['getPublicPage', 'openCustomer', 'getCustomerPage', 'saveLists']);

const SITE_ROUTES = [...ROUTES].filter(([, { access }]) => access === 'site').map(([name]) => name);
const ITEM_ROUTES = new Set(SITE_ROUTES.filter((name) => route(name).path.includes('{id}')));

/** Hundreds of calls. */
const LONG = { timeout: 300_000 };

describe('the matrix', () => {
  it('has a row and a call for every route of the contract, and no other (spec 105)', () => {
    const names = [...ROUTES.keys()].toSorted();
    expect(Object.keys(EXPECTED).toSorted()).toEqual(names);
    expect(Object.keys(CALLS).toSorted()).toEqual(names);
  });

  it('covers what the server answers: each route of the contract, and nothing else under the API', () => {
    const inContract = [...ROUTES.values()].map(
      ({ method, path }) => `${method} ${API_PREFIX}${path.replace(/\{(\w+)\}/g, ':$1')}`,
    );
    const served = routes
      .filter(({ method, path }) => path.startsWith(API_PREFIX) && !['HEAD', 'OPTIONS'].includes(method))
      .map(({ method, path }) => `${method} ${path}`);
    const aboutTheApi = [`GET ${API_PREFIX}/openapi.json`];
    const namingNothing = served.filter((one) => one.endsWith(`${API_PREFIX}/*`));
    const named = served.filter((one) => !namingNothing.includes(one));
    expect([...new Set(named)].toSorted()).toEqual([...inContract, ...aboutTheApi].toSorted());
  });

  it('answers 404 to each method of an unknown address', async () => {
    await eachOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], async (method) => {
      const headers = { authorization: `Bearer ${acme.owner.token}` };
      const response = await fetch(`${product.url}${API_PREFIX}/core/v1/nothing`, { method, headers });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ data: null, meta: { errors: [{ code: 'not_found' }] } });
    });
  });

  it(
    'has the right status for each caller of every route, shows nothing of others, and writes nothing when it refuses (spec 59)',
    LONG,
    () =>
      eachRoute(ROUTES.keys(), async (name) => {
        const mails = await mailCount();
        const callers = CALLERS.map((caller, at) => ({ caller, status: EXPECTED[name]?.[at] ?? 0 }));
        await callAsEach(name, callers, async ({ caller, status }, parts) => {
          const answer = await send(route(name), withOwnAuthority(parts, caller), callerOf(caller));
          const forbidden = [
            ...secretsOf(globex),
            ...publicMarksOf(globex),
            ...(caller === 'member' || caller === 'customer' || name === SHOWS_WHO_INVITES
              ? []
              : secretsOf(acme)),
            ...(caller === 'member' || OPEN_TO_VISITORS.has(name) ? [] : publicMarksOf(acme)),
          ];
          const mayKnowItself = caller === 'stranger' ? secretsOf(globex) : [];
          const leaks = leaksOf(answer.text, forbidden).filter((leak) => !mayKnowItself.includes(leak));
          const of = { route: name, caller };
          expect
            .soft({ ...of, status: answer.status, leaks }, answer.text)
            .toEqual({ ...of, status, leaks: [] });
        });
        if (MAILED_AFTERWARDS.has(name)) await expect.poll(mailCount).toBe(mails + 1);
      }),
  );
});

const VIEWER = ['viewer', 'editor', 'admin', 'owner'] as const;
const EDITOR = ['editor', 'admin', 'owner'] as const;
const ADMIN = ['admin', 'owner'] as const;

/** Who may call what of an organization, and with which one scope an API key may. */
const ROLES_AND_SCOPES: Record<string, { roles: readonly Role[]; scopes: readonly KeyScope[] }> = {
  ...rowsOf(
    VIEWER,
    [],
    ['getOrganization', 'listSites', 'listSitesV1_1', 'listSitesInNeed', 'listMembers', 'leaveOrganization'],
  ),
  ...rowsOf(
    VIEWER,
    ['read'],
    [
      ...[
        'getDomain',
        'getList',
        'listPreferencePages',
        'getPreferencePage',
        'listEvidence',
        'getEvidence',
        'getEvidenceCheck',
        'listEvidenceHeads',
        'getEvidenceAnchor',
      ],
      ...['listCustomerEvidence', 'listImports', 'getImport', 'listImportRows', 'listIntegrations'],
      ...['listBulkChanges', 'getBulkChange', 'listUndoneCustomers'],
      ...['getIntegration', 'listToolResources', 'listToolLinks', 'listInbound', 'listComparisons'],
      'getProposals',
      ...[
        'getComparison',
        'listComparisonDifferences',
        'listDifferences',
        'listActions',
        'getAction',
        'previewAction',
        'checkEmail',
        'previewChoice',
        'listActionSamples',
      ],
      ...[
        'listDeliveries',
        'getDelivery',
        'countReplays',
        'countHeld',
        'getPageDraft',
        'listPageVersions',
        'getPageVersion',
      ],
      ...[
        'getDashboard',
        'getLeaveJudgements',
        'getOnboarding',
        'getListFigures',
        'getActionFigures',
        'listCustomerViews',
      ],
    ],
  ),
  ...rowsOf(
    VIEWER,
    ['read', 'customers'],
    [
      ...['listLists', 'listCustomers', 'countCustomers', 'getCustomer', 'getCustomerLists'],
      ...['listPendingChanges', 'listComplaints', 'getComplaint'],
    ],
  ),
  ...rowsOf(VIEWER, ['read', 'customers', 'write'], ['recordAgentCall']),
  // It changes no customers, so whoever may read may ask for it.
  ...rowsOf(VIEWER, ['read', 'write'], ['previewUndo']),
  ...rowsOf(
    EDITOR,
    ['customers'],
    [
      ...['createCustomer', 'updateCustomer', 'deleteCustomer', 'setCustomerLists', 'mintLinks', 'endLinks'],
      'answerComplaint',
    ],
  ),
  ...rowsOf(
    EDITOR,
    ['write'],
    [
      ...['createList', 'orderLists', 'updateList', 'deleteList', 'createPreferencePage'],
      ...['replacePreferencePage', 'deletePreferencePage', 'uploadImage', 'uploadImport', 'createImport'],
      ...[
        'checkImport',
        'applyImport',
        'cancelImport',
        'verifyIntegration',
        'setUpWebhook',
        'startComparison',
      ],
      'startUndo',
      ...['cancelComparison', 'mendDifference', 'dismissDifference', 'mendDifferences', 'createAction'],
      ...['updateAction', 'deleteAction', 'testAction', 'replayDelivery', 'replayDeliveries'],
      ...['savePageDraft', 'discardPageDraft', 'applyProposals'],
      ...['createCustomerView', 'updateCustomerView', 'deleteCustomerView'],
    ],
  ),
  ...rowsOf(
    ADMIN,
    [],
    [
      ...[
        'createSite',
        'updateSite',
        'sendTestEmail',
        'askEvidenceAnchor',
        'checkDomain',
        'downloadRejectedRows',
        'exportCustomers',
      ],
      ...['exportCustomerProof', 'exportCustomerProofPdf', 'exportSiteProof', 'exportSiteProofPdf'],
      ...['exportEvidence', 'createIntegration', 'updateIntegration', 'deleteIntegration', 'startOAuth'],
      ...['finishOAuth', 'inviteMember', 'resendInvitation', 'withdrawInvitation', 'changeMember'],
      ...['removeMember', 'listApiKeys', 'createApiKey', 'revokeApiKey', 'listAuditLog', 'listAuditActors'],
    ],
  ),
  // They are about the caller, so no key may call them.
  ...rowsOf(EDITOR, [], ['sendOwnLink', 'mintOwnLink']),
  ...rowsOf(['owner'], [], ['renameOrganization', 'requireSecondFactor']),
};

function rowsOf(roles: readonly Role[], scopes: readonly KeyScope[], names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { roles, scopes }]));
}

/** Ends the caller's place there; and asks for the role of who began it, an admin then. Tested separately. */
const NOT_WALKED = ['leaveOrganization', 'finishOAuth'];

describe('the roles', () => {
  let members: Record<Role, Owner>;

  beforeAll(async () => {
    members = {
      viewer: await buildMember(product, acme, 'viewer'),
      editor: await buildMember(product, acme, 'editor'),
      admin: await buildMember(product, acme, 'admin'),
      owner: acme.owner,
    };
  });

  it('have a row for every route of an organization', () => {
    const inOrganizations = [...ROUTES].filter(
      ([, { access, needs }]) => access === 'organization' || access === 'site' || needs !== undefined,
    );
    expect(Object.keys(ROLES_AND_SCOPES).toSorted()).toEqual(
      inOrganizations.map(([name]) => name).toSorted(),
    );
  });

  it('may only make the calls listed for them, and are told which role the others need', LONG, () =>
    eachRoute(
      Object.keys(ROLES_AND_SCOPES).filter((name) => !NOT_WALKED.includes(name)),
      async (name) => {
        const mayCall = ROLES_AND_SCOPES[name]?.roles ?? [];
        const calls = ROLES.map((role) => ({
          role,
          status: mayCall.includes(role) ? (EXPECTED[name]?.[2] ?? 0) : 403,
        }));
        await callAsEach(name, calls, async ({ role, status }, parts) => {
          const answer = await send(route(name), parts, members[role]);
          const of = { route: name, role };
          expect.soft({ ...of, status: answer.status }, answer.text).toEqual({ ...of, status });
          if (status !== 403) return;
          expect.soft({ ...of, json: answer.json }).toMatchObject({
            ...of,
            json: {
              message: expect.stringContaining(`your role is ${role}`),
              data: { needs: mayCall[0], role },
              meta: { errors: [{ code: 'forbidden' }] },
            },
          });
        });
      },
    ),
  );
});

describe('API keys', () => {
  const keys = new Map<string, string>();

  beforeAll(async () => {
    for (const scope of KEY_SCOPES) {
      const body = { name: scope, scopes: [scope] };
      keys.set(scope, (await product.call(createApiKey, { params: acme.params, body }, acme.owner)).key);
    }
  });

  it('may only make the calls of their scopes', LONG, () =>
    eachRoute(SITE_ROUTES, async (name) => {
      const mayCall = ROLES_AND_SCOPES[name]?.scopes ?? [];
      const calls = KEY_SCOPES.map((scope) => ({
        scope,
        status: mayCall.includes(scope) ? (EXPECTED[name]?.[2] ?? 0) : 403,
      }));
      await callAsEach(name, calls, async ({ scope, status }, parts) => {
        const answer = await send(route(name), parts, { token: keys.get(scope) ?? '' });
        const of = { route: name, scope };
        expect.soft({ ...of, status: answer.status }, answer.text).toEqual({ ...of, status });
        if (status === 403)
          expect.soft({ ...of, codes: codesOf(answer) }).toEqual({ ...of, codes: ['forbidden'] });
      });
    }),
  );

  it('cannot access an account', LONG, () =>
    eachRoute(
      [...ROUTES]
        .filter(([, { access }]) => access === 'user' || access === 'organization')
        .map(([name]) => name),
      async (name) => {
        const parts = (await CALLS[name]?.(acme)) ?? {};
        const answer = await send(route(name), parts, { token: keys.get('write') ?? '' });
        expect.soft({ route: name, status: answer.status, json: answer.json }).toMatchObject({
          route: name,
          status: 403,
          json: {
            message: "API keys can't use this route. Log in to the dashboard, or use an access token.",
            data: { needs: [] },
            meta: { errors: [{ code: 'forbidden' }] },
          },
        });
      },
    ),
  );

  it(
    'cannot access another site, nor can members of another organization: 401 and 404 on every route (spec 104)',
    LONG,
    () =>
      eachRoute(SITE_ROUTES, async (name) => {
        const parts = (await CALLS[name]?.(globex)) ?? {};
        const { organization_id } = acme.params;
        await writes.forget();
        const byKey = await send(route(name), parts, { token: keys.get('write') ?? '' });
        const secrets = [...secretsOf(globex), ...publicMarksOf(globex)];
        const of = { route: name, way: 'key' };
        expect
          .soft({ ...of, status: byKey.status, leaks: leaksOf(byKey.text, secrets) }, byKey.text)
          .toEqual({ ...of, status: 401, leaks: [] });
        await expectRefusal(name, { ...parts, params: { ...parts.params, organization_id } });
        // Its own site, and the other id.
        if (ITEM_ROUTES.has(name))
          await expectRefusal(name, { ...parts, params: { ...parts.params, ...acme.params } });
        expect.soft({ route: name, written: await tablesWritten() }).toEqual({ route: name, written: [] });
      }),
  );
});

describe('a member who names an item of another organization', () => {
  const NAMED: readonly [string, string, (mine: Tenant, theirs: Tenant) => Parts, number][] = [
    ['createPreferencePage', 'a list', (_, theirs) => ({ body: pageBody(theirs) }), 404],
    [
      'createPreferencePage',
      'a list to rename',
      (_, theirs) => ({
        body: { name: 'X', custom_path: 'x-y', lists: [{ id: theirs.weekly.id, name: 'Mine now' }] },
      }),
      404,
    ],
    [
      'replacePreferencePage',
      'a list',
      (mine, theirs) => ({ params: { ...mine.params, id: mine.page.id }, body: pageBody(theirs) }),
      404,
    ],
    ['orderLists', 'lists', (_, theirs) => ({ body: { ids: [theirs.weekly.id, theirs.offers.id] } }), 409],
    [
      'setCustomerLists',
      'a list',
      (mine, theirs) => ({
        params: { ...mine.params, id: mine.customer.id },
        body: [{ notification_list_id: theirs.weekly.id, subscribed: true }],
      }),
      422,
    ],
    [
      'mintLinks',
      'a list',
      (mine, theirs) => ({
        params: { ...mine.params, id: mine.customer.id },
        body: { list_id: theirs.weekly.id },
      }),
      404,
    ],
    [
      'createAction',
      'a list to wait for',
      (_, theirs) => ({
        body: {
          type: 'webhook',
          name: 'X',
          trigger: { event: 'subscribed', list_ids: [theirs.weekly.id] },
          target: { url: 'https://shop.example/hook' },
        },
      }),
      422,
    ],
    [
      'previewAction',
      'a customer',
      (mine, theirs) => ({
        params: { ...mine.params, id: mine.action.id },
        body: { customer_id: theirs.customer.id },
      }),
      404,
    ],
    [
      'previewChoice',
      'a customer',
      (mine, theirs) => ({
        params: mine.params,
        body: { customer: { id: theirs.customer.id }, choice: { global_unsubscribe: true } },
      }),
      404,
    ],
    [
      'previewChoice',
      'another customer who chooses the same',
      (mine, theirs) => ({
        params: mine.params,
        body: {
          customer: { id: mine.customer.id },
          choice: { global_unsubscribe: true },
          together_with: [theirs.customer.id],
        },
      }),
      404,
    ],
    [
      'updateAccount',
      'an organization',
      (mine, theirs) => ({
        params: { id: mine.owner.id },
        body: { organization: theirs.params.organization_id },
      }),
      422,
    ],
  ];

  it('in a body is refused, and changes nothing', () =>
    eachOf(
      NAMED,
      async ([name, _what, partsOf, status]) => {
        const parts = partsOf(acme, globex);
        await writes.forget();
        await expectRefusal(name, { params: acme.params, ...parts }, status);
        expect.soft({ route: name, written: await tablesWritten() }).toEqual({ route: name, written: [] });
      },
      ([name, what]) => `${name} with ${what}`,
    ));

  const FILTERED: readonly [string, (theirs: Tenant) => Parts][] = [
    ['listDeliveries', (theirs) => ({ query: { customer_id: theirs.customer.id } })],
    ['listDeliveries', (theirs) => ({ query: { action_id: theirs.action.id } })],
    ['listDeliveries', (theirs) => ({ query: { cursor: theirs.deliveryId } })],
    ['listCustomers', (theirs) => ({ query: { search: theirs.customer.email } })],
    [
      'listCustomers',
      (theirs) => ({ query: { search: 'customer@', match: 'anywhere', cursor: theirs.customer.id } }),
    ],
    ['listCustomers', (theirs) => ({ query: { left_list_id: theirs.weekly.id } })],
    ['listCustomers', (theirs) => ({ query: { undelivered_to: theirs.integrationId } })],
    ['listEvidence', (theirs) => ({ query: { cursor: theirs.choiceId } })],
    ['replayDeliveries', (theirs) => ({ body: { customer_id: theirs.customer.id } })],
  ];

  it('in a filter sees nothing of it', () =>
    eachOf(FILTERED, async ([name, partsOf]) => {
      const parts = { params: acme.params, ...partsOf(globex) };
      const answer = await send(route(name), parts, acme.owner);
      const leaks = leaksOf(answer.text, [...secretsOf(globex), ...publicMarksOf(globex)]);
      expect
        .soft({ route: name, isAnswered: answer.status < 300, leaks }, answer.text)
        .toEqual({ route: name, isAnswered: true, leaks: [] });
    }));
});

describe('a customer of another site', () => {
  it('cannot call any route with a sealed id on another host (spec 54)', () =>
    eachRoute(
      [
        'getCustomerPage',
        'saveLists',
        'updatePublicCustomer',
        'undoChoice',
        'giveReason',
        'getChoiceProgress',
      ],
      async (name) => {
        const parts = withOwnAuthority((await CALLS[name]?.(acme)) ?? {}, 'customer');
        await writes.forget();
        const answer = await send(route(name), parts, globex.visitor);
        const leaks = leaksOf(answer.text, [...secretsOf(acme), ...secretsOf(globex)]);
        const written = await tablesWritten();
        expect
          .soft({ route: name, status: answer.status, leaks, written }, answer.text)
          .toEqual({ route: name, status: 404, leaks: [], written: [] });
      },
    ));

  it('is not known by address on this one', async () => {
    const [first, second] = [acme.visitor, globex.visitor];
    const body = { email: acme.customer.email, custom_path: acme.page.custom_path };
    const here = await product.call(openCustomer, { body }, first);
    const there = await product.call(openCustomer, { body }, second);
    expect(there.id).not.toBe(here.id);
    expect(there.global_unsubscribe).toBe(false);
  });
});

/** Of a member who names something that is not theirs. */
async function expectRefusal(name: string, parts: Parts, status = 404): Promise<void> {
  const answer = await send(route(name), parts, acme.owner);
  const named = JSON.stringify(parts);
  const secrets = [...secretsOf(globex), ...publicMarksOf(globex)].filter(
    (secret) => !named.includes(secret),
  );
  expect
    .soft({ route: name, status: answer.status, leaks: leaksOf(answer.text, secrets) }, answer.text)
    .toEqual({ route: name, status, leaks: [] });
}

/** Who has ended their links has them again on the next route. */
async function eachRoute(names: Iterable<string>, work: (name: string) => Promise<void>): Promise<void> {
  await eachOf(names, async (name) => {
    await work(name);
    await product.testDatabase.owner.query(
      'update customers set link_generation = 0 where link_generation > 0',
    );
  });
}

/**
 * Calls a route as several. Those whom it refuses come first, and must have written nothing: everything is still there for
 * those who may, each of whom has something of their own to call it on.
 */
async function callAsEach<As extends { status: number }>(
  name: string,
  callers: readonly As[],
  call: (as: As, parts: Parts) => Promise<void>,
): Promise<void> {
  const build = async () => (await CALLS[name]?.(acme)) ?? {};
  let unused: Parts | null = await build();
  const refused = callers.filter(({ status }) => status >= 400);
  await writes.forget();
  for (const as of refused) await call(as, unused);
  expect.soft({ route: name, written: await tablesWritten() }).toEqual({ route: name, written: [] });
  for (const as of callers.filter(({ status }) => status < 400)) {
    await call(as, unused ?? (await build()));
    unused = null;
  }
}

function codesOf({ json }: { json: unknown }): string[] {
  return (json as ErrorBody).meta.errors.map(({ code }) => code);
}
