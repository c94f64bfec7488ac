import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn, signUp, updateAccount } from '#contract/accounts.ts';
import { updateAction } from '#contract/actions.ts';
import { createApiKey } from '#contract/api-keys.ts';
import { ApiError } from '#contract/client.ts';
import { createCustomer, deleteCustomer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { uploadImport } from '#contract/imports.ts';
import { createList, listLists, orderLists, updateList } from '#contract/lists.ts';
import { changeMember, inviteMember } from '#contract/members.ts';
import { createOrganization, renameOrganization } from '#contract/organizations.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import {
  openCustomer,
  requestData,
  saveLists,
  undoChoice,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import { createSite, updateSite } from '#contract/sites.ts';
import { submitSurvey } from '#contract/survey.ts';
import { csv } from '#test/harness/imports.ts';
import { buildMember } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import {
  buildCustomer,
  buildWebhook,
  buildWorld,
  openAsProven,
  type Owner,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let colleague: Owner;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  colleague = await buildMember(product, world, 'editor');
});

afterAll(() => product.stop());

const some = () => randomBytes(5).toString('hex');

const HOOK = { url: 'http://127.0.0.1:9/hook' };

function lost(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNREFUSED' });
}

// The pool's own `query` asks for a connection by callback.
type Callback = (error: Error | undefined, client: undefined, release: () => void) => void;

/** Runs work while the database gives so many connections and is then away. */
async function withConnections<T>(count: number, work: () => Promise<T>): Promise<T> {
  const { pool } = product.services.database;
  const connect = pool.connect.bind(pool);
  let left = count;
  pool.connect = ((callback?: Callback) => {
    left -= 1;
    if (left >= 0) return callback === undefined ? connect() : connect(callback as never);
    const error = lost('connect ECONNREFUSED');
    return callback === undefined ? Promise.reject(error) : callback(error, undefined, () => {});
  }) as typeof pool.connect;
  try {
    return await work();
  } finally {
    pool.connect = connect;
  }
}

/**
 * A file comes in over several transactions: its refusal says which import began with it, and has failed. A choice whose
 * pending changes could not be read is named by its refusal.
 */
function namesWhatIsThere({ data }: ApiError): boolean {
  return data?.['import_id'] !== undefined || data?.['choice_id'] !== undefined;
}

/** Somebody who only typed an address, on a page that has changes confirmed by email. */
async function openByAddress() {
  const custom_path = `confirmed-${some()}`;
  const lists = [{ id: world.weekly.id }, { id: world.offers.id }];
  const body = { name: 'Acme', custom_path, lists, attrs: { confirm_changes: true } };
  await product.call(createPreferencePage, { params: world.params, body }, world.owner);
  const customer = await buildCustomer(product, world);
  const opened = { email: customer.email, custom_path };
  const { id } = await product.call(openCustomer, { body: opened }, world.visitor);
  return { customer, customerId: id };
}

/** The database goes away after each of the connections that a call takes. Whatever is refused has changed nothing. */
async function expectRefusedOrDone(call: () => Promise<unknown>): Promise<void> {
  for (let connections = 0; connections < 20; connections += 1) {
    let refusal: ApiError | null = null;
    const changes = await changesBy(product.testDatabase.owner, () =>
      withConnections(connections, async () => {
        try {
          await call();
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          refusal = error;
        }
      }),
    );
    if (refusal === null) return;
    if (namesWhatIsThere(refusal)) continue;
    expect(refusal).toMatchObject({ status: 503 });
    expect({ connections, changes: changes.filter((table) => table !== 'public.rate_limits') }).toEqual({
      connections,
      changes: [],
    });
  }
  expect.unreachable('The call never had enough connections');
}

