import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCustomer } from '#contract/customers.ts';
import { KEY_SCOPES } from '#contract/roles.ts';
import { createSite } from '#contract/sites.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilIdle } from '#test/harness/idle.ts';
import { invite, linkShown } from '#test/harness/invitations.ts';
import { buildMember } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, buildWorld, type Owner, type World } from '#test/harness/world.ts';
import { violationsOf } from '#test/page/look-at.ts';

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

async function expectNoViolation(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
}

it('a viewer finds nothing to change on any screen, and is told whom to ask', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const nora = await openAs(world);
  const rita = await browser.open({ viewport: { width: 360, height: 740 } });

  await step('who is invited is told which sites they will see', async () => {
    await nora.goto(`${product.url}/account-settings?section=team`);
    await nora.getByRole('button', { name: 'Invite someone' }).click();
    await nora.getByText(`They’ll see ${world.site.name}, and every site you add later.`).waitFor();
    const { organization_id } = world.params;
    const body = { name: 'Globex Labs', domain_name: 'globex-labs' };
    await product.call(createSite, { params: { organization_id }, body }, world.owner);
    await nora.reload();
    await nora.getByRole('button', { name: 'Invite someone' }).click();
    await nora
      .getByText(`: ${world.site.name} and Globex Labs. That includes sites you add later.`)
      .waitFor();
    for (const name of ['Books', 'Candles']) {
      const body = { name, domain_name: `globex-${name.toLowerCase()}` };
      await product.call(createSite, { params: { organization_id }, body }, world.owner);
    }
    await nora.reload();
    await nora.getByRole('button', { name: 'Invite someone' }).click();
    await nora
      .getByText(`They’ll see all 4 sites of ${world.site.name}, including those you add later.`)
      .waitFor();
    await nora.keyboard.press('Escape');
    const link = await invite(nora, 'rita@example.com', 'Viewer', expectNoViolation);
    await nora.getByRole('list', { name: 'Invited' }).getByText('rita@example.com').waitFor();
    await expectNoViolation(nora);
    await rita.goto(link);
    await rita.getByRole('heading', { name: `Join ${world.site.name}` }).waitFor();
    await expectNoViolation(rita);
  });

  await logIn(rita, await buildMember(product, world, 'viewer'), world.params.organization_id);

  await step('sees lists, pages, actions and tools, and nothing to change them', async () => {
    const offered = {
      '/lists': ['New list', 'an editor, admin or owner'],
      '/preference-pages': ['New page', 'an editor, admin or owner'],
      '/actions': ['New action', 'an editor, admin or owner'],
      '/integrations': ['Connect a tool', 'an admin or owner'],
    } as const;
    for (const [path, [name, who]] of Object.entries(offered)) {
      await nora.goto(`${product.url}${path}`);
      await nora.getByText(name).first().waitFor();
      await rita.goto(`${product.url}${path}`);
      await rita.getByText(`You can view this. Ask ${who} to change it.`).waitFor();
      await untilIdle(rita);
      expect(await rita.getByText(name).count()).toBe(0);
      await expectNoViolation(rita);
    }
    await nora.goto(`${product.url}/actions?edit=new`);
    await nora.getByRole('dialog', { name: 'New action' }).waitFor();
    await rita.goto(`${product.url}/actions?edit=new`);
    await rita.getByText('You can view this. Ask an editor, admin or owner to change it.').waitFor();
    await untilIdle(rita);
    expect(await rita.getByRole('dialog').count()).toBe(0);
  });

  await step('the command palette creates nothing, and leads to the list among the others', async () => {
    const creates = (who: Page) => who.getByRole('option', { name: /^New / });
    const listed = (who: Page) => who.getByRole('option', { name: 'Lists', exact: true });
    for (const who of [nora, rita]) {
      await who.goto(`${product.url}/deliveries`);
      await who.getByRole('heading', { level: 1 }).waitFor();
      await who.keyboard.press('Control+k');
      await listed(who).waitFor();
    }
    expect(await creates(nora).count()).toBe(4);
    expect(await creates(rita).count()).toBe(0);
    await rita.keyboard.type('weekly');
    await rita.getByRole('option', { name: 'Weekly news' }).click();
    await rita.waitForURL('**/lists');
  });

  await step('a list that is asked for by its address shows no form', async () => {
    await rita.goto(`${product.url}/create-list/${world.weekly.id}`);
    await rita.getByText('You need another role for this').waitFor();
    expect(await rita.getByRole('textbox').count()).toBe(0);
  });

  await step('the only owner cannot delete their account, and is led to the team', async () => {
    await nora.goto(`${product.url}/account-settings?section=data`);
    await nora.getByRole('button', { name: 'Delete account' }).click();
    const dialog = nora.getByRole('alertdialog', { name: 'You can’t delete your account yet' });
    expect(await dialog.getByRole('button', { name: 'Delete for good' }).count()).toBe(0);
    await dialog.getByRole('link', { name: 'Go to team' }).click();
    await nora.getByRole('list', { name: 'Members' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  await step('the audit log of the team has no violation', async () => {
    await nora.goto(`${product.url}/account-settings?section=audit-log&noun=member`);
    await nora.locator('main').getByText('Invited rita@example.com as viewer').waitFor();
    await expectNoViolation(nora);
  });
});

it('someone logged in with another account chooses explicitly, and someone with an organization keeps it', async () => {
  const { step } = browser;
  const world = await buildWorld(product, 'globex');
  const owner = await openAs(world);
  let link = '';
  const other = await buildOwner(product, 'other');
  const taken = await buildWorld(product, 'taken');
  const page = await browser.open();

  await step('an invitation is made, and its new link ends the first', async () => {
    await owner.goto(`${product.url}/account-settings?section=team`);
    const first = await invite(owner, 'somebody@example.com', 'Editor', expectNoViolation);
    await owner.getByRole('button', { name: 'More for somebody@example.com' }).click();
    await owner.getByRole('menuitem', { name: 'New link' }).click();
    link = await linkShown(owner, 'somebody@example.com', expectNoViolation);
    expect(link).not.toBe(first);
    await owner.reload();
    await owner.getByText('somebody@example.com').waitFor();
    expect(await owner.content()).not.toContain('accept-invitation');
  });

  await step('who has an organization is told so, and offered another account', async () => {
    await logIn(page, taken.owner, taken.params.organization_id);
    await page.goto(link);
    await page.getByText('already belongs to an organization').waitFor();
    expect(await page.getByRole('button', { name: /^Join/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByLabel('Username').waitFor();
  });

  await step('who has none joins as who they are', async () => {
    await logIn(page, other, 'None');
    await page.goto(link);
    await page.getByText(`This invitation was sent to somebody@example.com`).waitFor();
    await expectNoViolation(page);
    await page.getByRole('button', { name: `Join as ${other.email}` }).click();
    await page.waitForURL('**/dashboard');
  });

  await step('afterwards the link is over', async () => {
    const fresh = await browser.open();
    await fresh.goto(link);
    await fresh.getByRole('heading', { name: 'This invitation no longer works' }).waitFor();
  });
});

it('an owner creates an API key, sees it once, and revokes it', async () => {
  const { step } = browser;
  const world = await buildWorld(product, 'shop');
  const page = await openAs(world);

  await step('makes one', async () => {
    await page.goto(`${product.url}/account-settings?section=api-keys`);
    const { organization_id, site_id } = world.params;
    const base = `${product.url}/api/core/v1/organizations/${organization_id}/sites/${site_id}`;
    await page.getByText(base, { exact: true }).waitFor();
    await page.getByText(`curl -H "Authorization: Bearer sk_..." ${base}/lists`).waitFor();
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create API key' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('Web shop');
    // By the names of the API, which its errors and its reference use.
    const scopes = dialog.getByRole('checkbox');
    expect(await scopes.count()).toBe(KEY_SCOPES.length);
    for (const scope of KEY_SCOPES)
      await dialog.getByRole('checkbox', { name: scope, exact: true }).waitFor();
    await expectNoViolation(page);
    await dialog.getByRole('button', { name: 'Create API key' }).click();
  });

  const key = await step('sees it once', async () => {
    const dialog = page.getByRole('alertdialog');
    const shown = await dialog.locator('code').first().innerText();
    expect(shown).toMatch(/^sk_/);
    await expectNoViolation(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const keys = page.getByRole('list', { name: 'API keys' });
    await keys.getByText('Web shop').waitFor();
    await keys.getByText('customers', { exact: true }).waitFor();
    expect(await page.getByText(shown).count()).toBe(0);
    return shown;
  });

  await step('it works, until it is revoked', async () => {
    const body = { email: 'vera@example.com' };
    await product.call(createCustomer, { params: world.params, body }, { token: key });
    await page.reload();
    await page.getByText('Used within the past hour').waitFor();
    await page.getByRole('button', { name: 'Revoke Web shop' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('Web shop');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No keys yet').waitFor();
    const again = product.refuse(createCustomer, { params: world.params, body }, { token: key });
    expect((await again).status).toBe(401);
  });
  expect(browser.problems).toEqual([]);
});
