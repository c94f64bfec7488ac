import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCustomer } from '#contract/customers.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { invite } from '#test/harness/invitations.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type Owner, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await startBrowser();
});

beforeEach(() => {
  browser.problems.length = 0;
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

async function logIn(page: Page, owner: Owner, organization: string): Promise<void> {
  const auth = { id: owner.id, organization, token: owner.token, refresh: owner.refreshToken };
  await page.goto(`${product.url}/login`);
  await page.evaluate((entry) => localStorage.setItem('auth', entry), JSON.stringify(auth));
}

const openAs = async ({ owner, params }: World): Promise<Page> => {
  const page = await browser.open();
  await logIn(page, owner, params.organization_id);
  return page;
};

/** Opens the link of the newest mail, as its reader does. */
async function openMail(page: Page, subject: string): Promise<void> {
  await page.goto(`${product.url}/dev/outbox`);
  await page.getByRole('link', { name: subject }).first().click();
  const mail = page.getByRole('link', { name: 'See invitation' });
  await page.goto((await mail.getAttribute('href')) ?? '');
}

it('an owner invites a colleague, who accepts from the email, sees everything and can change nothing', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const body = { email: 'vera@example.com' };
  const customer = await product.call(createCustomer, { params: world.params, body }, world.owner);
  const nora = await openAs(world);
  const rita = await browser.open({ viewport: { width: 360, height: 740 } });
  const subject = `“${world.owner.username}” invited you to “${world.site.name}” on Sayso`;

  await step('the owner invites a viewer', async () => {
    await nora.goto(`${product.url}/account-settings?section=team`);
    await invite(nora, 'rita@example.com', 'Viewer');
    await nora.getByRole('list', { name: 'Invited' }).getByText('rita@example.com').waitFor();
  });

  await step('the colleague opens the mail, makes an account and is in, without a survey', async () => {
    const refused: string[] = [];
    rita.on('response', (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await openMail(rita, subject);
    await rita.getByRole('heading', { name: `Join ${world.site.name}` }).waitFor();
    await rita.getByText('This covers all sites of the organization').waitFor();
    await rita.getByLabel('Username').fill('rita');
    await rita.getByLabel('Password').fill('correct horse battery');
    await rita.getByRole('button', { name: 'Create account and join' }).click();
    await rita.waitForURL('**/dashboard');
    await rita.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    // A used invitation is not read again.
    expect(refused).toEqual([]);
  });

  await step('sees lists, a customer and the team, and nothing to change them', async () => {
    await rita.goto(`${product.url}/lists`);
    await rita.getByText('You can view this. Ask an editor, admin or owner to change it.').waitFor();
    expect(await rita.getByText('New list').count()).toBe(0);
    await rita.goto(`${product.url}/customers/${customer.id}`);
    await rita.getByRole('switch', { name: 'Weekly news' }).waitFor();
    expect(await rita.getByRole('switch', { name: 'Weekly news' }).isDisabled()).toBe(true);
    await rita.getByText('You can view this. Ask an editor, admin or owner to change it.').waitFor();
    expect(await rita.getByText('We record changes here').count()).toBe(0);
    await rita.goto(`${product.url}/account-settings?section=team`);
    await rita.getByRole('list', { name: 'Members' }).getByText('rita@example.com').waitFor();
    expect(await rita.getByRole('button', { name: 'Invite someone' }).count()).toBe(0);
    expect(await rita.getByText('API keys').count()).toBe(0);
  });

  await step('the owner makes an editor of them, which holds with the next look', async () => {
    await nora.goto(`${product.url}/account-settings?section=team`);
    await nora.getByRole('button', { name: /Role of rita/ }).click();
    await nora.getByRole('option', { name: 'Editor' }).click();
    await nora.getByText('rita is now an editor').first().waitFor();
    await rita.goto(`${product.url}/lists`);
    await rita.getByRole('link', { name: 'New list' }).first().waitFor();
  });

  await step('the owner removes them, and the app lets go of them', async () => {
    await nora.getByRole('button', { name: 'More for rita' }).click();
    await nora.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = nora.getByRole('alertdialog');
    const revokesKeys = dialog.getByRole('checkbox', { name: 'Revoke the API keys they created' });
    expect(await revokesKeys.isChecked()).toBe(true);
    await dialog.getByRole('textbox').fill('rita');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await nora.getByText('rita is no longer a member').first().waitFor();
    await nora.goto(`${product.url}/account-settings?section=audit-log&noun=member`);
    for (const told of [
      'Removed rita from the team',
      'Changed the role of rita from viewer to editor',
      'Joined as viewer',
      'Invited rita@example.com as viewer',
    ]) {
      await nora.locator('main').getByText(told).waitFor();
    }
    browser.problems.length = 0;
    await rita.goto(`${product.url}/lists`);
    await rita.waitForURL('**/signup-survey');
  });
});
