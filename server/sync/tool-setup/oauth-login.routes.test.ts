import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { type Customer, updateCustomer } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import {
  deleteIntegration,
  getIntegration,
  type Integration,
  listConnectors,
  listIntegrations,
  listToolResources,
  updateIntegration,
  verifyIntegration,
} from '#contract/integrations.ts';
import { finishOAuth, startOAuth } from '#contract/oauth.ts';
import type { RouteCall } from '#contract/route.ts';
import { findConnector } from '#server/connectors/index.ts';
import { kit as kitConnector } from '#server/connectors/kit/index.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { createProduct, type Product } from '#server/product.ts';
import { decryptAuth, encryptAuth } from '#server/tools/integrations/credentials.ts';
import { findIntegration } from '#server/tools/integrations/integrations.sql.ts';
import { renew, renewDue } from '#server/tools/tokens/tokens.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startCampaignMonitorFake } from '#test/fakes/tools/campaign-monitor.ts';
import { startDripFake } from '#test/fakes/tools/drip.ts';
import type { LoginFake } from '#test/fakes/tools/fake-oauth.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { startHubspotFake } from '#test/fakes/tools/hubspot.ts';
import { type KitFake, startKitFake } from '#test/fakes/tools/kit.ts';
import { startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startSalesforceFake } from '#test/fakes/tools/salesforce.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import {
  buildCustomer,
  buildOwner,
  buildSite,
  buildWorld,
  logInAgain,
  type World,
} from '#test/harness/world.ts';
import { beginOAuth } from './oauth-login.ts';

type Tool = FakeTool & { oauth: LoginFake };
type Start = RouteCall<typeof startOAuth>['body'];

const STARTS: Record<string, () => Promise<Tool>> = {
  hubspot: startHubspotFake,
  mailchimp: startMailchimpFake,
  salesforce: startSalesforceFake,
  kit: startKitFake,
  'campaign-monitor': startCampaignMonitorFake,
  drip: startDripFake,
  brevo: startBrevoFake,
};
const TOOLS = Object.keys(STARTS);
/** Whose tokens end. */
const ENDING = ['hubspot', 'salesforce', 'kit', 'campaign-monitor', 'brevo'];

let product: TestProduct;
/** Another instance on the same database, and what it has logged. */
let second: Product;
let logged = '';
let mailServer: MailServer;
let tools: Record<string, Tool>;
let kit: KitFake;
let world: World;
let acme: World;

const envName = (id: string) => findConnector(id)?.envName ?? '';

beforeAll(async () => {
  mailServer = await startMailServer();
  const started = await Promise.all(TOOLS.map(async (id) => [id, await STARTS[id]?.()] as const));
  tools = Object.fromEntries(started) as Record<string, Tool>;
  kit = tool('kit') as KitFake;
  const env = TOOLS.flatMap((id) => {
    const name = `CONNECTOR_${envName(id)}`;
    const { url, oauth } = tool(id);
    return [
      [`${name}_URL`, url],
      [`${name}_CLIENT_ID`, oauth.clientId],
      [`${name}_CLIENT_SECRET`, oauth.clientSecret],
    ];
  });
  product = await startTestProduct({
    env: { ...(Object.fromEntries(env) as Record<string, string>), SMTP_URL: mailServer.url },
  });
  const log = pino({ level: 'trace' }, { write: (line: string) => void (logged += line) });
  second = await createProduct(product.services.config, product.testDatabase.appUrl, {
    log,
    clock: product.clock,
    worker: false,
  });
  for (const { oauth } of Object.values(tools)) oauth.now = () => product.clock.now();
  world = await buildWorld(product);
});

afterAll(async () => {
  await second.stop();
  await product.stop();
  await Promise.all(Object.values(tools).map((one) => one.close()));
  await mailServer.close();
});

async function pass(by: Parameters<TestProduct['clock']['advance']>[0]): Promise<void> {
  product.clock.advance(by);
  await logInAgain(product, world.owner);
}

beforeEach(async () => {
  mailServer.mails.length = 0;
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  for (const { oauth } of Object.values(tools)) oauth.asked.length = 0;
});

function tool(id: string): Tool {
  const found = tools[id];
  if (found === undefined) throw new Error(`There is no fake of ${id}`);
  return found;
}

