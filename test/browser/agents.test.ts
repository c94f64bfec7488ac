import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { installPublishedPackages, type PublishedPackages } from '#test/harness/published-packages.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

const run = promisify(execFile);
const EMAIL = 'nora@example.com';
const STILL = 'They receive "Weekly news": switched on ';

let packages: PublishedPackages;
let product: TestProduct;
let world: World;
let browser: TestBrowser;

beforeAll(async () => {
  packages = await installPublishedPackages(['cli']);
  product = await startTestProduct();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  packages.remove();
});

const command = () => join(packages.folder, 'node_modules/.bin/sayso');

it('with a key that an owner creates on screen, the command line and an agent explain why Nora still gets emails, and the audit log what the key did', async () => {
  const nora = await buildCustomer(product, world, EMAIL);
  const params = { ...world.params, id: nora.id };
  const body = [{ notification_list_id: world.weekly.id, subscribed: true }];
  await product.call(setCustomerLists, { params, body }, world.owner);
  const page = await signIn(await browser.open(), world);

  const env = await browser.step('the owner creates a key that may read and change customers', async () => {
    await page.goto(`${product.url}/account-settings?section=api-keys`);
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Support desk');
    for (const name of ['read', 'customers']) {
      const scope = dialog.getByRole('checkbox', { name, exact: true });
      if (!(await scope.isChecked())) await scope.press('Space');
      expect(await scope.isChecked()).toBe(true);
    }
    await dialog.getByRole('button', { name: 'Create API key' }).click();
    const made = page.getByRole('alertdialog');
    const key = await made.locator('code').first().innerText();
    await made.getByRole('button', { name: 'Done' }).click();
    const { organization_id, site_id } = world.params;
    const url = `${product.url}/api/core/v1/organizations/${organization_id}/sites/${site_id}`;
    await page.getByText(url, { exact: true }).waitFor();
    return { SAYSO_URL: url, SAYSO_KEY: key };
  });

  const sayso = (...args: string[]) =>
    run(process.execPath, [command(), ...args], { cwd: packages.folder, env });

  await browser.step('the command line says why', async () => {
    const { stdout } = await sayso('customers', 'show', EMAIL);
    expect(stdout).toContain(STILL);
    expect(stdout).toContain(`sayso unsubscribe ${EMAIL} --list 'Weekly news'`);
  });

  await browser.step('so does the MCP server', async () => {
    const agent = new Client({ name: 'assistant', version: '1' });
    await agent.connect(
      new StdioClientTransport({ command: process.execPath, args: [command(), 'mcp'], env, stderr: 'pipe' }),
    );
    try {
      const answer = await agent.callTool({ name: 'why_still_receiving', arguments: { email: EMAIL } });
      const [said] = answer.content as { text: string }[];
      expect(JSON.parse(said?.text ?? '')).toMatchObject({
        email: EMAIL,
        reasons: expect.arrayContaining([
          expect.objectContaining({ code: 'subscribed', says: expect.stringContaining(STILL) }),
        ]),
      });
    } finally {
      await agent.close();
    }
  });

  await browser.step('what the suggested command changes is in the audit log, under the key', async () => {
    await sayso('unsubscribe', EMAIL, '--list', 'Weekly news', '--yes');
    await page.goto(`${product.url}/account-settings?section=audit-log&noun=customer`);
    await page.getByText('Changed a customer').first().waitFor();
    // Not its entry in the filter.
    await page.getByText('Support desk').filter({ visible: true }).first().waitFor();
  });

  await browser.step('what the agent only read is there, too, and no email', async () => {
    await page.goto(`${product.url}/account-settings?section=audit-log&noun=agent`);
    await page.getByText('Agent called why_still_receiving about a customer').first().waitFor();
    expect(await page.getByText(EMAIL).count()).toBe(0);
  });

  await browser.step('the key says when it was used', async () => {
    await page.goto(`${product.url}/account-settings?section=api-keys`);
    await page.getByText('Used within the past hour').waitFor();
  });
  expect(browser.problems).toEqual([]);
});
