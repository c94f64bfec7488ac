import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { createIntegration } from '#contract/integrations.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { csv, upload } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

let product: TestProduct;
let brevo: BrevoFake;
let browser: TestBrowser;

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({ worker: true, env: { CONNECTOR_BREVO_URL: brevo.url } });
  browser = await startBrowser();
});

beforeEach(() => {
  browser.problems.length = 0;
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await brevo.close();
});

/** A window in which the world's owner is logged in. */
async function openAs({ owner, params }: World, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.open({ acceptDownloads: true, ...options });
  await signIn(page, { owner, params });
  return page;
}

async function chooseFile(page: Page, name: string, text: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose file' }).click();
  await (await chooser).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
}

async function downloadOf(page: Page, press: () => Promise<void>): Promise<{ name: string; text: string }> {
  const waiting = page.waitForEvent('download');
  await press();
  const download = await waiting;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

it('from a file with a wrong row to a customer whose change stands in the timeline', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const page = await openAs(world);

  await step('from the dashboard to a new import', async () => {
    await page.goto(`${product.url}/dashboard`);
    await page.getByRole('link', { name: 'Customers', exact: true }).click();
    await page.getByText('No customers yet').waitFor();
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByText('No imports yet').waitFor();
    await page.getByRole('link', { name: 'New import' }).first().click();
  });

  await step('a file that is none is refused before it is sent', async () => {
    await chooseFile(page, 'people.xlsx', 'PK');
    await page.getByText('This isn’t a CSV file').waitFor();
  });

  await step('a file is sent, and its columns are understood', async () => {
    const rows = [
      'email,Weekly news,Town',
      'vera@example.com,yes,Graz',
      'no address,yes,Linz',
      'lea@example.com,no,',
    ];
    await chooseFile(page, 'people.csv', `${rows.join('\n')}\n`);
    await page.getByRole('heading', { name: 'Match the columns' }).waitFor();
    await page.getByRole('button', { name: /Use email as/ }).waitFor();
    await page.getByRole('button', { name: /List: Weekly news/ }).waitFor();
    expect(
      await page.getByRole('switch', { name: 'Resubscribe customers who unsubscribed' }).isChecked(),
    ).toBe(false);
  });

  await step('a reload in the middle comes back to the same place', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
  });

  await step('the dry run names the wrong row', async () => {
    await page.getByText("This email isn't valid.").waitFor();
    await page.getByText('Row 3').waitFor();
    await page.getByRole('radio', { name: /New customers/ }).click();
    await page.getByText('Subscribes to Weekly news').waitFor();
    await page.getByText('lea@example.com').waitFor();
  });

  await step('it is applied', async () => {
    await page.getByRole('button', { name: 'Start import' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('New: 2. Changed: 0. Resubscribed: 0.').waitFor();
    await dialog.getByRole('button', { name: 'Start import' }).click();
    await page.getByText('Import finished. Changes: 2.').waitFor();
  });

  await step('the rejected row can be mended', async () => {
    const button = page.getByRole('button', { name: 'Download failed rows' });
    const { name, text } = await downloadOf(page, () => button.click());
    expect(name).toBe('rejected.csv');
    expect(text).toContain('no address,yes,Linz');
  });

  await step('a customer is found by the start of the address', async () => {
    await page.getByRole('link', { name: 'View customers' }).click();
    await page.getByRole('link', { name: /lea@example\.com/ }).waitFor();
    await page.getByLabel('Search by email').fill('ver');
    await page.getByRole('link', { name: /lea@example\.com/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?search=ver');
    await page.getByRole('link', { name: /vera@example\.com/ }).click();
    await page.getByRole('heading', { level: 1, name: 'vera@example.com' }).waitFor();
  });

  const timeline = page.getByRole('list', { name: 'Timeline' });

  await step('a list is changed, taken back, and both stand in the timeline', async () => {
    const offers = page.getByRole('switch', { name: 'Offers' });
    await timeline.getByText('Through an import').first().waitFor();
    // Its input lies under the drawn switch.
    await page.getByText('Offers', { exact: true }).click();
    await expect.poll(() => offers.isChecked()).toBe(true);
    await timeline.getByText('Subscribed to Offers').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await timeline.getByText('Unsubscribed from Offers').waitFor();
    expect(await offers.isChecked()).toBe(false);
    await timeline.getByRole('button', { name: /Subscribed to Offers/ }).click();
    await timeline.getByText('By a team member').nth(1).waitFor();
    await timeline.getByText('Logged-in team member').waitFor();
  });

  await step('leaving everything is seen at once; coming back asks for the proof', async () => {
    await page.getByRole('button', { name: 'Unsubscribe from all' }).click();
    await page.getByText('This customer unsubscribed from all and receives nothing.').waitFor();
    await timeline.getByText('Unsubscribed from all').waitFor();
    await page.getByRole('button', { name: 'Resubscribe' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Resubscribe' }).click();
    await timeline.getByText('Resubscribed').waitFor();
    expect(await page.getByRole('switch', { name: 'Weekly news' }).isChecked()).toBe(true);
  });

  await step('a personal link is made and opens the page as this person', async () => {
    await page.getByRole('button', { name: 'Create personal link' }).click();
    const url = (await page.getByText(/^http.*challenge=/).textContent()) ?? '';
    const visitor = await browser.open();
    await visitor.goto(url);
    await visitor.getByText('vera@example.com').first().waitFor();
  });

  await step('erasing needs the address typed', async () => {
    await page.getByRole('button', { name: 'Erase customer' }).click();
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Erase customer' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('Type “vera@example.com” to confirm').fill('vera@example.com');
    await confirm.click();
    await page.getByText('Customer erased').waitFor();
    await page.getByRole('link', { name: /lea@example\.com/ }).waitFor();
    expect(await page.getByRole('link', { name: /vera@example\.com/ }).count()).toBe(0);
  });

  await step('customers and evidence can be taken along', async () => {
    for (const [item, file, content] of [
      ['Customers (CSV)', 'customers.csv', 'lea@example.com'],
      ['Evidence (CSV)', 'evidence.csv', 'global_resubscribed'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click();
      const { name, text } = await downloadOf(page, () => page.getByRole('menuitem', { name: item }).click());
      expect(name).toBe(file);
      expect(text).toContain(content);
      expect(text.startsWith('\ufeff')).toBe(true);
    }
  });

  expect(browser.problems).toEqual([]);
});

it("a tool's list is read, checked and applied as a list here", async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const page = await openAs(world);
  const { params, owner } = world;
  const body = { provider: 'brevo', name: 'Acme Mail', credentials: { ...brevo.credentials } };

  await step('without a tool it says which can be read', async () => {
    await page.goto(`${product.url}/imports/new`);
    await page.getByText('A connected tool').click();
    await page.getByText('No tools to import from').waitFor();
    await page.getByText(/You can import from .*Brevo/).waitFor();
    const connect = page.getByRole('link', { name: 'Connect a tool' });
    expect(await connect.getAttribute('href')).toBe('/integrations');
  });

  const [list = { id: '', name: '' }] = brevo.addResources('lists', 1);
  brevo.addPeople?.('lists', list.id, [{ email: 'tom@example.com', state: 'subscribed' }]);
  await product.call(createIntegration, { params, body }, owner);

  await step('its list becomes one of ours', async () => {
    await page.reload();
    await page.getByText('A connected tool').click();
    await page.getByRole('button', { name: `Import ${list.name} into` }).click();
    await page.getByRole('option', { name: 'Weekly news' }).click();
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
    await page.getByText('tom@example.com').waitFor();
    await page.getByText('Subscribes to Weekly news').waitFor();
  });

  await step('it can be cancelled', async () => {
    await page.getByRole('button', { name: 'Cancel import' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel import' }).click();
    await page.getByText('The import stopped before it changed anything.').waitFor();
    await page.getByRole('link', { name: 'Imports' }).click();
    await page.getByRole('link', { name: /Acme Mail.*Cancelled/ }).waitFor();
  });

  expect(browser.problems).toEqual([]);
});

it('no screen has a violation or is too wide, on a phone, a tablet and a desktop', async () => {
  const world = await buildWorld(product);
  const { params, owner } = world;
  const vera = await buildCustomer(product, world, `${'a-very-long-address.'.repeat(3)}vera@example.com`);
  const wanted = [{ notification_list_id: world.offers.id, subscribed: true }];
  await product.call(setCustomerLists, { params: { ...params, id: vera.id }, body: wanted }, owner);
  const rows = ['email,Weekly news', 'lea@example.com,yes', 'no address,yes', 'tom@example.com,perhaps'];
  const { id } = await upload(product, world, csv(...rows));
  const page = await openAs(world);
  const found: Record<string, unknown> = {};

  async function look(name: string): Promise<void> {
    await page.waitForLoadState('networkidle');
    const problems = await problemsByWindow(page);
    if (Object.keys(problems).length > 0) found[name] = problems;
  }

  async function visit(path: string): Promise<void> {
    await page.goto(`${product.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  for (const path of ['/customers', '/customers?search=nobody', '/imports', '/imports/new']) {
    await visit(path);
    await look(path);
  }
  await visit(`/customers/${vera.id}`);
  await page.getByRole('button', { name: /Subscribed to Offers/ }).click();
  await page.getByRole('button', { name: 'Create personal link' }).click();
  await page.getByText('Preference page', { exact: true }).waitFor();
  await look('a customer');
  await page.getByRole('button', { name: 'Erase customer' }).click();
  await look('erasing');

  await visit(`/imports/${id}`);
  await page.getByText('Resubscribe customers who unsubscribed').click();
  await look('columns');
  await page.getByRole('button', { name: 'Preview import' }).click();
  await page.getByRole('heading', { name: 'Preview' }).waitFor();
  await look('dry run');
  await page.getByRole('button', { name: 'Start import' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Start import' }).click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await look('result');

  expect(found).toEqual({});
});
