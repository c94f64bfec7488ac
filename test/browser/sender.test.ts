import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queueCustomerMail } from '#server/visit/customer-mails/customer-mails.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

let mailServer: MailServer;
let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({
    worker: true,
    env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Sayso <hello@sayso.example>' },
  });
  world = await buildWorld(product, 'acme');
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await mailServer.close();
});

const cardOf = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

it('an owner says who is behind a page, sends a test email, and sees whose mailbox rejects ours', async () => {
  const { step } = browser;
  const page = await browser.open({ reducedMotion: 'reduce' });
  await signIn(page, world);
  const editor = `${product.url}/edit-preference-page/${world.site.id}/${world.page.id}`;

  await step('the checks of the page miss it', async () => {
    await page.goto(editor);
    await page.getByRole('button', { name: /^Checks/ }).click();
    await page.getByText('Your legal name or postal address is missing').waitFor();
    await page.getByRole('link', { name: 'Open site settings' }).first().click();
  });

  await step('it is filled in, and a wrong link is refused beside its field', async () => {
    const card = cardOf(page, 'Legal details');
    await card.getByLabel('Legal name').fill('Acme Outdoor GmbH');
    await card.getByLabel('Postal address').fill('Bergstraße 7\n6020 Innsbruck');
    const link = card.getByLabel('Privacy policy URL');
    await link.fill('acme.example/privacy');
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Enter a URL that starts with https://').waitFor();
    await link.fill('https://acme.example/privacy');
    await card.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your pages now show it.').waitFor();
  });

  await step('a test email goes out with what is saved, and its outcome is told', async () => {
    const card = cardOf(page, 'Emails to customers');
    await card.getByLabel('Sender name').fill('Acme News');
    await card.getByLabel('Reply-to address').fill('help@acme.example');
    expect(await card.getByRole('button', { name: 'Send test email' }).isDisabled()).toBe(true);
    await card.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Sender saved').waitFor();
    await card.getByRole('button', { name: 'Send test email' }).click();
    await card.getByText(`The mail server accepted the test email to ${world.owner.email}.`).waitFor();
    expect(mailServer.mails.at(-1)).toMatchObject({ from: { name: 'Acme News' } });
    mailServer.refuse = world.owner.email;
    await card.getByRole('button', { name: 'Send test email' }).click();
    await card.getByText('550 No such mailbox').waitFor();
    expect(await problemsByWindow(page)).toEqual({});
  });

  await step('the page and its checks know who is behind it', async () => {
    await page.goto(editor);
    await page.getByRole('button', { name: /^Checks/ }).click();
    await page.getByText('Your legal notice (imprint) isn’t linked').waitFor();
    expect(await page.getByText('Your legal name or postal address is missing').count()).toBe(0);
    await page.goto(world.page.url);
    const foot = page.getByRole('contentinfo');
    await foot.getByText('Bergstraße 7').waitFor();
    expect(await foot.getByRole('link', { name: 'Privacy policy' }).getAttribute('href')).toBe(
      'https://acme.example/privacy',
    );
    expect(await problemsByWindow(page)).toEqual({});
  });

  await step('a person whose mailbox refuses an email says so', async () => {
    const vera = await buildCustomer(product, world);
    mailServer.refuse = vera.email;
    await product.services.database.inSite(world.site.id, (site) =>
      queueCustomerMail(product.services, site, {
        kind: 'fresh_link',
        customerId: vera.id,
        pageId: world.page.id,
        language: 'en',
      }),
    );
    const bounces = () =>
      product.testDatabase.owner.query('select 1 from email_bounces where customer_id = $1', [vera.id]);
    await expect.poll(async () => (await bounces()).rows.length).toBe(1);
    await page.goto(`${product.url}/customers/${vera.id}`);
    await page.getByText('Our emails don’t reach this customer').waitFor();
    await page.getByText('550 No such mailbox').waitFor();
    expect(await problemsByWindow(page)).toEqual({});
  });
});