/** What an owner gives along where a login opens several accounts. */
function given(id: string): Pick<Start, 'credentials'> {
  const name = { drip: 'account_id', 'campaign-monitor': 'client_id' }[id];
  return name === undefined ? {} : { credentials: { [name]: tool(id).credentials[name] ?? '' } };
}

const start = (id: string, more: Partial<Start> = {}) =>
  product.call(
    startOAuth,
    { params: acme.params, body: { provider: id, ...given(id), ...more } },
    acme.owner,
  );

async function connect(id: string, more: Partial<Start> = {}): Promise<Integration> {
  const { authorize_url } = await start(id, more);
  const { code, state } = await tool(id).oauth.allow(authorize_url);
  return (await product.call(finishOAuth, { body: { code, state } }, acme.owner)).integration;
}

const of = ({ id }: Pick<Integration, 'id'>) => ({ ...acme.params, id });
const verify = (one: Integration) => product.call(verifyIntegration, { params: of(one) }, acme.owner);
const read = (one: Integration) => product.call(getIntegration, { params: of(one) }, acme.owner);
const all = async () => (await product.call(listIntegrations, { params: acme.params }, acme.owner)).results;
const refreshes = (id: string) => tool(id).oauth.asked.filter(({ grant }) => grant === 'refresh_token');
const fieldsOf = (one: Integration) => ({ params: of(one), query: { kind: 'fields' as const } });

async function renewalsOf({ id }: Integration) {
  const { rows } = await product.testDatabase.owner.query<{ renew_at: Date | null }>(
    'select renew_at from token_renewals where integration_id = $1',
    [id],
  );
  return rows;
}

/** What the product itself knows of a connection. */
async function grantOf({ id }: Integration) {
  const row = await product.services.database.readSite(acme.params.site_id, (site) =>
    findIntegration(site, id),
  );
  const auth = row === undefined ? null : decryptAuth(product.services, row);
  if (row === undefined || auth?.kind !== 'oauth') throw new Error('It is not connected by a login');
  return { row, grant: auth.grant };
}

/** What other tests have left is due as well. */
async function renewNoneBut({ id }: Integration): Promise<void> {
  await product.testDatabase.owner.query('delete from token_renewals where integration_id <> $1', [id]);
}

describe.each(TOOLS)('a login at %s', (id) => {
  it('connects the tool, keeps its tokens sealed, and reveals them to nobody', async () => {
    const { results } = await product.call(listConnectors, {}, acme.owner);
    expect(results.find((one) => one.id === id)).toMatchObject({ oauth: true });
    const made = await connect(id, { name: 'Ours' });
    const { accountName, oauth } = tool(id);
    expect(made).toMatchObject({
      provider: id,
      name: 'Ours',
      account_name: accountName,
      connected_by: 'oauth',
      status: 'connected',
    });
    expect(await all()).toEqual([made]);
    const kept = await product.testDatabase.owner.query('select integrations::text from integrations');
    const shown = JSON.stringify([made, await all(), results, kept.rows]);
    for (const secret of oauth.secrets()) expect(shown).not.toContain(secret);
    expect(await verify(made)).toMatchObject({ status: 'connected', account_name: accountName });
    await product.call(listToolResources, fieldsOf(made), acme.owner);
    expect(refreshes(id)).toEqual([]);
  });

  it('that is revoked is reported once, and can be repeated without losing an action', async () => {
    const made = await connect(id);
    const action = await product.call(
      createAction,
      {
        params: acme.params,
        body: {
          type: 'global_unsubscribe',
          name: 'Block',
          integration_id: made.id,
          trigger: { event: 'global_unsubscribed' },
          target: {},
        },
      },
      acme.owner,
    );
    tool(id).oauth.revoke();
    expect(await verify(made)).toMatchObject({ status: 'credentials_refused' });
    expect(await verify(made)).toMatchObject({ status: 'credentials_refused' });
    expect(refreshes(id).length).toBe(ENDING.includes(id) ? 1 : 0);
    expect(mailServer.mails.length).toBe(ENDING.includes(id) ? 1 : 0);
    const again = await connect(id, { integration_id: made.id });
    expect(again).toMatchObject({ id: made.id, name: made.name, status: 'connected', status_reason: null });
    expect(action.integration_id).toBe(again.id);
    expect(await verify(made)).toMatchObject({ status: 'connected' });
  });
});

