import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { installPublishedPackages, type PublishedPackages } from '#test/harness/published-packages.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let packages: PublishedPackages;
let product: TestProduct;
let acme: World;
let env: { SAYSO_URL: string; SAYSO_KEY: string };

beforeAll(async () => {
  [packages, product] = await Promise.all([installPublishedPackages(['sdk']), startTestProduct()]);
  acme = await buildWorld(product);
  const body = { name: 'Shop', scopes: ['read' as const, 'customers' as const] };
  const { key } = await product.call(createApiKey, { params: acme.params, body }, acme.owner);
  const { organization_id, site_id } = acme.params;
  env = {
    SAYSO_URL: `${product.url}/api/core/v1/organizations/${organization_id}/sites/${site_id}`,
    SAYSO_KEY: key,
  };
});

afterAll(async () => {
  await product.stop();
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

describe('the SDK as it is published', () => {
  it('needs no other package, and has its license and a README in it', () => {
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
    const { stdout } = await run(process.execPath, ['shop.ts'], { cwd: packages.folder, env });
    expect(JSON.parse(stdout)).toEqual({
      emails: ['otto@example.com', 'vera@example.com'],
      receives: 2,
      url: expect.stringContaining('/preferences?'),
      refused: [409, 'error_exists', true, true],
    });
  });

  it('has the types of the contract: every call, every answer', async () => {
    writeFileSync(join(packages.folder, 'same.ts'), SAME);
    const options = { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true };
    const types = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };
    expect(await packages.typeCheck(['same.ts'], { ...options, ...types })).toBe('');
  });
});
