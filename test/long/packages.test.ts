import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { createApiKey, listApiKeys } from '#contract/api-keys.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, setCustomerLists } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import type { KeyScope } from '#contract/roles.ts';
import { saveKeyUses } from '#server/accounts/api-keys/key-uses.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { installPublishedPackages, type PublishedPackages } from '#test/harness/published-packages.ts';
import { readRows } from '#test/harness/rows.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let packages: PublishedPackages;
let product: TestProduct;
let mailchimp: MailchimpFake;
let acme: World;
let shop: Settings;

interface Settings extends Record<string, string> {
  SAYSO_URL: string;
  SAYSO_KEY: string;
}

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  [packages, product] = await Promise.all([
    installPublishedPackages(['sdk', 'cli']),
    startTestProduct({ env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url } }),
  ]);
  acme = await buildWorld(product);
  shop = await settings('Shop', ['read', 'customers']);
});

async function settings(name: string, scopes: KeyScope[]): Promise<Settings> {
  const { key } = await product.call(
    createApiKey,
    { params: acme.params, body: { name, scopes } },
    acme.owner,
  );
  const { organization_id, site_id } = acme.params;
  const url = `${product.url}/api/core/v1/organizations/${organization_id}/sites/${site_id}`;
  return { SAYSO_URL: url, SAYSO_KEY: key };
}

afterAll(async () => {
  await product.stop();
  await mailchimp.close();
  packages.remove();
});

const installed = (...parts: string[]) => join(packages.folder, 'node_modules/@sayso-email', ...parts);

const SHOP = `
import { createSayso, SaysoError, type Customer, type Sayso } from '@sayso-email/sdk';

declare const process: { env: Record<string, string | undefined> };
const sayso: Sayso = createSayso({ url: process.env['SAYSO_URL'] ?? '', key: process.env['SAYSO_KEY'] ?? '' });

const vera: Customer = await sayso.createCustomer({ body: { email: 'vera@example.com' } });
await sayso.createCustomer({ body: { email: 'otto@example.com' } });
const { results: lists } = await sayso.listLists();
const body = lists.map(({ id }) => ({ notification_list_id: id, subscribed: true }));
await sayso.setCustomerLists({ id: vera.id, body });
const links = await sayso.mintLinks({ id: vera.id });

const emails: string[] = [];
for await (const { email } of sayso.each('listCustomers', { query: { limit: 1 } })) emails.push(email);

const error: unknown = await sayso.createCustomer({ body: { email: vera.email } }).catch((thrown) => thrown);
if (!(error instanceof SaysoError)) throw new Error('Nothing was refused');

// @ts-expect-error: the API has no such field
export const wrong = () => sayso.createCustomer({ body: { mail: 'x' } });
// @ts-expect-error: the customer is missing
export const missing = () => sayso.getCustomer({});

console.log(JSON.stringify({
  emails,
  receives: (await sayso.getCustomer({ id: vera.id })).receives.length,
  url: links.preference_url,
  refused: [error.status, error.code, error.data?.['customer_id'] === vera.id, error.requestId !== null],
}));
`;

/** Every call and every answer: what the published types take, the contract takes, and both answer the same. */
const SAME = `
import type { createSayso as fromContract, SaysoError as ErrorOfContract } from '${ROOT}/packages/sdk/src/index.ts';
import type { createSayso as published, SaysoError as ErrorPublished } from '@sayso-email/sdk';

type Contract = ReturnType<typeof fromContract>;
type Published = ReturnType<typeof published>;
type Answers<Client extends Contract | Published> = {
  [Name in Exclude<keyof Client, 'each' | 'site'>]: Client[Name] extends (...call: never[]) => infer Answer ? Awaited<Answer> : never;
};

export const calls = (client: Omit<Contract, 'each'>): Omit<Published, 'each'> => client;
export const answers = (answer: Answers<Published>): Answers<Contract> => answer;
export const options = (given: Parameters<typeof published>): Parameters<typeof fromContract> => given;
export const errors = (error: ErrorOfContract): ErrorPublished => error;
`;