describe.each(ENDING)('the tokens of %s', (id) => {
  const lifeOf = () => (id === 'campaign-monitor' ? { days: 14 } : { hours: 2 });

  it('are renewed when they expire, and not by reading, which changes nothing', async () => {
    const made = await connect(id);
    await pass(lifeOf());
    const before = await readRows(product.testDatabase.owner);
    const answer = await product.refuse(listToolResources, fieldsOf(made), acme.owner);
    expect(answer).toMatchObject({ status: 503, errors: [{ code: 'unavailable' }] });
    expect(await readRows(product.testDatabase.owner)).toEqual(before);
    expect(refreshes(id)).toEqual([]);
    expect(await verify(made)).toMatchObject({ status: 'connected' });
    expect(await verify(made)).toMatchObject({ status: 'connected' });
    expect(refreshes(id)).toEqual([{ grant: 'refresh_token', isGranted: true }]);
    await product.call(listToolResources, fieldsOf(made), acme.owner);
    await pass(lifeOf());
    expect(await verify(made)).toMatchObject({ status: 'connected' });
    expect(refreshes(id)).toHaveLength(2);
  });

  it('are renewed once when the tool rejects them early', async () => {
    const made = await connect(id);
    tool(id).oauth.endAccess();
    expect(await verify(made)).toMatchObject({ status: 'connected' });
    expect(refreshes(id)).toHaveLength(1);
    expect(mailServer.mails).toEqual([]);
  });

  it('are renewed ahead by one of all workers, even where nobody calls the tool', async () => {
    const made = await connect(id);
    const [due] = await renewalsOf(made);
    await pass({ seconds: ((due?.renew_at?.getTime() ?? 0) - product.clock.now().getTime()) / 1000 + 1 });
    await renewNoneBut(made);
    await Promise.all([renewDue(product.services), renewDue(second.services)]);
    await renewDue(product.services);
    expect(refreshes(id)).toHaveLength(1);
    await product.call(listToolResources, fieldsOf(made), acme.owner);
  });
});

