import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { downloadOf } from '#test/harness/downloads.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  browser = await startBrowser();
});

beforeEach(() => {
  browser.problems.length = 0;
});

afterAll(async () => {
  await browser.close();
  await product.stop();
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

it('a file with a wrong row is imported, and a customer’s change appears in the timeline', async () => {
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
