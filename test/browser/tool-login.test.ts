import { afterAll, beforeAll, expect, it } from 'vitest';
import { listIntegrations } from '#contract/integrations.ts';
import { startOAuth } from '#contract/oauth.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, PASSWORD } from '#test/harness/world.ts';

let product: TestProduct;
let brevo: BrevoFake;
let browser: TestBrowser;

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({
    env: {
      CONNECTOR_BREVO_URL: brevo.url,
      CONNECTOR_BREVO_CLIENT_ID: brevo.oauth.clientId,
      CONNECTOR_BREVO_CLIENT_SECRET: brevo.oauth.clientSecret,
    },
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await brevo.close();
});

it('an owner logs in at a tool, comes back, and the tool is connected', async () => {
  const { step } = browser;
  const { owner, params } = await buildWorld(product);
  const page = await browser.open();
  const begin = async () =>
    (await product.call(startOAuth, { params, body: { provider: 'brevo' } }, owner)).authorize_url;
  const connected = async () => (await product.call(listIntegrations, { params }, owner)).results.length;

  await step('who is not logged in here does so first', async () => {
    await page.goto(await begin());
    await page.waitForURL('**/login?next=*');
    await page.getByLabel('Username or email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: '“Brevo” connected' }).waitFor();
    await page.getByText('Account: Acme Mail.').waitFor();
    expect(await connected()).toBe(1);
  });

  await step('the code stays in no address, and coming again connects nothing', async () => {
    expect(new URL(page.url()).search).toBe('');
    await page.reload();
    await page.getByRole('heading', { name: 'Nothing to connect' }).waitFor();
    expect(await connected()).toBe(1);
  });

  await step('a tool that is away can be asked once more', async () => {
    const { url } = await brevo.oauth.allow(await begin());
    brevo.trouble({ status: 503, body: '{}' });
    await page.goto(url.href);
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: '“Brevo” connected' }).waitFor();
    expect(await connected()).toBe(2);
  });

  await step('who says no is told what came of it, and can begin again', async () => {
    const { state } = await brevo.oauth.deny(await begin());
    await page.goto(`${product.url}/integrations/connected?error=access_denied&state=${state}`);
    await page.getByText("You didn't give Sayso access to Brevo").waitFor();
    await page.getByRole('link', { name: 'Go to integrations' }).click();
    await page.waitForURL('**/integrations');
    await page.getByRole('link', { name: 'Manage Brevo' }).first().waitFor();
    expect(await connected()).toBe(2);
  });

  expect(browser.problems.filter((problem) => !/503|422/.test(problem))).toEqual([]);
});