describe('a renewal', () => {
  it('made ahead and refused by the tool ends the connection at once, and is reported once', async () => {
    const made = await connect('kit');
    await renewNoneBut(made);
    await pass({ minutes: 117 });
    kit.oauth.endRefresh();
    await renewDue(product.services);
    expect(await verify(made)).toMatchObject({ status: 'credentials_refused' });
    const answer = await product.refuse(listToolResources, fieldsOf(made), acme.owner);
    expect(answer).toMatchObject({ status: 422, errors: [{ code: 'credentials_refused' }] });
    await renewDue(product.services);
    expect(refreshes('kit')).toHaveLength(1);
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
      `“ConvertKit” needs attention · ${acme.site.name}`,
    ]);
  });

  it('of tokens that can no longer be opened does not block the others', async () => {
    const broken = await connect('kit');
    const well = await connect('brevo');
    const { owner } = product.testDatabase;
    await owner.query('delete from token_renewals where integration_id <> all($1)', [[broken.id, well.id]]);
    await owner.query('update integrations set credentials_sealed = $2 where id = $1', [broken.id, 'AAAA']);
    await owner.query('update token_renewals set renew_at = $2 where integration_id = $1', [
      broken.id,
      new Date(0),
    ]);
    await pass({ hours: 1 });
    await renewDue(product.services);
    expect(refreshes('brevo')).toHaveLength(1);
    const [later] = await renewalsOf(broken);
    expect(later?.renew_at?.getTime()).toBeGreaterThan(product.clock.now().getTime());
  });

  it('that fails is left alone for a moment, is retried, and costs no connection', async () => {
    const made = await connect('kit');
    await pass({ hours: 3 });
    kit.trouble({ status: 503, body: 'Retry later' });
    const before = kit.seen.length;
    for (let time = 0; time < 3; time += 1) {
      const answer = await product.refuse(verifyIntegration, { params: of(made) }, acme.owner);
      expect(answer).toMatchObject({ status: 503, errors: [{ code: 'unavailable' }] });
    }
    expect(kit.seen.length).toBe(before + 1);
    await pass({ seconds: 11 });
    expect(await verify(made)).toMatchObject({ status: 'connected' });
  });

  it('survives a database that is briefly unavailable', async () => {
    const made = await connect('kit');
    await pass({ hours: 3 });
    const { row, grant } = await grantOf(made);
    const { database } = product.services;
    let failures = 0;
    const inSite: typeof database.inSite = async (siteId, work) => {
      if (failures === 2) return database.inSite(siteId, work);
      failures += 1;
      throw new Error('The database is away');
    };
    const services = { ...product.services, database: { ...database, inSite } };
    await renew(services, kitConnector, row, grant.accessToken);
    expect(failures).toBe(2);
    expect(await verify(made)).toMatchObject({ status: 'connected' });
    expect(refreshes('kit')).toHaveLength(1);
  });

  it('does not touch what an owner has reconnected meanwhile', async () => {
    const made = await connect('kit');
    await pass({ hours: 3 });
    const { row, grant } = await grantOf(made);
    const { outbound } = product.services;
    const send: typeof outbound.send = async (request, wanted) => {
      const answer = await outbound.send(request, wanted);
      await connect('kit', { integration_id: made.id });
      return answer;
    };
    const services = { ...product.services, outbound: { ...outbound, send } };
    const got = await renew(services, kitConnector, row, grant.accessToken);
    const kept = await grantOf(made);
    expect(got).toEqual(kept.grant);
    expect(await verify(made)).toMatchObject({ status: 'connected' });
    expect(refreshes('kit')).toHaveLength(1);
  });

  it('is stored even if its old tokens were sealed again, with another key, while the tool was called', async () => {
    const made = await connect('kit');
    await pass({ hours: 3 });
    const { row, grant } = await grantOf(made);
    const { outbound } = product.services;
    const sealed = encryptAuth(product.services, row.site_id, row.id, { kind: 'oauth', grant });
    const send: typeof outbound.send = async (request, wanted) => {
      const answer = await outbound.send(request, wanted);
      const { owner } = product.testDatabase;
      await owner.query('update integrations set credentials_sealed = $1 where id = $2', [sealed, made.id]);
      return answer;
    };
    const services = { ...product.services, outbound: { ...outbound, send } };
    const got = await renew(services, kitConnector, row, grant.accessToken);
    expect(got.accessToken).not.toBe(grant.accessToken);
    expect((await grantOf(made)).grant).toEqual(got);
    expect(await verify(made)).toMatchObject({ status: 'connected' });
  });

  it('that another process has just made is not repeated', async () => {
    const made = await connect('kit');
    await pass({ hours: 3 });
    const { row, grant } = await grantOf(made);
    const { database } = product.services;
    let isFirst = true;
    const readSite: typeof database.readSite = async (siteId, work) => {
      const found = await database.readSite(siteId, work);
      if (!isFirst) return found;
      isFirst = false;
      await renew(second.services, kitConnector, row, grant.accessToken);
      return found;
    };
    const services = { ...product.services, database: { ...database, readSite } };
    const got = await renew(services, kitConnector, row, grant.accessToken);
    expect(got).toEqual((await grantOf(made)).grant);
    expect(refreshes('kit')).toHaveLength(1);
    expect(await verify(made)).toMatchObject({ status: 'connected' });
  });

  it('whose process died is made by the next one after a minute', async () => {
    const made = await connect('kit');
    await pass({ hours: 3 });
    await product.testDatabase.owner.query(
      'update token_renewals set lease = integration_id, locked_until = $2 where integration_id = $1',
      [made.id, new Date(product.clock.now().getTime() + 60_000)],
    );
    const verified = verify(made);
    await expect.poll(() => refreshes('kit').length).toBe(0);
    product.clock.advance({ seconds: 61 });
    expect(await verified).toMatchObject({ status: 'connected' });
    expect(refreshes('kit')).toHaveLength(1);
  });

  it('with an app that the tool no longer knows waits for the server’s operator', async () => {
    const made = await connect('hubspot');
    await pass({ hours: 1 });
    const { hubspot } = tools;
    hubspot?.trouble({ status: 400, body: '{"status":"BAD_CLIENT_SECRET","message":"no"}' });
    const answer = await product.refuse(verifyIntegration, { params: of(made) }, acme.owner);
    expect(answer.message).toContain('CONNECTOR_HUBSPOT_CLIENT_ID');
    expect(await read(made)).toMatchObject({ status: 'connected' });
    await pass({ seconds: 11 });
    expect(await verify(made)).toMatchObject({ status: 'connected' });
  });

  it('stops with the integration, and when it is connected by credentials', async () => {
    const made = await connect('kit');
    expect(await renewalsOf(made)).toHaveLength(1);
    const body = { credentials: kit.credentials };
    const changed = await product.call(updateIntegration, { params: of(made), body }, acme.owner);
    expect(changed).toMatchObject({ connected_by: 'credentials', status: 'connected' });
    expect(await renewalsOf(made)).toEqual([]);
    const again = await connect('kit', { integration_id: made.id });
    expect(again).toMatchObject({ connected_by: 'oauth' });
    await product.call(deleteIntegration, { params: of(made) }, acme.owner);
    expect(await renewalsOf(made)).toEqual([]);
  });
});

