import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { getBulkChange, listBulkChanges } from '#contract/bulk-changes.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, getCustomer, setCustomerLists } from '#contract/customers.ts';
import { createList } from '#contract/lists.ts';
import type { KeyScope } from '#contract/roles.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { installPublishedPackages, type PublishedPackages } from '#test/harness/published-packages.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';

const run = promisify(execFile);

let packages: PublishedPackages;
let product: TestProduct;
let nora: World;
let acme: World;
let agent: Client;
/** Of a person, who may change customers and undo. */
let person: Record<string, string>;

beforeAll(async () => {
  [packages, product] = await Promise.all([
    installPublishedPackages(['cli']),
    startTestProduct({ worker: true }),
  ]);
  nora = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  packages.remove();
});

const BIN = () => join(packages.folder, 'node_modules/.bin/sayso');

async function settings(name: string, scopes: KeyScope[]): Promise<Record<string, string>> {
  const body = { name, scopes };
  const { key } = await product.call(createApiKey, { params: acme.params, body }, acme.owner);
  const { organization_id, site_id } = acme.params;
  const url = `${product.url}/api/core/v1/organizations/${organization_id}/sites/${site_id}`;
  return { SAYSO_URL: url, SAYSO_KEY: key };
}

/** An agent that may only read, and whatever it gets it can't write with. */
beforeEach(async () => {
  await logInAgain(product, nora.owner);
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
  person = await settings('Person', ['read', 'customers', 'write']);
  agent = new Client({ name: 'test', version: '1' });
  const env = await settings('Agent', ['read']);
  await agent.connect(new StdioClientTransport({ command: process.execPath, args: [BIN(), 'mcp'], env }));
  return () => agent.close();
});

interface Previewed {
  is_done: boolean;
  is_ready?: boolean;
  preview: { choices: { lists: { name: string; subscribed: boolean }[]; needs_confirmation: boolean }[] };
  bulk_change: { undo: { status: string; counts: object } };
  how_a_person_does_it: { command: string; dashboard: string };
}

async function ask(name: string, parts: Record<string, unknown>) {
  const { content, isError } = await agent.callTool({ name, arguments: parts });
  const [{ text = '' } = {}] = content as { text?: string }[];
  return { isError, text, data: (isError === true ? {} : JSON.parse(text)) as Previewed };
}

/** The command that the agent suggested, as a shell has it. */
async function doIt(command: string, env = person): Promise<{ code: number; text: string }> {
  const [, ...rest] = command.split(' ');
  const line = `exec "$NODE" "$BIN" ${rest.join(' ')}`;
  const options = { env: { ...env, NODE: process.execPath, BIN: BIN() } };
  try {
    const { stdout, stderr } = await run('/bin/sh', ['-c', line], options);
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

const recordsOf = async ({ id }: Customer) =>
  (
    await product.call(
      listCustomerEvidence,
      { params: { ...acme.params, id }, query: { limit: 100 } },
      acme.owner,
    )
  ).results;

const setLists = (customer: Customer, weekly: boolean, offers = false) =>
  product.call(
    setCustomerLists,
    {
      params: { ...acme.params, id: customer.id },
      body: [
        { notification_list_id: acme.weekly.id, subscribed: weekly },
        { notification_list_id: acme.offers.id, subscribed: offers },
      ],
    },
    acme.owner,
  );

async function auditEvents(): Promise<string[]> {
  const { results } = await product.call(
    listAuditLog,
    { params: acme.params, query: { limit: 100 } },
    acme.owner,
  );
  return results.map(({ event }) => event);
}

describe('a choice over several lists', () => {
  let vera: Customer;
  const choice = () => ({ email: vera.email, on: ['Offers'], off: ['weekly news'] });

  beforeEach(async () => {
    vera = await buildCustomer(product, acme);
    await setLists(vera, true);
  });

  it('is only previewed by the agent; a person confirms it, and confirming twice changes once', async () => {
    const before = await recordsOf(vera);
    const { data } = await ask('preview_choice', choice());
    expect(data).toMatchObject({ is_done: false, preview: { choices: [{ needs_confirmation: false }] } });
    const lists = data.preview.choices[0]?.lists.map(({ name, subscribed }) => [name, subscribed]);
    expect(lists?.toSorted()).toEqual([
      ['Offers', true],
      ['Weekly news', false],
    ]);
    expect(await recordsOf(vera)).toEqual(before);
    const { command } = data.how_a_person_does_it;
    expect(command).toMatch(/^sayso choose \S+ --on Offers --off 'weekly news' --preview \S+ --yes$/);
    expect(await doIt(command)).toMatchObject({ code: 0, text: expect.stringContaining('Changed what') });
    expect(await doIt(command)).toMatchObject({ code: 0, text: expect.stringContaining('already') });
    expect(await recordsOf(vera)).toHaveLength(before.length + 1);
    expect((await recordsOf(vera))[0]).toMatchObject({ source: 'api', authority: 'api_key' });
  });

  it('cannot be made with the agent’s own key', async () => {
    const before = await recordsOf(vera);
    const { data } = await ask('preview_choice', { email: vera.email, all: 'off' });
    const { command } = data.how_a_person_does_it;
    expect(command).toContain('--all off');
    const refused = await doIt(command, await settings('Agent again', ['read']));
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('needs the scope customers') });
    expect(await recordsOf(vera)).toEqual(before);
  });

  it('is refused if something else would happen now, and for another choice', async () => {
    const { data } = await ask('preview_choice', choice());
    const { command } = data.how_a_person_does_it;
    const other = command.replace('--on Offers', '');
    expect(await doIt(other)).toMatchObject({ code: 1, text: expect.stringContaining('Preview it again') });
    await setLists(vera, true, true);
    const before = await recordsOf(vera);
    expect(await doIt(command)).toMatchObject({ code: 1, text: expect.stringContaining('no longer') });
    expect(await recordsOf(vera)).toEqual(before);
  });

  it('reports what is missing, and lists that do not exist', async () => {
    expect(await ask('preview_choice', { email: vera.email })).toMatchObject({ isError: true });
    const both = { email: vera.email, on: ['Offers'], all: 'off' };
    expect(await ask('preview_choice', both)).toMatchObject({ isError: true });
    const unknown = await ask('preview_choice', { email: vera.email, on: ['Of $(id)'] });
    expect(unknown.text).toContain('There is no list "Of $(id)".');
    await product.call(createList, { params: acme.params, body: { name: 'Of $(id)' } }, acme.owner);
    const { data } = await ask('preview_choice', { email: vera.email, on: ['Of $(id)'] });
    expect(await doIt(data.how_a_person_does_it.command)).toMatchObject({ code: 0 });
  });
});

