import type { Page } from 'playwright-core';
import type { World } from './world.ts';

/** What the owner app keeps of who is logged in, before its first script runs in this window. */
export async function signIn(page: Page, { owner, params }: Pick<World, 'owner' | 'params'>): Promise<Page> {
  const auth = {
    id: owner.id,
    organization: params.organization_id,
    token: owner.token,
    refresh: owner.refreshToken,
  };
  await page.addInitScript((entry) => {
    localStorage.setItem('auth', entry);
    // Fresh, or each window would renew it, and the second to do so would end the session.
    localStorage.setItem('auth_token_since', String(Date.now()));
  }, JSON.stringify(auth));
  return page;
}