/** Twenty people who left everything, with a delivery each. */
async function twentyDeliveries(made: Integration): Promise<{ people: Customer[] }> {
  await product.call(
    createAction,
    {
      params: acme.params,
      body: {
        type: 'global_unsubscribe',
        name: 'Block',
        integration_id: made.id,
        trigger: { event: 'global_unsubscribed' },
        target: {},
      },
    },
    acme.owner,
  );
  const people: Customer[] = [];
  for (let count = 0; count < 20; count += 1) {
    const customer = await buildCustomer(product, acme);
    kit.addContact(customer.email);
    people.push(customer);
    const body = { global_unsubscribe: true };
    await product.call(updateCustomer, { params: { ...acme.params, id: customer.id }, body }, acme.owner);
  }
  return { people };
}

async function deliveries(): Promise<DeliveryDetail[]> {
  const query = { limit: 100 };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  return Promise.all(results.map((one) => product.call(getDelivery, { params: of(one) }, acme.owner)));
}

/** All that wait, at the same time, half of them in each instance; those that found no room come again. */
async function deliverAll(): Promise<DeliveryDetail[]> {
  const before = (await deliveries()).filter(({ status }) => status === 'waiting');
  const isUntried = (one: DeliveryDetail) =>
    one.attempts.at(-1)?.outcome === 'rate_limited' ||
    before.some(({ id, attempt_count: count }) => id === one.id && count === one.attempt_count);
  let left = before;
  while (left.length > 0) {
    await deliverAtOnce(left);
    await pass({ seconds: 5 });
    left = (await deliveries()).filter((one) => one.status === 'waiting' && isUntried(one));
  }
  return deliveries();
}

async function deliverAtOnce(waiting: readonly DeliveryDetail[]): Promise<void> {
  await Promise.all(
    waiting.map(({ id, attempt_count: round }, index) =>
      deliverNow((index % 2 === 0 ? product : second).services, {
        site_id: acme.params.site_id,
        id,
        round,
      }),
    ),
  );
}

describe('twenty deliveries at a time, in two instances,', () => {
  it('renew an expired token once, and all arrive', async () => {
    const made = await connect('kit');
    const { people } = await twentyDeliveries(made);
    await pass({ hours: 3 });
    const done = await deliverAll();
    expect(done).toHaveLength(20);
    expect(done.filter(({ status }) => status !== 'arrived')).toEqual([]);
    expect(people.filter(({ email }) => kit.stateOf(email) !== 'cancelled')).toEqual([]);
    expect(refreshes('kit')).toEqual([{ grant: 'refresh_token', isGranted: true }]);
  });

  it('make one call when the owner has revoked our access, report it once, and continue once it is granted again', async () => {
    const made = await connect('kit');
    const { people } = await twentyDeliveries(made);
    kit.oauth.revoke();
    const refused = await deliverAll();
    expect(refused.filter(({ status }) => status !== 'waiting')).toEqual([]);
    expect(refreshes('kit')).toEqual([{ grant: 'refresh_token', isGranted: false }]);
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
      `“ConvertKit” needs attention · ${acme.site.name}`,
    ]);
    expect(await read(made)).toMatchObject({ status: 'credentials_refused' });
    await product.testDatabase.owner.query('delete from rate_limits');
    await connect('kit', { integration_id: made.id });
    const done = await deliverAll();
    expect(done.filter(({ status }) => status !== 'arrived')).toEqual([]);
    expect(people.filter(({ email }) => kit.stateOf(email) !== 'cancelled')).toEqual([]);
    expect(await read(made)).toMatchObject({ status: 'connected', failing_since: null });
    const kept = JSON.stringify([refused, done]);
    for (const secret of kit.oauth.secrets()) expect(kept).not.toContain(secret);
  });
});