describe('the published SDK', () => {
  it('needs no other package, and includes its license and a README', () => {
    const manifest = JSON.parse(readFileSync(installed('sdk/package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ name: '@sayso-email/sdk', license: 'Apache-2.0', type: 'module' });
    expect(Object.keys(manifest)).not.toContain('dependencies');
    expect(readFileSync(installed('sdk/index.js'), 'utf8')).not.toMatch(/^import /m);
    expect(readFileSync(installed('sdk/index.d.ts'), 'utf8')).not.toMatch(/^import /m);
    expect(readFileSync(installed('sdk/LICENSE'), 'utf8')).toContain('Apache License');
    expect(readFileSync(installed('sdk/README.md'), 'utf8')).toContain('createSayso');
  });

  it('type-checks in somebody’s program, which then talks to a product', async () => {
    writeFileSync(join(packages.folder, 'shop.ts'), SHOP);
    expect(await packages.typeCheck(['shop.ts'])).toBe('');
    const { stdout } = await run(process.execPath, ['shop.ts'], { cwd: packages.folder, env: shop });
    expect(JSON.parse(stdout)).toEqual({
      emails: ['otto@example.com', 'vera@example.com'],
      receives: 2,
      url: expect.stringContaining('/preferences?'),
      refused: [409, 'error_exists', true, true],
    });
  });

  it('runs the program in the handbook', async () => {
    const page = readFileSync(join(ROOT, 'docs/handbook/sdk.md'), 'utf8');
    const [, program = ''] = /```js report\.mjs\n([^]*?)```/.exec(page) ?? [];
    writeFileSync(join(packages.folder, 'report.mjs'), program);
    const { stdout } = await run(process.execPath, ['report.mjs'], { cwd: packages.folder, env: shop });
    expect(stdout).toMatch(/^Weekly news: \d+\nOffers: \d+\n$/);
  });

  it('has the types of the contract: every call, every response', async () => {
    writeFileSync(join(packages.folder, 'same.ts'), SAME);
    const options = { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true };
    const types = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };
    expect(await packages.typeCheck(['same.ts'], { ...options, ...types })).toBe('');
  });
});

interface Said {
  code: number;
  out: string;
  err: string;
}

const BIN = () => join(packages.folder, 'node_modules/.bin/sayso');

/** The command as somebody runs it who installed the tarball. */
async function sayso(args: string[], env: Record<string, string> = shop): Promise<Said> {
  try {
    const { stdout, stderr } = await run(process.execPath, [BIN(), ...args], { cwd: packages.folder, env });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

async function sayJson<T>(args: string[]): Promise<T> {
  return JSON.parse((await sayso([...args, '--json'])).out) as T;
}

/** Receives the weekly news, and Mailchimp has her. */
async function newReader(email: string): Promise<Customer> {
  mailchimp.addContact(email);
  const reader = await buildCustomer(product, acme, email);
  const body = [{ notification_list_id: acme.weekly.id, subscribed: true }];
  await product.call(setCustomerLists, { params: { ...acme.params, id: reader.id }, body }, acme.owner);
  return reader;
}

async function tellMailchimpWhoLeaves(): Promise<void> {
  const { params, owner } = acme;
  const connected = { provider: 'mailchimp', name: 'Mailchimp', credentials: mailchimp.credentials };
  const { id } = await product.call(createIntegration, { params, body: connected }, owner);
  const body = {
    ...{ type: 'global_unsubscribe' as const, name: 'Who leaves', integration_id: id },
    ...{ operation: 'unsubscribe', trigger: { event: 'global_unsubscribed' as const }, target: {} },
  };
  await product.call(createAction, { params, body }, owner);
}

async function attemptDeliveriesOf({ id }: Customer): Promise<void> {
  const query = { customer_id: id };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  for (const { id: deliveryId, attempt_count: round } of results) {
    await deliverNow(product.services, { site_id: acme.params.site_id, id: deliveryId, round });
  }
}

describe('the published command line', () => {
  it('shows which site the key opens, and needs no ids beside the base URL', async () => {
    const said = await sayJson<object>(['whoami']);
    expect(said).toMatchObject({
      ...{ server: product.url, siteId: acme.params.site_id, reads_customers: true, reads_all: true },
    });
    const only = await settings('Only customers', ['customers']);
    expect((await sayso(['whoami'], only)).out).toContain('no, it needs the scope read');
    const refused = await sayso(['deliveries', '--failed'], only);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/needs the scope read.* Request ID: /);
  });

  it('finds, links and unsubscribes a customer, and changes nothing without --yes', async () => {
    const ada = await newReader('ada@example.com');
    expect((await sayso(['customers', 'find', 'ada@'])).out).toMatch(/ada@example\.com +active +1 /);
    const links = await sayJson<{ preference_url: string }>(['links', 'ADA@example.com']);
    expect(links.preference_url).toContain('/preferences?');
    const args = ['unsubscribe', 'ada@example.com', '--list', 'weekly news'];
    const preview = await sayso(args);
    expect(preview.code).toBe(2);
    expect(preview.out).toContain('This would unsubscribe ada@example.com from "Weekly news"');
    const params = { ...acme.params, id: ada.id };
    const records = async () =>
      (await product.call(listCustomerEvidence, { params, query: {} }, acme.owner)).results;
    expect(await records()).toHaveLength(2);
    expect(await sayso([...args, '--yes'])).toMatchObject({ code: 0, err: '' });
    expect(await sayso(args)).toMatchObject({
      code: 0,
      out: expect.stringContaining('is already unsubscribed'),
    });
    expect((await records())[0]).toMatchObject({ authority: 'api_key', events: ['unsubscribed'] });
    expect(await sayJson<object[]>(['evidence', 'ada@example.com'])).toEqual(await records());
  });

  it('reports what is wrong, and how it ended by its exit code', async () => {
    const unknown = await sayso(['unsubscribe', 'nobody@example.com', '--yes']);
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toContain('No customer has the email nobody@example.com.');
    expect(await sayso(['unsubscribe'])).toMatchObject({ code: 2 });
    expect(await sayso(['whoami'], { SAYSO_URL: shop.SAYSO_URL })).toMatchObject({ code: 2 });
    expect(await sayso(['whoami'], { ...shop, SAYSO_KEY: 'sk_wrong' })).toMatchObject({ code: 1 });
  });
});

describe('an agent that uses MCP', () => {
  let nora: Customer;
  let agent: Client;

  beforeAll(async () => {
    await tellMailchimpWhoLeaves();
    nora = await newReader('nora@example.com');
    await sayso(['unsubscribe', 'nora@example.com', '--yes']);
    mailchimp.rule(() => ({ status: 401 }));
    await attemptDeliveriesOf(nora);
    agent = new Client({ name: 'test', version: '1' });
    const env = await settings('Agent', ['read']);
    await agent.connect(new StdioClientTransport({ command: process.execPath, args: [BIN(), 'mcp'], env }));
  });

  afterAll(() => agent.close());

  async function ask(name: string, parts: Record<string, unknown> = {}) {
    const { content, isError } = await agent.callTool({ name, arguments: parts });
    const [{ text = '' } = {}] = content as { text?: string }[];
    return { isError, text, data: isError === true ? null : (JSON.parse(text) as Record<string, unknown>) };
  }

  it('learns why nora@example.com still gets email, with the records that show it', async () => {
    const { data } = await ask('why_still_receiving', { email: 'Nora@Example.com' });
    expect(data).toMatchObject({ is_customer: true, unsubscribed_from_all: true });
    const query = { customer_id: nora.id };
    const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
    expect(data?.['reasons']).toMatchObject([
      {
        code: 'on_its_way',
        says: expect.stringMatching(/^Mailchimp doesn't know that they unsubscribed from all yet/),
        fix: 'Enter new credentials under Integrations. The change is then sent.',
        deliveries: [results[0]?.id],
        evidence: [results[0]?.choice_id],
      },
      { code: 'tool_not_connected', says: expect.stringContaining('Mailchimp: needs attention.') },
    ]);
    expect((await sayso(['customers', 'show', 'nora@example.com'])).out).toContain("Mailchimp doesn't know");
  });

  it('reads everything it is offered, changes nothing by it, and its key says so', async () => {
    /** All but how many calls were made, to us and to the tool. */
    const rows = async () => {
      const {
        'public.rate_limits': _calls,
        'public.tool_rate_limits': _toolCalls,
        'public.audit_log': _log,
        ...rest
      } = await readRows(product.testDatabase.owner);
      return rest;
    };
    await newReader('emma@example.com');
    const before = await rows();
    const email = 'emma@example.com';
    const { tools } = await agent.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    for (const { name, inputSchema } of tools) {
      const takes = Object.keys(inputSchema.properties ?? {});
      // Tested with a bulk change that is there in `agents.test.ts`.
      if (takes.includes('bulk_change_id')) continue;
      const chosen = takes.includes('all') ? { all: 'off' } : {};
      const parts = takes.includes('email') ? { email, ...chosen } : {};
      expect(await ask(name, parts), name).toMatchObject({ data: {} });
    }
    const { data } = await ask('preview_unsubscribe', { email, list: 'Weekly news' });
    expect(data).toMatchObject({
      is_done: false,
      preview: { choices: [{ events: ['unsubscribed'] }] },
      how_a_person_does_it: {
        command: expect.stringMatching(
          /^sayso unsubscribe emma@example\.com --list 'Weekly news' --preview \S+ --yes$/,
        ),
      },
    });
    expect(await rows()).toEqual(before);
    await saveKeyUses(product.services);
    const keys = await product.call(listApiKeys, { params: acme.params }, acme.owner);
    const agents = keys.results.find(({ name }) => name === 'Agent');
    expect(agents).toMatchObject({ last_used_at: expect.any(String), last_changed_at: null });
  });

  it('leaves each call in the audit log, reads included, with its key, the tool and the customer', async () => {
    const omar = await newReader('omar@example.com');
    const entries = async () => {
      const query = { noun: 'agent' as const };
      return (await product.call(listAuditLog, { params: acme.params, query }, acme.owner)).results;
    };
    const before = (await entries()).length;
    const { tools } = await agent.listTools();
    for (const { name, inputSchema } of tools) {
      const takes = Object.keys(inputSchema.properties ?? {});
      const about = takes.includes('email') ? { email: omar.email } : {};
      await ask(name, takes.includes('bulk_change_id') ? { bulk_change_id: omar.id } : about);
    }
    const made = (await entries()).toReversed().slice(before);
    expect(made.map(({ subject_name: name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const [index, { inputSchema }] of tools.entries()) {
      const takes = Object.keys(inputSchema.properties ?? {});
      const isAboutOmar = takes.includes('email');
      expect(made[index]).toMatchObject({
        event: isAboutOmar ? 'agent.called_about_customer' : 'agent.called',
        subject_id: isAboutOmar || takes.includes('bulk_change_id') ? omar.id : null,
        actor: { kind: 'api_key', name: 'Agent' },
      });
    }
  });

  it('gets no answer if its call cannot be recorded', async () => {
    const { owner } = product.testDatabase;
    await owner.query(`alter table audit_log add constraint none check (event not like 'agent.%') not valid`);
    try {
      const { isError, text } = await ask('find_customer', { email: 'nora@example.com' });
      expect(isError).toBe(true);
      expect(text).not.toContain('global_unsubscribe');
    } finally {
      await owner.query('alter table audit_log drop constraint none');
    }
  });

  it('is told what does not exist, as an answer', async () => {
    const { isError, text } = await ask('list_evidence', { email: 'nobody@example.com' });
    expect(isError).toBe(true);
    expect(text).toContain('No customer has the email nobody@example.com.');
    const { data } = await ask('why_still_receiving', { email: 'nobody@example.com' });
    expect(data?.['reasons']).toMatchObject([{ code: 'unknown_email' }]);
  });
});
