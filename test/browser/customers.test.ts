import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { listCustomerViews } from '#contract/customer-views.ts';
import { createIntegration } from '#contract/integrations.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { downloadOf } from '#test/harness/downloads.ts';
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

it('lists and views that failed to load are not shown as missing', async () => {
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
