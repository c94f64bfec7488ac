import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestBrowser } from './browser.ts';
import type { TestProduct } from './product.ts';
import { type Owner, PASSWORD, type World } from './world.ts';

/** A window in which an owner is logged in, as the app itself would keep it. `organization` 'None': before the survey. */
export async function openOwnerWindow(
  browser: TestBrowser,
  product: TestProduct,
  who: World | { owner: Owner; params: { organization_id: string } },
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await browser.open(options);
  await page.goto(`${product.url}/404`);
  const { owner, params } = who;
  const auth = {
    id: owner.id,
    organization: params.organization_id,
    token: owner.token,
    refresh: owner.refreshToken,
  };
  await page.evaluate((entry) => {
    localStorage.setItem('auth', entry);
    // Fresh, or each window would renew it, and the second to do so would end the session.
    localStorage.setItem('auth_token_since', String(Date.now()));
  }, JSON.stringify(auth));
  return page;
}

/** Fills the log-in form that is on the screen. */
export async function logInOnScreen(page: Page, owner: Owner): Promise<void> {
  await page.getByLabel('Username or email').fill(owner.username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}
