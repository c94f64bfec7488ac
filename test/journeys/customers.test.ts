import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { listCustomerViews } from '#contract/customer-views.ts';
import { createIntegration } from '#contract/integrations.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilIdle } from '#test/harness/idle.ts';
import { csv, upload } from '#test/harness/imports.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
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
      'Vera@example.com,,Graz',
    ];
    await chooseFile(page, 'people.csv', `${rows.join('\n')}\n`);
    await page.getByRole('heading', { name: 'Match the columns' }).waitFor();
    await page.getByRole('button', { name: /Use email as/ }).waitFor();
    await page.getByRole('button', { name: /List: Weekly news/ }).waitFor();
    const values = page.getByRole('list', { name: 'First values' });
    const town = page.getByRole('listitem').filter({ hasText: 'Rows with a value: 3 of 4' }).last();
    await town.getByText('Graz', { exact: true }).waitFor();
    await town.getByText('Linz', { exact: true }).waitFor();
    await values.getByText('Unsubscribed', { exact: true }).waitFor();
    await page.getByRole('button', { name: /“No” means/ }).click();
    await page.getByRole('option', { name: 'Don’t change: never chosen' }).click();
    await values.getByText('No change', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    const asking = page.getByRole('alertdialog', { name: 'Cancel this import?' });
    await asking.getByText(/^Nothing has been imported/).waitFor();
    await asking.getByRole('button', { name: 'Keep import' }).click();
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
    const effects = page.getByRole('list', { name: 'Customers by what changes' }).getByRole('listitem');
    expect(await effects.allTextContents()).toEqual([
      '1 person will be subscribed',
      '1 customer is recorded as unsubscribed from a list or from all',
    ]);
    await page.getByRole('radio', { name: /Merged/ }).click();
    await page.getByText('Same email as row 2. We use that row, and unsubscribes here count too.').waitFor();
  });

  await step('it is applied', async () => {
    await page.getByRole('button', { name: 'Start import' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(/^We’ll add 2 customers\. We send nothing to your tools\./).waitFor();
    await dialog.getByRole('button', { name: 'Start import' }).click();
    await page.getByText('2 customers imported. 1 row couldn’t be imported.').waitFor();
  });

  await step('the rejected row can be mended', async () => {
    const button = page.getByRole('button', { name: 'Download failed rows' });
    const { name, text } = await downloadOf(page, () => button.click());
    expect(name).toBe('failed-rows.csv');
    expect(text).toContain('no address,yes,Linz');
    await page.getByText('Download the failed rows, fix them, and import them again.').waitFor();
    await page.getByRole('link', { name: 'Imports' }).first().click();
    await page.getByText('2 changes · 1 row not imported').waitFor();
    await page.goBack();
  });

  await step('a customer is found by the start of the address', async () => {
    expect(await page.getByRole('link', { name: 'See deliveries' }).getAttribute('href')).toContain(
      '/deliveries?since=',
    );
    await page.getByRole('link', { name: 'View customers' }).click();
    // Whether she left or declined is what the timeline says, and the table does not say another thing.
    await page.getByRole('link', { name: /lea@example\.com.*No lists/ }).click();
    await page.getByText('Unsubscribed from Weekly news').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: /Unsubscribed from or declined/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('main').click({ position: { x: 2, y: 2 } });
    await page.keyboard.press('/');
    await untilFocusIn(page.getByLabel('Search by email'));
    await page.keyboard.type('ver');
    await page.getByRole('link', { name: /lea@example\.com/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?search=ver');
    await page.getByLabel('Search by email').fill('verb');
    await page.getByText('Search for a shorter part of the email address.', { exact: true }).waitFor();
    await page.getByLabel('Search by email').fill('ver');
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
      ['All customers (CSV)', 'customers.csv', 'lea@example.com'],
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

it('customers are filtered, counted, and the filters saved as a view for the team', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const { params, owner } = world;
  const vera = await buildCustomer(product, world, 'vera@example.com');
  await buildCustomer(product, world, 'lea@example.com');
  for (const list of [world.weekly, world.offers]) {
    const body = [{ notification_list_id: list.id, subscribed: true }];
    await product.call(setCustomerLists, { params: { ...params, id: vera.id }, body }, owner);
  }
  const page = await openAs(world);
  const row = (name: RegExp) => page.getByRole('link', { name });

  async function choose(field: RegExp, option: string): Promise<void> {
    const dialog = page.getByRole('dialog', { name: 'Filter customers' });
    const select = dialog.getByRole('button', { name: field });
    await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter');
    await select.press('Enter');
    await page.getByRole('option', { name: option }).click();
    await untilFocusIn(select);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }

  await step('each row says which lists the customer gets', async () => {
    await page.goto(`${product.url}/customers`);
    await page.getByText('2 customers', { exact: true }).waitFor();
    await row(/vera@example\.com.*Weekly news.*Offers.*Active/).waitFor();
    await row(/lea@example\.com.*No choice yet/).waitFor();
  });

  await step('a part of the address is enough', async () => {
    await page.getByLabel('Search by email').fill('era@');
    await row(/lea@/).waitFor({ state: 'detached' });
    await row(/vera@/).waitFor();
    await page.getByText('1 customer', { exact: true }).waitFor();
    await page.getByLabel('Search by email').fill('');
    await row(/lea@/).waitFor();
  });

  await step('a list and a state are chosen with the keyboard, and stand in the URL', async () => {
    await choose(/Subscribed to/, 'Weekly news');
    await row(/lea@/).waitFor({ state: 'detached' });
    await choose(/State/, 'Active');
    await page.getByRole('button', { name: 'Remove filter: State: Active' }).waitFor();
    const query = new URL(page.url()).searchParams;
    expect([query.get('receives_list_id'), query.get('state')]).toEqual([world.weekly.id, 'active']);
  });

  await step('they are saved under a name', async () => {
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('Readers');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Readers' }).waitFor();
  });

  await step('filters are removed one by one, or all, and the keyboard stays with them', async () => {
    const filter = page.getByRole('button', { name: 'Filter', exact: true });
    const chip = page.getByRole('button', { name: 'Remove filter: Subscribed to: Weekly news' });
    await page.getByRole('button', { name: 'Remove filter: State: Active' }).press('Enter');
    await untilFocusIn(chip);
    await page.getByRole('button', { name: 'Views' }).waitFor();
    await chip.press('Enter');
    await untilFocusIn(filter);
    await choose(/State/, 'Active');
    await page.getByRole('button', { name: 'Copy link to this view' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await untilFocusIn(filter);
    await row(/lea@/).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  await step('a filter by a deleted list or a disconnected tool says so', async () => {
    const gone = world.page.id;
    await page.goto(`${product.url}/customers?receives_list_id=${gone}&undelivered_to=${gone}`);
    await page.getByRole('button', { name: 'Remove filter: Subscribed to: deleted list' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter: Not delivered to: disconnected tool' }).waitFor();
    await page.getByRole('button', { name: 'Show all customers' }).press('Enter');
    await untilFocusIn(page.getByRole('heading', { level: 1, name: 'Customers' }));
    await row(/lea@/).waitFor();
  });

  await step('the view opens them again, also after a reload', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitemradio', { name: 'Readers' }).click();
    await page.getByText('1 customer', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove filter: Subscribed to: Weekly news' }).waitFor();
  });

  await step('the matching customers can be exported', async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    const item = page.getByRole('menuitem', { name: 'Matching customers (CSV)' });
    const { text } = await downloadOf(page, () => item.click());
    expect(text).toContain('vera@example.com');
    expect(text).not.toContain('lea@example.com');
  });

  await step('a deleted view comes back by undo; without it, it is gone', async () => {
    const remove = async () => {
      await page.getByRole('button', { name: 'Readers' }).click();
      await page.getByRole('menuitem', { name: 'Delete view' }).click();
      await page.getByRole('button', { name: 'Views' }).waitFor();
    };
    await remove();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Readers' }).waitFor();
    await remove();
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    const views = async () => (await product.call(listCustomerViews, { params }, owner)).results;
    await expect.poll(views).toEqual([]);
  });

  expect(browser.problems).toEqual([]);
});

it('a bounce is the same state in the list, in its filter and on the customer’s page', async () => {
  const world = await buildWorld(product);
  const lea = await buildCustomer(product, world, 'lea@example.com');
  await buildCustomer(product, world, 'vera@example.com');
  await product.testDatabase.owner.query(
    `insert into email_bounces values ($1, $2, $3, 550, 'No such user', now())`,
    [world.params.site_id, lea.id, lea.email],
  );
  const page = await openAs(world);
  const row = (name: RegExp) => page.getByRole('link', { name });
  await page.goto(`${product.url}/customers?state=bounced`);
  await page.getByText('1 customer', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove filter: State: Bounced' }).waitFor();
  await row(/lea@example\.com.*Bounced/).waitFor();
  await page.goto(`${product.url}/customers?state=active`);
  await row(/vera@example\.com.*Active/).waitFor();
  expect(await row(/lea@/).count()).toBe(0);
  await page.goto(`${product.url}/customers/${lea.id}`);
  await page.getByText('Bounced', { exact: true }).waitFor();
  await page.getByText('No such user').waitFor();
  expect(browser.problems).toEqual([]);
});

it('lists and views that did not load are not said to be missing', async () => {
  const world = await buildWorld(product);
  const vera = await buildCustomer(product, world, 'vera@example.com');
  const body = [{ notification_list_id: world.weekly.id, subscribed: true }];
  await product.call(setCustomerLists, { params: { ...world.params, id: vera.id }, body }, world.owner);
  const page = await openAs(world);
  const lists = '**/lists';
  const views = '**/customer-views';
  // Refused, and not cut off: as soon as the server can be reached, the app loads what failed again on its own.
  const refusal = { status: 400, json: { message: 'No.', data: null, meta: { errors: [] } } };
  for (const path of [lists, views]) await page.route(path, (route) => route.fulfill(refusal));
  await page.goto(`${product.url}/customers?receives_list_id=${world.weekly.id}`);
  await page.getByRole('link', { name: /vera@example\.com/ }).waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  const again = page.getByRole('menuitem', { name: 'Try again' });
  await again.waitFor();
  expect(await page.getByText(/No lists|deleted list|No views yet/).count()).toBe(0);
  await page.unroute(views);
  await again.click();
  await page.getByRole('menuitem', { name: /No views yet/ }).waitFor();
  await page.getByRole('menuitem', { name: 'Save as view' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove filter: Subscribed to', exact: true }).waitFor();
  await page.unroute(lists);
  await page.reload();
  await page.getByRole('button', { name: 'Remove filter: Subscribed to: Weekly news' }).waitFor();
  await page.getByRole('link', { name: /vera@example\.com.*Weekly news/ }).waitFor();
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
    await page.getByRole('link', { name: /Acme Mail.*Canceled/ }).waitFor();
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
    await untilIdle(page);
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
