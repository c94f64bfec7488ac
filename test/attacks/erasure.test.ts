import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { createCustomer, type Customer, deleteCustomer, updateCustomer } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { emailKey } from '#contract/email-key.ts';
import { uploadImport } from '#contract/imports.ts';
import { openCustomer, requestData, saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { runCustomerTimers } from '#server/visit/customers/customer-timers.jobs.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { csv, uploadAndCheck } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { agreeToRecords, buildWebhook, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

/** The addresses that one person has had, as they were typed; the last one is current. */
const ADDRESSES = [
  'Vera.Old@Shop.Example',
  'véra@bücher.example',
  "Vera.O'Neil@example.org",
  'हिन्दी@उदाहरण.example',
] as const;
const [FIRST, SECOND, THIRD, LAST] = ADDRESSES;
/** Addresses that hold one of them, and are others'. */
const ARCHIVE = 'archive@acme.example';

const NEIGHBOURS = ['joana.vera.old@shop.example', 'vera.old@shop.example.org'];

let product: TestProduct;
let world: World;
let receiver: WebhookReceiver;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  receiver = await startWebhookReceiver();
});

afterAll(async () => {
  await product.stop();
  await receiver.close();
});

/** Every row of every table, of every site: nothing stands between the owner of the database and what is in it. */
async function dump(): Promise<string> {
  const { rows: tables } = await product.testDatabase.owner.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind in ('r', 'p', 'm') and nspname not in ('pg_catalog', 'information_schema')
     and nspname not like 'pg_toast%' order by 1`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await product.testDatabase.owner.query<{ row: string }>(
      `select row_to_json(t)::text as row from ${name} t`,
    );
    texts.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return texts.join('\n').toLowerCase();
}

/** How an address may stand in a row: as it was typed or is compared, in a link, in base64 and in bytes. */
function formsOf(address: string): string[] {
  const spellings = [address, address.toLowerCase(), emailKey(address), address.normalize('NFKC')];
  return [...new Set(spellings)].flatMap((spelling) => {
    const bytes = Buffer.from(spelling, 'utf8');
    // In base64 a text looks different by where it begins; the first and the last letters depend on what is around it.
    const inBase64 = [0, 1, 2].map((before) =>
      Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .slice(4, -4),
    );
    return [
      spelling,
      encodeURIComponent(spelling),
      JSON.stringify(spelling).slice(1, -1),
      spelling.replaceAll("'", '&#39;'),
      bytes.toString('hex'),
      ...inBase64,
      ...inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ].map((form) => form.toLowerCase());
  });
}

/** The rows that name one of the person's addresses, without those of their neighbours. */
function traces(dumped: string): string[] {
  const clean = NEIGHBOURS.reduce((text, neighbour) => text.replaceAll(neighbour, ''), dumped);
  const forms = ADDRESSES.flatMap(formsOf);
  return clean.split('\n').filter((row) => forms.some((form) => row.includes(form)));
}

async function move(customer: Customer, email: string): Promise<void> {
  const params = { ...world.params, id: customer.id };
  await product.call(updateCustomer, { params, body: { email } }, world.owner);
}

async function untilDelivered(): Promise<void> {
  const waiting = async () => {
    const { results } = await product.call(
      listDeliveries,
      { params: world.params, query: { status: 'waiting', limit: 100 } },
      world.owner,
    );
    return results.filter(({ attempt_count }) => attempt_count === 0).length;
  };
  await expect.poll(waiting).toBe(0);
}

async function untilMailed(count: number): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await product.testDatabase.owner.query<{ count: string }>(
        'select count(*) from outbox_emails where recipient = any($1)',
        [ADDRESSES],
      );
      return Number(rows[0]?.count);
    })
    .toBeGreaterThanOrEqual(count);
}

/** A person who has been everywhere: on the page, in files, in what was sent and in what receivers said of it. */
async function liveALife(): Promise<Customer> {
  await buildWebhook(product, world, { url: receiver.url, event: 'unsubscribed' });
  await buildWebhook(product, world, { url: receiver.url, event: 'subscribed' });
  await agreeToRecords(product, world, ARCHIVE);
  await product.call(
    createAction,
    {
      params: world.params,
      body: {
        type: 'evidence',
        name: 'Tell the archive',
        trigger: { event: 'unsubscribed', list_ids: [] },
        target: { email: ARCHIVE },
      },
    },
    world.owner,
  );
  const customer = await product.call(
    createCustomer,
    { params: world.params, body: { email: FIRST } },
    world.owner,
  );
  const body = { email: FIRST, custom_path: world.page.custom_path };
  await product.call(openCustomer, { body }, world.visitor);
  const customerId = await openAsProven(product, world, customer);
  const choose = (subscribed: boolean) =>
    product.call(
      saveLists,
      { params: { customerId }, body: [{ notification_list_id: world.weekly.id, subscribed }] },
      world.visitor,
    );
  await choose(false);
  await untilDelivered();
  await product.call(
    updatePublicCustomer,
    { params: { customerId }, body: { email: SECOND } },
    world.visitor,
  );
  await untilMailed(1);
  // A receiver that repeats what it was told, and refuses it.
  receiver.answerWith({ status: 500, body: `No such person: ${SECOND}` });
  await choose(true);
  await untilDelivered();
  await move(customer, THIRD);
  await product.call(requestData, { params: { customerId }, body: { kind: 'download' } }, world.visitor);
  await untilMailed(2);

  const files = [
    csv('email,name,note', `${FIRST},Vera,x`, `other@example.com,Otto,"met ${SECOND} there"`, 'broken'),
    csv('email,name', ...NEIGHBOURS.map((one) => `${one},Joana`), `${THIRD},Vera`),
  ];
  for (const file of files) {
    const query = { file_name: `people of ${FIRST}.csv` };
    await product.call(uploadImport, { params: world.params, query, file }, world.owner);
  }
  await uploadAndCheck(
    product,
    world,
    csv('email,name', `${FIRST},Vera`, `"<${SECOND}>",Vera`, `${THIRD},Vera`),
  );
  await move(customer, LAST);
  return customer;
}

it('erasure leaves no address that a person ever had in any table, in any form, and affects nobody else', async () => {
  const customer = await liveALife();
  const before = await dump();
  for (const address of ADDRESSES) expect(before).toContain(address.toLowerCase());
  expect(traces(before).length).toBeGreaterThan(10);

  // One call is under way while the person is erased, and is recorded afterwards.
  const received = receiver.received.length;
  receiver.answerWith('hang');
  const customerId = await openAsProven(product, world, customer);
  await product.call(
    saveLists,
    { params: { customerId }, body: [{ notification_list_id: world.weekly.id, subscribed: false }] },
    world.visitor,
  );
  await receiver.waitFor(received + 1);
  await product.call(deleteCustomer, { params: { ...world.params, id: customer.id } }, world.owner);
  receiver.answerWith({ status: 204 });
  receiver.answerHanging(204);
  // Those at work hold a lease, which ends soon.
  const open = `select count(*)::int as count from deliveries where next_attempt_at < now() + interval '30 seconds'`;
  await expect
    .poll(async () => (await product.testDatabase.owner.query<{ count: number }>(open)).rows[0]?.count)
    .toBe(0);
  product.clock.advance({ minutes: 6 });
  await runCustomerTimers(product.services);

  expect(traces(await dump())).toEqual([]);
  const { rows } = await product.testDatabase.owner.query<{ fields: string[] }>(
    'select fields from import_rows where fields is not null order by fields',
  );
  const cells = rows.flatMap(({ fields }) => fields);
  for (const neighbour of NEIGHBOURS) expect(cells).toContain(neighbour);
  expect(cells).toContain('other@example.com');
});

it('the counters of limits contain no address and no IP', async () => {
  const { rows } = await product.testDatabase.owner.query<{ key: string }>('select key from rate_limits');
  expect(rows.length).toBeGreaterThan(0);
  for (const { key } of rows) expect(key).not.toMatch(/@|\d+\.\d+\.\d+|::/);
});