describe('undoing a bulk change', () => {
  /** Of more than twenty customers by one person, ten minutes ago. */
  async function bulkEdit() {
    const people = await Promise.all(Array.from({ length: 20 }, () => buildCustomer(product, acme)));
    // That they were added is a bulk change of its own: undoing it would delete them.
    product.clock.advance({ minutes: 11 });
    await logInAgain(product, nora.owner);
    for (const one of people) await setLists(one, true, true);
    product.clock.advance({ minutes: 11 });
    await logInAgain(product, nora.owner);
    const { results } = await product.call(listBulkChanges, { params: acme.params }, acme.owner);
    const [made] = results;
    if (made === undefined) throw new Error('There is no bulk change');
    return { id: made.id, people };
  }

  const bulkChange = (id: string) =>
    product.call(getBulkChange, { params: { ...acme.params, id } }, acme.owner);

  const receivesOf = async ({ id }: Customer) =>
    (await product.call(getCustomer, { params: { ...acme.params, id } }, acme.owner)).receives.length;

  it('is only previewed by the agent; a person confirms it, and confirming twice undoes once', async () => {
    const { id, people } = await bulkEdit();
    const [first] = people;
    if (first === undefined) throw new Error('There is nobody');
    const { text } = await ask('list_bulk_changes', {});
    expect(text).toContain(id);
    const { data } = await ask('preview_undo', { bulk_change_id: id });
    expect(data).toMatchObject({ is_done: false, is_ready: true });
    expect(data.bulk_change.undo).toMatchObject({ status: 'checked', counts: { customers: 20 } });
    expect(await receivesOf(first)).toBe(2);
    const { command, dashboard } = data.how_a_person_does_it;
    expect(dashboard).toContain(`/bulk-changes/${id}?site=`);

    const refused = await doIt(command, await settings('Agent again', ['read']));
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('needs the scope write') });
    expect((await bulkChange(id)).undo?.status).toBe('checked');
    expect(await doIt(command)).toMatchObject({ code: 0, text: expect.stringContaining('has started') });
    await expect.poll(async () => (await bulkChange(id)).undo?.status, { timeout: 20_000 }).toBe('finished');
    expect(await receivesOf(first)).toBe(0);
    expect(await doIt(command)).toMatchObject({ code: 0, text: expect.stringContaining('already undone') });
    expect((await auditEvents()).filter((event) => event === 'bulk_change.undone')).toHaveLength(1);
    const again = await ask('preview_undo', { bulk_change_id: id });
    expect(again.data).toMatchObject({ is_done: true, how_a_person_does_it: null });
  });

  it('is refused with an outdated preview', async () => {
    const { id, people } = await bulkEdit();
    const [first] = people;
    if (first === undefined) throw new Error('There is nobody');
    const { data } = await ask('preview_undo', { bulk_change_id: id });
    await setLists(first, false, false);
    product.clock.advance({ minutes: 11 });
    await logInAgain(product, nora.owner);
    await ask('preview_undo', { bulk_change_id: id });
    const refused = await doIt(data.how_a_person_does_it.command);
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('no longer') });
    expect((await bulkChange(id)).undo?.status).toBe('checked');
  });
});