describe('the return from the tool’s login', () => {
  const finish = (body: RouteCall<typeof finishOAuth>['body'], as = acme.owner) =>
    product.refuse(finishOAuth, { body }, as);

  async function allowLogin(more: Partial<Start> = {}) {
    const { authorize_url } = await start('brevo', more);
    return tool('brevo').oauth.allow(authorize_url);
  }

  it('ends on a page of the app, with where to go on', async () => {
    const { code, state, url } = await allowLogin({ redirect: '/actions?new=1' });
    expect(`${url.origin}${url.pathname}`).toBe(`${product.url}/integrations/connected`);
    const { redirect } = await product.call(finishOAuth, { body: { code, state } }, acme.owner);
    expect(redirect).toBe('/actions?new=1');
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'actions'])(
    'does not lead to %s',
    async (redirect) => {
      const call = { params: acme.params, body: { provider: 'brevo', redirect } };
      expect(await product.refuse(startOAuth, call, acme.owner)).toMatchObject({
        status: 422,
        errors: [{ field: 'redirect' }],
      });
    },
  );

  it('is only for the person who began it, for ten minutes, and cannot be forged', async () => {
    const { code, state } = await allowLogin();
    const stranger = await buildOwner(product, 'stranger');
    const forged = `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`;
    const refusal = { status: 422, errors: [{ code: 'invalid_field', field: 'state' }] };
    expect(await finish({ code, state }, { ...acme.owner, ...stranger })).toMatchObject(refusal);
    expect(await finish({ code, state: forged })).toMatchObject(refusal);
    expect(await finish({ code, state: 'nonsense' })).toMatchObject(refusal);
    await pass({ minutes: 10, seconds: 1 });
    expect(await finish({ code, state })).toMatchObject(refusal);
    expect(tool('brevo').oauth.asked).toEqual([]);
    expect(await all()).toEqual([]);
  });

  it('is refused to someone who may no longer see the site', async () => {
    const { code, state } = await allowLogin();
    const { owner } = product.testDatabase;
    const { rows } = await owner.query<Record<string, unknown>>(
      'delete from members where user_id = $1 returning *',
      [acme.owner.id],
    );
    const answer = await finish({ code, state });
    for (const row of rows) {
      const names = Object.keys(row);
      const places = names.map((_, index) => `$${index + 1}`).join(', ');
      await owner.query(`insert into members (${names.join(', ')}) values (${places})`, Object.values(row));
    }
    expect(answer).toMatchObject({ status: 404, errors: [{ code: 'not_found' }] });
    expect(tool('brevo').oauth.asked).toEqual([]);
  });

  it('is refused to someone whose role was lowered meanwhile', async () => {
    const { code, state } = await allowLogin();
    const give = (role: string) =>
      product.testDatabase.owner.query('update members set role = $1 where user_id = $2', [
        role,
        acme.owner.id,
      ]);
    await give('editor');
    const answer = await finish({ code, state });
    await give('owner');
    expect(answer).toMatchObject({ status: 403, errors: [{ code: 'forbidden' }] });
    expect(tool('brevo').oauth.asked).toEqual([]);
  });

  it('works once, and again only where the tool was unavailable', async () => {
    const { code, state } = await allowLogin();
    tool('brevo').trouble({ status: 503, body: '{}' });
    expect(await finish({ code, state })).toMatchObject({ status: 503, errors: [{ code: 'unavailable' }] });
    await product.call(finishOAuth, { body: { code, state } }, acme.owner);
    expect(await finish({ code, state })).toMatchObject({ status: 409, errors: [{ code: 'link_used' }] });
    expect(await all()).toHaveLength(1);
  });

  it('with an invalid code stores nothing', async () => {
    const { state } = await allowLogin();
    expect(await finish({ code: 'made-up', state })).toMatchObject({
      status: 422,
      errors: [{ code: 'credentials_refused', field: 'code' }],
    });
    const late = await allowLogin();
    product.clock.advance({ minutes: 2 });
    expect(await finish({ code: late.code, state: late.state })).toMatchObject({ status: 422 });
    expect(await all()).toEqual([]);
  });

  it('with the code of another login is refused', async () => {
    const [mine, other] = [await allowLogin(), await allowLogin()];
    const answer = await finish({ code: other.code, state: mine.state });
    expect(answer).toMatchObject({ status: 422, errors: [{ code: 'credentials_refused' }] });
  });

  it('of someone who declined says so, in our own words', async () => {
    const { authorize_url } = await start('brevo');
    const { error, state } = await tool('brevo').oauth.deny(authorize_url);
    const answer = await finish({ error, state });
    expect(answer).toMatchObject({ status: 422, errors: [{ code: 'credentials_refused', field: 'error' }] });
    expect(answer.message).toContain("You didn't give Sayso access to Brevo");
    const { message } = await finish({ error: '<b>server_error</b> call 555', state });
    expect(message).not.toMatch(/[<>]/);
    expect(await all()).toEqual([]);
  });

  it('stores nothing where the tool does not confirm the account', async () => {
    const { code, state } = await allowLogin();
    const { oauth } = tool('brevo');
    const allow = oauth.isGood.bind(oauth);
    oauth.isGood = () => false;
    const answer = await finish({ code, state });
    oauth.isGood = allow;
    expect(answer).toMatchObject({ status: 422, errors: [{ code: 'credentials_refused' }] });
    for (const secret of oauth.secrets()) expect(JSON.stringify(answer)).not.toContain(secret);
    expect(await all()).toEqual([]);
  });
});

