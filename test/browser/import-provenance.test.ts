import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWebhook, buildWorld } from '#test/harness/world.ts';
import { zipOf } from '#test/harness/zip.ts';

const EXPORTS = join(import.meta.dirname, '../../server/sync/imports/exports');
const EXPORT = join(EXPORTS, 'unsubscribed_email_audience_export_0a1b2c3d4e.csv');

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

it('another tool’s export of unsubscribed contacts becomes evidence that names file, row and reason', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const page = await browser.open();
  await signIn(page, world);

  await step('the export is recognized, and each column says how sure we are', async () => {
    await page.goto(`${product.url}/imports/new`);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose file' }).click();
    await (await chooser).setFiles(EXPORT);
    await page.getByText('This is an export from Mailchimp: unsubscribed contacts.').waitFor();
    const column = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first();
    await column('OPTIN_TIME').getByText('Recognized').waitFor();
    await column('Email Address').getByText('Suggested').waitFor();
    await page.getByRole('button', { name: /Reason for unsubscribe or bounce.*UNSUB_REASON/ }).waitFor();
    await page.getByRole('button', { name: /Everyone is unsubscribed from all/ }).waitFor();
  });

  await step('each thing can be changed', async () => {
    await page.getByRole('button', { name: /Use OPTIN_IP as/ }).click();
    await page.getByRole('option', { name: 'Ignore' }).click();
    await page.getByRole('button', { name: /What do these contacts receive/ }).click();
    await page.getByRole('option', { name: 'Everyone is unsubscribed from Weekly news' }).click();
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByText('Unsubscribes from Weekly news').first().waitFor();
    await page.getByRole('button', { name: 'Start import' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Start import' }).click();
    await page.getByText('2 customers imported.').waitFor();
  });

  await step('the evidence says where it comes from', async () => {
    await page.getByRole('link', { name: 'View customers' }).click();
    await page.getByRole('link', { name: /ida\.berg@example\.com/ }).click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline
      .getByRole('button', { name: /Unsubscribed from Weekly news|Declined Weekly news/ })
      .click();
    await timeline.getByText('unsubscribed_email_audience_export_0a1b2c3d4e.csv').waitFor();
    await timeline.getByText('Exported from Mailchimp').waitFor();
    await timeline.getByText('NO_LONGER').waitFor();
    expect(await timeline.getByText('IP address of the sign-up').count()).toBe(0);
  });
});

it('an export that we know from samples only is called a guess, and HubSpot’s bounces are matched', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const page = await browser.open();
  await signIn(page, world);
  const column = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first();

  async function choose(name: string): Promise<void> {
    await page.goto(`${product.url}/imports/new`);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose file' }).click();
    await (await chooser).setFiles(join(EXPORTS, name));
  }

  await step('a guess says so, and asks to check each column', async () => {
    await choose('kit-subscribers.csv');
    await page.getByText('This looks like an export from Kit: contacts. Check each column.').waitFor();
    await column('olga.rhee@example.com').getByText('Suggested').waitFor();
    expect(await page.getByText('Recognized').count()).toBe(0);
  });

  await step('two columns say that emails bounced, and one that spam was reported', async () => {
    await choose('hubspot-unsubscribes-and-bounces.csv');
    await page.getByText('This is an export from HubSpot: unsubscribes, bounces and spam reports.').waitFor();
    await page.getByRole('button', { name: /Email bounced.*Use Portal Bounce as/ }).waitFor();
    await page.getByRole('button', { name: /Email bounced.*Use Global Bounce as/ }).waitFor();
    await page.getByRole('button', { name: /Reported spam.*Use Portal Spam Report as/ }).waitFor();
    await column('Portal Bounce').getByText('Recognized').waitFor();
    await column('Portal Bounce').getByText('Not subscribed').first().waitFor();
    await page.getByRole('button', { name: /Ignore.*Use Weekly news as/ }).waitFor();
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByText('Unsubscribes from all').first().waitFor();
  });
});

it('Mailchimp’s ZIP goes from its questions to a preview that says which tool receives what', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  await buildWebhook(product, world, { url: 'https://shop.example/hook', event: 'global_unsubscribed' });
  await buildWebhook(product, world, { url: 'https://shop.example/hook', event: 'subscribed' });
  const page = await browser.open();
  await signIn(page, world);

  async function choose(name: string, buffer: Buffer): Promise<void> {
    await page.goto(`${product.url}/imports/new`);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose file' }).click();
    await (await chooser).setFiles({ name, mimeType: 'application/octet-stream', buffer });
  }

  await step('it is recognized, and asks what the contacts receive and what tools are sent', async () => {
    const parts = ['subscribed', 'unsubscribed', 'cleaned'].map((part) => {
      const name = `${part}_email_audience_export_0a1b2c3d4e.csv`;
      return [name, readFileSync(join(EXPORTS, name))] as const;
    });
    await choose('audience.zip', zipOf(Object.fromEntries(parts)));
    await page.getByText('This is an export from Mailchimp: contacts.').waitFor();
    const status = page.getByRole('listitem').filter({ hasText: 'Status in Mailchimp' }).first();
    await status.getByText('Unsubscribed from all').first().waitFor();
    await page.getByRole('button', { name: /What do these contacts receive/ }).click();
    await page.getByRole('option', { name: 'Everyone is subscribed to Weekly news' }).click();
    const question = page.getByRole('radiogroup', { name: 'Send this to your tools?' });
    await question.getByRole('radio', { name: /Yes, subscriptions too/, checked: true }).waitFor();
  });

  await step('the preview names how many are sent, by the answer', async () => {
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByText('We send changes to your endpoints (4).').waitFor();
    await page.getByText('2 people will be subscribed').waitFor();
    const ida = page.getByRole('listitem').filter({ hasText: 'ida.berg@example.com' });
    expect(await ida.innerText()).not.toContain('Subscribes to');
    await page.getByRole('button', { name: 'Change columns' }).click();
    await page.getByText('No, only unsubscribes').click();
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByText('We send changes to your endpoints (2).').waitFor();
    await page.getByRole('button', { name: 'Start import' }).click();
    await page.getByRole('alertdialog').getByText('We’ll add 5 customers.').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Start import' }).click();
    await page.getByText('5 customers imported.').waitFor();
  });

  await step('a file without a column for the email asks which one it is', async () => {
    await choose('people.csv', Buffer.from('Who,Weekly news\nnora@example.com at work,yes\n'));
    await page.getByRole('button', { name: /Which column holds the email/ }).click();
    await page.getByRole('option', { name: 'Who' }).click();
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page
      .getByText('This email isn’t valid')
      .or(page.getByText("This email isn't valid"))
      .first()
      .waitFor();
  });
});