describe('a request refused because the database is unavailable has changed nothing', () => {
  const owned: Record<string, () => () => Promise<unknown>> = {
    'the creation of an organization': () => () =>
      product.call(createOrganization, { body: { name: `Org ${some()}` } }, world.owner),
    'the new name of an organization': () => () =>
      product.call(
        renameOrganization,
        { params: { id: world.params.organization_id }, body: { name: `Org ${some()}` } },
        world.owner,
      ),
    'the creation of a site': () => () => {
      const { organization_id } = world.params;
      const name = `site-${some()}`;
      return product.call(
        createSite,
        { params: { organization_id }, body: { domain_name: name, name } },
        world.owner,
      );
    },
    'the domain of a site': () => () => {
      const body = { custom_domain: `mail-${some()}.example.com` };
      return product.call(updateSite, { params: world.params, body }, world.owner);
    },
    'an API key': () => () =>
      product.call(
        createApiKey,
        { params: world.params, body: { name: 'Key', scopes: ['read'] } },
        world.owner,
      ),
    'a list': () => () =>
      product.call(createList, { params: world.params, body: { name: some() } }, world.owner),
    'a changed list': () => () =>
      product.call(
        updateList,
        { params: { ...world.params, id: world.weekly.id }, body: { description: some() } },
        world.owner,
      ),
    'an order of lists': () => async () => {
      const { results } = await product.call(listLists, { params: world.params }, world.owner);
      const ids = results.map(({ id }) => id).toReversed();
      return product.call(orderLists, { params: world.params, body: { ids } }, world.owner);
    },
    'a page': () => () =>
      product.call(
        createPreferencePage,
        { params: world.params, body: { name: 'Page', custom_path: `p-${some()}`, lists: [] } },
        world.owner,
      ),
    'an action': () => () => buildWebhook(product, world, HOOK),
    'an import': () => () =>
      product.call(
        uploadImport,
        { params: world.params, query: { file_name: 'a.csv' }, file: csv('email', `${some()}@example.com`) },
        world.owner,
      ),
    'a role': () => async () => {
      const { rows } = await product.testDatabase.owner.query<{ role: string }>(
        'select role from members where user_id = $1',
        [colleague.id],
      );
      const role = rows[0]?.role === 'viewer' ? 'editor' : 'viewer';
      const params = { ...world.params, id: colleague.id };
      return product.call(changeMember, { params, body: { role } }, world.owner);
    },
    'a customer': () => () =>
      product.call(
        createCustomer,
        { params: world.params, body: { email: `${some()}@example.com` } },
        world.owner,
      ),
    'an account': () => () => {
      const username = `new-${some()}`;
      return product.call(signUp, {
        body: { username, email: `${username}@example.com`, password: PASSWORD },
      });
    },
    'a log-in': () => () =>
      product.call(logIn, { body: { username: world.owner.username, password: PASSWORD } }),
    'a changed account': () => () =>
      product.call(
        updateAccount,
        { params: { id: world.owner.id }, body: { first_name: some() } },
        world.owner,
      ),
    'a survey': () => () =>
      product.call(
        submitSurvey,
        {
          params: { id: world.owner.id },
          body: { version: 1, data: { name: 'Acme', domain: 'acme', integrations: [], contacts: 1 } },
        },
        world.owner,
      ),
  };

  it.each(Object.keys(owned))('%s', async (name) => {
    await expectRefusedOrDone(owned[name]?.() ?? expect.unreachable());
  });

  it('when an action is changed', async () => {
    const { id } = await buildWebhook(product, world, HOOK);
    const params = { ...world.params, id };
    await expectRefusedOrDone(() =>
      product.call(updateAction, { params, body: { name: some(), rotate_secret: true } }, world.owner),
    );
  });

  it('when an owner changes a customer, and erases them', async () => {
    const { id } = await buildCustomer(product, world);
    const params = { ...world.params, id };
    const off = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await expectRefusedOrDone(() => product.call(setCustomerLists, { params, body: off }, world.owner));
    await expectRefusedOrDone(() =>
      product.call(updateCustomer, { params, body: { email: `${some()}@example.com` } }, world.owner),
    );
    await expectRefusedOrDone(() => product.call(deleteCustomer, { params }, world.owner));
  });

  it('when a customer opens, saves, undoes, pauses, leaves, and asks for erasure', async () => {
    const email = `${some()}@example.com`;
    await expectRefusedOrDone(() =>
      product.call(openCustomer, { body: { email, custom_path: 'preferences' } }, world.visitor),
    );
    const customerId = await openAsProven(product, world, await buildCustomer(product, world));
    const params = { customerId };
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    const receipts: (string | null)[] = [];
    await expectRefusedOrDone(async () => {
      receipts.push((await product.call(saveLists, { params, body }, world.visitor)).receipt);
    });
    const receipt = receipts.at(-1) ?? expect.unreachable('The save has no receipt');
    await expectRefusedOrDone(() => product.call(undoChoice, { params, body: { receipt } }, world.visitor));
    const left = { global_unsubscribe: true };
    await expectRefusedOrDone(() =>
      product.call(updatePublicCustomer, { params, body: left }, world.visitor),
    );
    await expectRefusedOrDone(() =>
      product.call(requestData, { params, body: { kind: 'erasure' } }, world.visitor),
    );
  });

  it('when a choice’s pending changes could not be read; its refusal names it', async () => {
    const { customer, customerId } = await openByAddress();
    const params = { customerId };
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    const headers = { 'idempotency-key': `save-${some()}` };
    const choicesOfSave = async () => {
      const { rows } = await product.testDatabase.owner.query<{ id: string }>(
        'select id from choices where customer_id = $1 and save_id = $2',
        [customer.id, headers['idempotency-key']],
      );
      return rows;
    };
    const { database } = product.services;
    const readSite = database.readSite.bind(database);
    database.readSite = (async (...parts: Parameters<typeof readSite>) => {
      if ((await choicesOfSave()).length > 0) throw lost('connect ECONNREFUSED');
      return readSite(...parts);
    }) as typeof readSite;
    const refusal = await product.refuse(saveLists, { params, body, headers }, world.visitor).finally(() => {
      database.readSite = readSite;
    });
    const rows = await choicesOfSave();
    expect(rows).toHaveLength(1);
    expect(refusal).toMatchObject({
      status: 503,
      message: expect.stringContaining('Your choice is saved'),
      data: { choice_id: rows[0]?.id },
    });
    const again = await product.call(saveLists, { params, body, headers }, world.visitor);
    expect(again).toMatchObject({ choice_id: rows[0]?.id, pending: [] });
  });

  it('when somebody is invited; an invitation whose email could not be sent says that it exists', async () => {
    const email = `${some()}@example.com`;
    const invite = () =>
      product.call(inviteMember, { params: world.params, body: { email, role: 'viewer' } }, world.owner);
    const { mailer } = product.services;
    const send = mailer.send.bind(mailer);
    mailer.send = async () => Promise.reject(new Error('the mail server is away'));
    const error = await invite().then(
      () => null,
      (cause: unknown) => cause,
    );
    mailer.send = send;
    const { rows } = await product.testDatabase.owner.query<{ id: string }>(
      'select id from invitations where email = $1',
      [email],
    );
    expect(error).toMatchObject({
      status: 503,
      message: expect.stringContaining('The invitation exists'),
      data: { invitation_id: rows[0]?.id },
    });
  });
});