describe('a login is not begun', () => {
  const refusal = (body: Start) => product.refuse(startOAuth, { params: acme.params, body }, acme.owner);
  const invalid = (field: string) => ({ status: 422, errors: [{ code: 'invalid_field', field }] });

  it('at a tool that has none, that does not exist, or that this server has no app for', async () => {
    expect(await refusal({ provider: 'sendgrid' })).toMatchObject(invalid('provider'));
    expect(await refusal({ provider: 'pigeon-post' })).toMatchObject(invalid('provider'));
    const { services } = product;
    const config = { ...services.config, connectorClients: {} };
    const who = { userId: acme.owner.id, organizationId: acme.params.organization_id, siteId: acme.site.id };
    const begun = beginOAuth({ ...services, config }, who, { provider: 'brevo' });
    await expect(begun).rejects.toMatchObject({ code: 'invalid_field', fields: [{ field: 'provider' }] });
  });

  it('with credentials that are secret, unknown, or of no account', async () => {
    const credentials = { api_key: 'kit_0123456789abcdef0123456789abcdef' };
    const answer = await refusal({ provider: 'kit', credentials });
    expect(answer).toMatchObject(invalid('credentials'));
    expect(JSON.stringify(answer)).not.toContain(credentials.api_key);
    const host = { my_domain_url: 'https://evil.example' };
    expect(await refusal({ provider: 'salesforce', credentials: host })).toMatchObject(
      invalid('credentials.my_domain_url'),
    );
  });

  it('for an integration of another site, of another tool, or a missing one', async () => {
    const made = await connect('brevo');
    expect(await refusal({ provider: 'kit', integration_id: made.id })).toMatchObject(invalid('provider'));
    acme = await buildSite(product, world.owner, world.params.organization_id);
    const missing = { status: 404, errors: [{ code: 'not_found' }] };
    expect(await refusal({ provider: 'brevo', integration_id: made.id })).toMatchObject(missing);
  });

  it.each(['drip', 'campaign-monitor'])('twice: %s asks which account is meant', async (id) => {
    const { authorize_url } = await start(id, { credentials: {} });
    const { code, state } = await tool(id).oauth.allow(authorize_url);
    const answer = await product.refuse(finishOAuth, { body: { code, state } }, acme.owner);
    expect(answer).toMatchObject({ status: 422, errors: [{ code: 'credentials_refused' }] });
    expect(answer.message).toContain(tool(id).accountName);
    expect(await all()).toEqual([]);
  });
});

it('the log never contains a token or an app’s secret', async () => {
  const made = await connect('kit');
  await renewNoneBut(made);
  await pass({ hours: 3 });
  kit.trouble('cut');
  await renewDue(second.services);
  await pass({ minutes: 6 });
  kit.oauth.revoke();
  await renewDue(second.services);
  expect(await read(made)).toMatchObject({ status: 'credentials_refused' });
  expect(logged).toContain('tokens of a tool were not renewed');
  for (const secret of Object.values(tools).flatMap(({ oauth }) => oauth.secrets())) {
    expect(logged).not.toContain(secret);
  }
});
