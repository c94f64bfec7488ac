import { afterAll, beforeAll, expect, it } from 'vitest';
import { getCustomerLists, setCustomerLists } from '#contract/customers.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWorld } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

it('an import with the wrong columns is undone, and customers are as they were', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const [ada, bob] = [
    await buildCustomer(product, world, 'ada@example.com'),
    await buildCustomer(product, world, 'bob@example.com'),
  ];
  const listsOf = async ({ id }: { id: string }) =>
    (await product.call(getCustomerLists, { params: { ...world.params, id } }, world.owner)).results;
  for (const { id } of [ada, bob]) {
    const body = [{ notification_list_id: world.weekly.id, subscribed: true }];
    await product.call(setCustomerLists, { params: { ...world.params, id }, body }, world.owner);
  }
  const before = await listsOf(ada);
  const page = await browser.open();
  await signIn(page, world);

  await step('the columns of the file are swapped', async () => {
    await page.goto(`${product.url}/imports/new`);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose file' }).click();
    const rows =
      'email,Weekly news,Offers\nada@example.com,no,yes\nbob@example.com,no,yes\nnew@example.com,no,yes\n';
    await (await chooser).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByRole('button', { name: 'Start import' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Start import' }).click();
    await page.getByText('3 customers imported.').waitFor();
    expect(await listsOf(ada)).not.toEqual(before);
  });

  await step('one of them chooses afterwards', async () => {
    const body = [{ notification_list_id: world.offers.id, subscribed: false }];
    await product.call(setCustomerLists, { params: { ...world.params, id: bob.id }, body }, world.owner);
  });

  await step('the preview says what goes back, and what stays and why', async () => {
    await page.getByRole('link', { name: 'Undo this import…' }).click();
    await page.getByRole('heading', { name: 'Import of people.csv' }).waitFor();
    await page.getByRole('button', { name: 'Preview undo' }).click();
    await page.getByRole('heading', { name: 'What the undo does' }).waitFor();
    await page.getByText('Subscribed again: Weekly news').waitFor();
    await page.getByText('New customers, to be deleted: 1').waitFor();
    await page.getByRole('radio', { name: /Partly restored/ }).click();
    await page.getByText('Offers: changed later by your team, a tool or an import').waitFor();
  });

  await step('after the undo everybody else is as before, and the new customer is gone', async () => {
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    const dialog = page.getByRole('alertdialog');
    // Ada and the new customer lose a list, which takes the number to confirm.
    await dialog.getByText('No longer subscribed: 2').waitFor();
    expect(await dialog.getByRole('button', { name: 'Undo', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('2');
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('Undone. 2 customers were restored. 1 customer was partly restored.').waitFor();
    expect(await listsOf(ada)).toEqual(before);
    await page.goto(`${product.url}/customers`);
    await page.getByRole('link', { name: /bob@example\.com/ }).waitFor();
    expect(await page.getByText('new@example.com').count()).toBe(0);
  });

  await step('the evidence says that it was undone, and the list of bulk changes, too', async () => {
    await page.getByRole('link', { name: /ada@example\.com/ }).click();
    await page.getByText(/By undoing an import/).waitFor();
    await page.goto(`${product.url}/bulk-changes`);
    await page.getByRole('link', { name: /Import of people\.csv.*Undone/ }).waitFor();
  });
});