it('an unconfirmed commit is not reported as undone', async () => {
  const { pool } = product.services.database;
  const connect = pool.connect.bind(pool);
  let isLost = false;
  pool.connect = (async (callback?: Callback) => {
    if (callback !== undefined) return connect(callback as never);
    const client = await connect();
    const query = client.query.bind(client) as (...parts: unknown[]) => Promise<unknown>;
    // Other transactions of the product commit meanwhile, such as what is written after an answer.
    let isOfList = false;
    client.query = (async (...parts: unknown[]) => {
      isOfList ||= JSON.stringify(parts).includes('insert into \\"lists\\"');
      const answer = await query(...parts);
      if (parts[0] !== 'commit' || !isOfList || isLost) return answer;
      isLost = true;
      throw new Error('Connection terminated unexpectedly');
    }) as typeof client.query;
    return client;
  }) as typeof pool.connect;
  const name = `undecided-${some()}`;
  const refusal = await product
    .refuse(createList, { params: world.params, body: { name } }, world.owner)
    .finally(() => {
      pool.connect = connect;
    });
  expect(refusal).toMatchObject({ status: 503, message: expect.stringContaining('was lost while saving') });
  const { results } = await product.call(listLists, { params: world.params }, world.owner);
  expect(results.filter((list) => list.name === name)).toHaveLength(1);
});
