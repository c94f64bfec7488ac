import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';

/*
 * From sign-up to a page that changes a contact in two tools, with nothing but the screens: each step follows what the
 * screen before it offers.
 */

const EMAIL = 'nora@bakery.example';

let brevo: BrevoFake;
let mailchimp: MailchimpFake;
let product: TestProduct;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  [brevo, mailchimp] = await Promise.all([startBrevoFake(), startMailchimpFake()]);
  product = await startTestProduct({
    worker: true,
    env: { CONNECTOR_BREVO_URL: brevo.url, CONNECTOR_MAILCHIMP_URL: mailchimp.url },
  });
  browser = await startBrowser();
  page = await browser.open({ loadsAhead: true, viewport: { width: 1280, height: 900 } });
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await Promise.all([brevo.close(), mailchimp.close()]);
});

const next = () => page.getByRole('button', { name: 'Continue' }).click();
const getStarted = () => page.getByRole('link', { name: /^Get started/ });

/** Back to the first steps, which say how far one is, and on with the next of them. */
async function nextStep(done: number, name: string): Promise<void> {
  await expect.poll(() => getStarted().textContent()).toContain(`${done} of 5`);
  await getStarted().click();
  await page.getByRole('link', { name, exact: true }).click();
}

async function connect(name: string, key: string): Promise<void> {
  const card = page.getByRole('listitem').filter({ hasText: name });
  await card.getByText('You use it').waitFor();
  await card.getByRole('button', { name: `Connect ${name}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('API key', { exact: true }).fill(key);
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText(`Create one to send changes to ${name}.`).waitFor();
}

/** What the builder suggests for a tool that was just connected, with the first list there. */
async function takeOffTheList(): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /remove from the list/ }).waitFor();
  await dialog.getByRole('combobox', { name: 'List' }).click();
  await page.getByRole('option').first().click();
  await dialog.getByRole('button', { name: 'Create action' }).click();
  await dialog.waitFor({ state: 'detached' });
}

it('a newcomer follows the screens, and two tools receive the first choice', async () => {
  const { step } = browser;
  const [bread] = brevo.addResources('lists', 1);
  if (bread === undefined) throw new Error('The fake made no list');
  brevo.addPeople('lists', bread.id, [{ email: EMAIL, state: 'subscribed' }]);
  mailchimp.addMember(mailchimp.audience, EMAIL, { status: 'subscribed' });

  await step('signs up and answers the survey', async () => {
    await page.goto(`${product.url}/signup`);
    const picture = page.getByRole('complementary').getByRole('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(900);
    await page.getByLabel('Username').fill('Nora Baker');
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password', { exact: true }).fill('bread and butter');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Integrations', { exact: true }).click();
    await next();
    for (const tool of ['Mailchimp', 'Brevo']) await page.getByText(tool, { exact: true }).click();
    await next();
    await page.getByText('1,001 to 5,000', { exact: true }).click();
    await next();
    await page.getByLabel('Business name').fill('Bakery Blum');
    await page.getByText('This name is available').waitFor();
    await next();
    await page.getByLabel('Domain').fill('bakery-blum');
    await page.getByText('This domain is available').waitFor();
    await next();
    await page.waitForURL('**/dashboard');
  });

  await step('makes a list and a page', async () => {
    const last = page.getByRole('listitem').filter({ hasText: 'Try your page' });
    await last.getByText('Create a page first.').waitFor();
    await page.getByRole('link', { name: 'Create a list' }).click();
    await page.getByLabel('Name', { exact: true }).first().fill('Weekly bread');
    await page.getByText('On by default').click();
    await page.getByRole('button', { name: 'Create list' }).click();
    await nextStep(1, 'Design a page');
    await page.getByText('Existing customers only').click();
    await page.getByText('Change right away').click();
    await page.getByRole('button', { name: 'Create page' }).click();
    await page.getByText('Page created').waitFor();
  });

  await step('connects the two tools that the survey named, with an action each', async () => {
    await nextStep(2, 'Connect a tool');
    await connect('Brevo', brevo.credentials['api_key'] ?? '');
    await page.getByRole('link', { name: 'New action' }).click();
    await takeOffTheList();
    await page.getByRole('link', { name: 'Integrations', exact: true }).click();
    await connect('Mailchimp', mailchimp.credentials['api_key'] ?? '');
    await page.getByRole('link', { name: 'New action' }).click();
    await takeOffTheList();
  });

  await step('is mailed a link, which this machine keeps', async () => {
    await expect.poll(() => getStarted().textContent()).toContain('4 of 5');
    await getStarted().click();
    await page.getByRole('button', { name: 'Send me the link' }).click();
    await page.getByText('This server stores emails instead of sending them.').waitFor();
    expect(await page.getByText('Sent to').count()).toBe(0);
    const [outbox] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open the outbox' }).click(),
    ]);
    const mail = outbox.getByRole('link', { name: /Bakery Blum/ });
    await expect
      .poll(async () => {
        await outbox.reload();
        return mail.count();
      })
      .toBe(1);
    await mail.click();
    await outbox.waitForURL('**/dev/outbox/*');
    await outbox.goto((await outbox.getByRole('link').first().getAttribute('href')) ?? '');
    await outbox.getByRole('switch', { name: /Weekly bread/ }).click();
    await outbox.getByRole('button', { name: 'Save' }).click();
    await outbox.getByText('Your preferences have been saved').first().waitFor();
  });

  await step('both tools have heard of it, and the first steps are done', async () => {
    await expect.poll(() => brevo.holds(EMAIL)?.lists?.includes(bread.id)).toBe(false);
    await expect.poll(() => mailchimp.holds(EMAIL)?.unsubscribed).toBe(true);
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await expect.poll(() => page.getByText('Delivered', { exact: true }).count()).toBeGreaterThan(1);
    await getStarted().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    const setUp = page.getByRole('region', { name: 'You’re set up' });
    await page.getByRole('status').filter({ hasText: 'You’re set up' }).waitFor();
    await setUp.getByRole('link', { name: 'See deliveries' }).waitFor();
    await setUp.getByRole('button', { name: 'Close' }).click();
    await setUp.waitFor({ state: 'detached' });
    await untilFocusIn(page.getByRole('heading', { level: 1, name: 'Dashboard' }));
    await page.reload();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    expect(await setUp.count()).toBe(0);
  });
  expect(browser.problems).toEqual([]);
});

it('a server without email says where the link for a new password is, and mentions no inbox', async () => {
  const nora = await browser.open();
  await nora.goto(`${product.url}/reset-password`);
  await nora.getByLabel('Email').fill(EMAIL);
  await nora.getByRole('button', { name: 'Send link' }).click();
  await nora.getByText(`If ${EMAIL} has an account, its link works once, for 30 minutes.`).waitFor();
  await nora.getByRole('link', { name: 'Open the outbox' }).waitFor();
  await nora.getByRole('heading', { name: 'Reset your password' }).waitFor();
  expect(await nora.getByText(/Check your (inbox|spam)/).count()).toBe(0);
});
