import type { Page } from 'playwright-core';
import type { TestProduct } from './product.ts';

/**
 * Lets the access token expire just before the server gets the next write to `url`. A background call therefore can't
 * discover it first and reload the page under the test's hands.
 */
export async function expireTokenAt(
  product: TestProduct,
  page: Page,
  url: string,
  alsoThen: () => Promise<void> = async () => {},
): Promise<void> {
  let isDue = true;
  await page.route(url, async (route) => {
    if (isDue && route.request().method() !== 'GET') {
      isDue = false;
      product.clock.advance({ minutes: 11 });
      await alsoThen();
    }
    await route.continue();
  });
}

/** The same, and nothing can renew the token. */
export const endSessionAt = (product: TestProduct, page: Page, url: string) =>
  expireTokenAt(product, page, url, async () => {
    await product.testDatabase.owner.query('delete from refresh_tokens');
    await product.testDatabase.owner.query('delete from rate_limits');
  });
