import type { Page } from 'playwright-core';
import { logIn } from '#contract/accounts.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import type { TestBrowser } from './browser.ts';
import type { TestProduct } from './product.ts';
import { type Owner, PASSWORD, type World } from './world.ts';

/** Each window logs in for itself: they would take each other's session for stolen. */
export async function logInAlone(page: Page, product: TestProduct, world: World, as: Owner): Promise<void> {
  const body = { username: as.email, password: PASSWORD };
  const tokens = await product.call(logIn, { body });
  const auth = {
    id: as.id,
    organization: world.params.organization_id,
    token: tokens.access_token,
    refresh: tokens.refresh_token,
  };
  await page.addInitScript((entry) => {
    if (localStorage.getItem('auth') !== null) return;
    localStorage.setItem('auth', entry);
    localStorage.setItem('auth_token_since', String(Date.now()));
  }, JSON.stringify(auth));
}

/** A window with the editor of a page. */
export async function openEditor(
  { product, browser, world }: { product: TestProduct; browser: TestBrowser; world: World },
  of: PreferencePage,
  { as = world.owner, tab = '', width = 1280 }: { as?: Owner; tab?: string; width?: number } = {},
): Promise<Page> {
  const page = await browser.open({ viewport: { width, height: 900 } });
  await logInAlone(page, product, world, as);
  await page.goto(`${product.url}/edit-preference-page/${world.site.id}/${of.id}${tab && `?tab=${tab}`}`);
  await page.getByRole('tab', { selected: true }).waitFor();
  return page;
}
