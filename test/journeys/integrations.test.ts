import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction, deleteAction, listActions } from '#contract/actions.ts';
import { setCustomerLists } from '#contract/customers.ts';
import { createIntegration, listIntegrations, updateIntegration } from '#contract/integrations.ts';
import { createList, deleteList, listLists } from '#contract/lists.ts';
import {
  deletePreferencePage,
  listPreferencePages,
  replacePreferencePage,
} from '#contract/preference-pages.ts';
import { RECONCILIATION, REPAIRS } from '#server/sync/reconciliation/reconciliation.jobs.ts';
import { handleJob } from '#server/sync/inbound/inbound.jobs.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

let product: TestProduct;
let brevo: BrevoFake;
let browser: TestBrowser;

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({ env: { CONNECTOR_BREVO_URL: brevo.url } });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await brevo.close();
});

async function openAs({ owner, params }: World, options: Parameters<TestBrowser['open']>[0] = {}) {
  const page = await browser.open(options);
  await signIn(page, { owner, params });
  await page.goto(`${product.url}/dashboard`);
  return page;
}

const connectedOf = async ({ params, owner }: World) =>
  (await product.call(listIntegrations, { params }, owner)).results;

const connect = ({ params, owner }: World) =>
  product.call(
    createIntegration,
    { params, body: { provider: 'brevo', credentials: { ...brevo.credentials } } },
    owner,
  );

/** Vera, or all of them, joined the weekly news, and Brevo never heard of it. */
async function loseAJoin(
  world: World,
  integrationId: string,
  emails: readonly string[] = ['vera@example.com'],
): Promise<string> {
  const { params, owner, weekly } = world;
  const [list] = brevo.addResources('lists', 1);
  if (list === undefined) throw new Error('The fake made no list');
  const action = await product.call(
    createAction,
    {
      params,
      body: {
        type: 'list',
        name: 'Into the newsletter',
        integration_id: integrationId,
        trigger: { event: 'subscribed', list_ids: [weekly.id] },
        target: { id: list.id, name: list.name },
        operation: 'add',
      },
    },
    owner,
  );
  const body = [{ notification_list_id: weekly.id, subscribed: true }];
  for (const email of emails) {
    const { id } = await buildCustomer(product, world, email);
    brevo.addContact(email);
    await product.call(setCustomerLists, { params: { ...params, id }, body }, owner);
  }
  await product.testDatabase.owner.query(
    `update deliveries set status = 'failed' where status = 'waiting' and site_id = $1`,
    [params.site_id],
  );
  return action.id;
}

/** As Brevo tells it; read at once, for no worker runs here. */
async function tell(
  { params: { site_id } }: World,
  webhookUrl: string,
  event: Record<string, unknown>,
  secret: string,
): Promise<void> {
  const answer = await fetch(webhookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify(event),
  });
  expect(answer.ok).toBe(true);
  const { rows } = await product.testDatabase.owner.query<{ id: string }>(
    `select id from inbound_requests where site_id = $1 and state = 'waiting'`,
    [site_id],
  );
  for (const { id } of rows) await handleJob(product.services, { site_id, id, round: 0 });
}

it('an owner connects Brevo, looks after it, and disconnects it', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const page = await openAs(world, { permissions: ['clipboard-read', 'clipboard-write'] });
  const dialog = page.getByRole('dialog');

  await step('what Brevo can do, and what not, before anything is connected', async () => {
    await page.getByRole('link', { name: 'Integrations' }).click();
    expect(await page.title()).toContain('Integrations');
    await page.getByRole('heading', { name: 'No tools connected yet' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('brev');
    await page.getByRole('heading', { name: 'Drip' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'What it can do: Brevo' }).click();
    await dialog.getByText('Brevo has no contact tags').waitFor();
    await dialog.getByRole('button', { name: 'Connect Brevo' }).click();
  });

  const key = dialog.getByLabel('API key');
  const send = () => dialog.getByRole('button', { name: 'Connect', exact: true }).click();

  await step('a missing, a malformed and a refused key are each told beside the field', async () => {
    await dialog.getByText('It starts with xkeysib-.').waitFor();
    expect(await key.getAttribute('type')).toBe('password');
    await send();
    await dialog.getByText('Enter the API key.').waitFor();
    await key.fill('a wrong one');
    await send();
    await dialog.getByText('Check the API key. In Brevo, it looks like xkeysib-').waitFor();
    await key.fill(brevo.wrongCredentials['api_key'] ?? '');
    await send();

    await dialog.getByText('Check what you entered and try again.').waitFor();
    expect(await key.getAttribute('aria-invalid')).toBe('true');
    expect(await connectedOf(world)).toEqual([]);
  });

  await step('a tool that is away is told as such', async () => {
    await key.fill(brevo.credentials['api_key'] ?? '');
    brevo.trouble({ status: 503, body: '{}' });
    await send();
    await dialog.getByText('Brevo isn’t responding.').waitFor();
  });

  await step('the right key leads to the page of the integration', async () => {
    await send();
    await page.waitForURL(/\/integrations\/[\da-f-]+$/);
    await page.getByRole('heading', { level: 1, name: 'Brevo' }).waitFor();
    await page.getByText('Acme Mail').first().waitFor();
    await page.getByRole('heading', { name: 'Next step: set up Brevo' }).waitFor();
  });

  const openTab = (name: string) => page.getByRole('tab', { name }).click();

  const [integration] = await connectedOf(world);
  const { id = '', webhook_url } = integration ?? {};
  const webhookUrl = webhook_url ?? '';
  let secret = '';

  await step('the address of the webhook is copied, and its secret kept', async () => {
    await page.getByText('Not set up yet: unsubscribes in Brevo don’t reach us.').waitFor();
    expect(await page.getByText(/We reject calls/).count()).toBe(0);
    await page.getByRole('link', { name: 'Set up the webhook' }).click();
    await page.waitForURL('**?tab=technical');
    await page.getByText(/^You create it\. Generate one here/).waitFor();
    const { hostname } = new URL(webhookUrl);
    await page.getByText(`Brevo can’t reach ${hostname}, because it isn’t a public name.`).waitFor();
    await page.getByRole('button', { name: 'Generate secret' }).click();
    expect(await problemsByWindow(page)).toEqual({});
    await page.getByRole('button', { name: 'Copy the webhook URL' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(webhookUrl);
    const refused = page.getByText('We reject calls from Brevo until you enter the secret.');
    await refused.waitFor();
    await page.getByRole('button', { name: 'Copy the webhook secret' }).click();
    secret = await page.evaluate(() => navigator.clipboard.readText());
    expect(secret).toMatch(/^[0-9a-f]{32}$/);
    await page.getByRole('button', { name: 'Save secret' }).click();
    await page.getByText('Webhook secret saved').waitFor();
    await page.getByText('Secret set').waitFor();
    expect(await refused.count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Webhook secret' }).inputValue()).toBe('');
  });

  await step('what the tool tells is seen', async () => {
    const told = { event: 'unsubscribe', email: 'nobody@example.com', ts_event: 1_795_000_000 };
    await tell(world, webhookUrl, told, secret);
    await openTab('Overview');
    await page.waitForURL(/[\da-f]$/);
    await page.reload();
    await page.getByText('Unsubscribed from all', { exact: true }).waitFor();
    await page.getByText('nobody@example.com').waitFor();
  });

  await step('the connection is checked, and the integration renamed', async () => {
    await page.getByRole('button', { name: 'Check connection' }).click();
    await page.getByText('Brevo accepted your API key').waitFor();
    await openTab('Settings');
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Brevo of the shop');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'Brevo of the shop' }).waitFor();
  });

  const actionId = await loseAJoin(world, id);

  await step('a comparison finds what did not arrive, and one click mends it', async () => {
    await openTab('Comparison');
    await page.getByRole('button', { name: 'Compare now' }).click();
    await page.getByRole('progressbar', { name: 'Comparing' }).waitFor();
    await RECONCILIATION.runDue(product.services);
    await page.getByText('Not applied in Brevo').waitFor();
    await page.getByText(/^Should be on “.+” in Brevo, but isn’t\.$/).waitFor();
    expect(await page.getByText('You can fix these when the comparison is finished.').count()).toBe(0);
    await page.getByRole('button', { name: 'Different: 1' }).click();
    await dialog.getByRole('link', { name: 'vera@example.com' }).waitFor();
    await dialog.getByText('Open', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Fix vera@example.com' }).click();
    await page.getByText('Fixed', { exact: true }).last().waitFor();
    await page.getByText('vera@example.com').waitFor({ state: 'detached' });
    expect(brevo.holds('vera@example.com')?.lists).toHaveLength(1);
  });

  await step('its count still leads to the customer, and says what became of it', async () => {
    await page.getByRole('button', { name: 'Different: 1' }).click();
    await dialog.getByText('Fixed', { exact: true }).waitFor();
    await dialog.getByRole('link', { name: 'vera@example.com' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  await step('a field keeps the personal links', async () => {
    await openTab('Links');
    await page.getByRole('link', { name: 'Choose a field' }).click();
    await page.getByRole('button', { name: 'Choose a field' }).click();
    await dialog.getByRole('button', { name: /Custom field in Brevo/ }).click();
    await page.getByRole('option', { name: 'LASTNAME' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Personal links are stored in “LASTNAME”').waitFor();
    await openTab('Links');
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: `Copy personal link ${world.page.name}` }).press('Enter');
    await page.getByText('Copied', { exact: true }).waitFor();
    await expect.poll(clipboard).toContain('?challenge=');
    const copied = await clipboard();
    await page.getByText(copied, { exact: true }).waitFor({ state: 'hidden' });
    await page.getByText('Full links and ready-made footer').click();
    await page.getByText('Personal: proves who opens the page').waitFor();
    await page.getByText(copied, { exact: true }).waitFor();
  });

  await step('on a phone, the chosen tab is in view', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${page.url().split('?')[0]}?tab=technical`);
    const tab = page.getByRole('tab', { name: 'Technical' });
    await tab.waitFor();
    await expect.poll(async () => tab.evaluate((one) => one.getBoundingClientRect().right)).toBeLessThan(361);
    if (size) await page.setViewportSize(size);
    await openTab('Links');
  });

  await step('its links follow a page that is published under another name', async () => {
    await page.getByRole('link', { name: 'Preference Pages', exact: true }).click();
    await page.getByRole('link', { name: world.page.name, exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Letters');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Page published').waitFor();
    await page.getByRole('link', { name: 'Integrations', exact: true }).click();
    await page.getByRole('link', { name: 'Manage Brevo of the shop' }).click();
    await openTab('Links');
    await page.getByRole('button', { name: 'Copy personal link Letters' }).waitFor();
    expect(await page.getByRole('button', { name: `Copy personal link ${world.page.name}` }).count()).toBe(0);
  });

  await step('while an action uses it, it is not disconnected; afterwards it is', async () => {
    await openTab('Settings');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await dialog.getByText('Into the newsletter').waitFor();
    expect(await dialog.getByRole('link', { name: 'Go to actions' }).getAttribute('href')).toBe('/actions');
    await product.call(deleteAction, { params: { ...world.params, id: actionId } }, world.owner);
    await page.reload();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByLabel(/^Type/).fill('Brevo of the shop');
    await question.getByRole('button', { name: 'Disconnect' }).click();
    await page.waitForURL('**/integrations');
    await page.getByRole('heading', { name: 'No tools connected yet' }).waitFor();
    expect(await connectedOf(world)).toEqual([]);
  });

  expect(browser.problems.filter((problem) => !/422|503/.test(problem))).toEqual([]);
});

it('the gallery, both dialogs and the page of an integration have no violation and fit', async () => {
  const world = await buildWorld(product);
  const { id } = await connect(world);
  await loseAJoin(world, id);
  const page = await openAs(world);

  await page.goto(`${product.url}/integrations`);
  await page.getByRole('link', { name: 'Manage Brevo' }).waitFor();
  expect(await problemsByWindow(page)).toEqual({});

  await page.getByRole('button', { name: 'What it can do: Drip' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  await untilFocusIn(page.getByRole('dialog'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Connect Drip' }).click();
  await page.getByRole('dialog').getByLabel('API token').waitFor();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('Enter the API token.').waitFor();
  expect(await problemsByWindow(page)).toEqual({});

  await page.goto(`${product.url}/integrations/${id}`);
  const tabs = page.getByRole('tablist', { name: 'Parts of this integration' });
  for (const name of ['Overview', 'Links', 'Settings', 'Technical', 'Comparison']) {
    await tabs.getByRole('tab', { name }).click();
    await page.getByRole('tabpanel', { name }).waitFor();
    expect({ name, problems: await problemsByWindow(page) }).toEqual({ name, problems: {} });
  }
  await page.getByRole('button', { name: 'Compare now' }).click();
  await page.getByRole('progressbar', { name: 'Comparing' }).waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  await RECONCILIATION.runDue(product.services);
  await page.getByText('Not applied in Brevo').waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  const wait = page.getByText('You can fix these when the comparison is finished.');
  const fix = page.getByRole('button', { name: 'Fix all' });
  expect([await wait.count(), await fix.isDisabled()]).toEqual([0, false]);
  await page.getByRole('button', { name: 'Compare now' }).click();
  await wait.waitFor();
  expect(await fix.isDisabled()).toBe(true);
  expect(await problemsByWindow(page)).toEqual({});
});

it('before many are fixed, an owner sees what that changes and for how many', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const { id } = await connect(world);
  const emails = ['ana@example.com', 'ben@example.com'];
  const actionId = await loseAJoin(world, id, emails);
  const { results } = await product.call(listActions, { params: world.params }, world.owner);
  const list = String(results.find((one) => one.id === actionId)?.target['name']);
  const page = await openAs(world);
  const question = page.getByRole('alertdialog', { name: 'Fix 2 differences?' });
  const listsOf = () => emails.map((email) => brevo.holds(email)?.lists?.length);

  await step('nothing is fixed before it is confirmed', async () => {
    await page.goto(`${product.url}/integrations/${id}?tab=comparison`);
    await page.getByRole('button', { name: 'Compare now' }).click();
    await page.getByRole('progressbar', { name: 'Comparing' }).waitFor();
    await RECONCILIATION.runDue(product.services);
    await page.getByRole('button', { name: 'Fix all' }).click();
    await question.getByText(`Add to “${list}” in Brevo`).waitFor();
    await question.getByText('This may start automations in Brevo.').waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await REPAIRS.runDue(product.services);
    expect(listsOf()).toEqual([0, 0]);
  });

  await step('then all are, and their number is told without a comparison’s', async () => {
    await page.getByRole('button', { name: 'Fix all' }).click();
    await question.getByRole('button', { name: 'Fix 2' }).click();
    await page.getByRole('progressbar', { name: 'Fixing' }).waitFor();
    await page.getByText('We’re fixing differences now.').waitFor();
    await REPAIRS.runDue(product.services);
    await page.getByRole('button', { name: 'Fixed: 2' }).waitFor();
    await page.getByText('Fixes', { exact: true }).waitFor();
    expect(await page.getByText('Compared', { exact: true }).count()).toBe(0);
    expect(listsOf()).toEqual([1, 1]);
  });
});

it('a tool that rejects its key says so first, with the fix, and offers no next step until it works', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const { id } = await connect(world);
  // A site without anything has nothing to say on its dashboard.
  await buildCustomer(product, world, 'vera@example.com');
  const page = await openAs(world);
  const wrong = page.getByText(
    'Brevo rejected your API key. Enter a new one and we’ll send any changes that are waiting.',
  );
  const next = page.getByRole('heading', { name: 'Next step: set up Brevo' });

  await step('what is broken stands on its own at the top', async () => {
    brevo.rule(() => ({ status: 401, body: '{}' }));
    await page.goto(`${product.url}/integrations/${id}`);
    await next.waitFor();
    await page.getByRole('button', { name: 'Check connection' }).click();
    await wrong.waitFor();
    await next.waitFor({ state: 'detached' });
    expect(await problemsByWindow(page)).toEqual({});
    await page.goto(`${product.url}/integrations`);
    await wrong.waitFor();
  });

  await step('a new key mends it, and the next step is back', async () => {
    brevo.rule(() => null);
    await page.goto(`${product.url}/dashboard`);
    await page.getByRole('link', { name: 'Enter a new API key' }).click();
    await page.getByRole('dialog', { name: 'New API key for Brevo' }).waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    await page
      .getByRole('dialog')
      .getByLabel('API key')
      .fill(brevo.credentials['api_key'] ?? '');
    await page.getByRole('button', { name: 'Save API key' }).click();
    await next.waitFor();
    expect(await wrong.count()).toBe(0);
    expect(new URL(page.url()).search).toBe('');
  });
});

it('one screen recognises what a connected tool has, and creates what is ticked', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  for (const { id } of [world.weekly, world.offers]) {
    await product.call(deleteList, { params: { ...world.params, id } }, world.owner);
  }
  const pageParams = { ...world.params, id: world.page.id };
  await product.call(deletePreferencePage, { params: pageParams }, world.owner);
  const [news = '', staff = '', jobs = ''] = brevo.addResources('lists', 3).map(({ name }) => name);
  const { id } = await connect(world);
  const page = await openAs(world);
  const create = page.getByRole('button', { name: 'Create selected items' });
  const row = (name: string) => page.getByRole('group', { name, exact: true });

  await step('the lists lead there, and a tool that is away is told as such', async () => {
    brevo.rule(() => ({ status: 503, body: '{}' }));
    await page.goto(`${product.url}/lists`);
    await page.getByRole('link', { name: 'Or create them from Brevo' }).click();
    await page.getByText('Brevo isn’t responding.').waitFor();
    brevo.rule(() => null);
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(news).waitFor();
    expect(await problemsByWindow(page)).toEqual({});
  });

  await step('until the webhook is set up, only changes here are promised, with the way there', async () => {
    await row(news)
      .getByText('Brevo doesn’t tell us when someone unsubscribes from just this list.')
      .waitFor();
    await page
      .getByText('Changes on your pages to a linked list are sent to Brevo.', { exact: true })
      .waitFor();
    // As of a tool that does tell.
    await page.route('**/proposals?*', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll(
        '"reports_unsubscribes":false',
        '"reports_unsubscribes":true',
      );
      await route.fulfill({ response, body: text });
    });
    await page.reload();
    await page.getByText('To receive unsubscribes from Brevo, set up its webhook').waitFor();
    const later = 'Once the webhook is set up, unsubscribing in Brevo also unsubscribes here.';
    const now = 'Unsubscribing in Brevo also unsubscribes here.';
    await row(news).getByText(later).waitFor();
    expect(await page.getByText(/both directions/).count()).toBe(0);
    await page.getByRole('link', { name: 'Set up the webhook' }).click();
    await page.waitForURL('**?tab=technical');
    const params = { ...world.params, id };
    await product.call(updateIntegration, { params, body: { webhook_secret: 'a token' } }, world.owner);
    await page.goto(`${product.url}/integrations/${id}/set-up`);
    await row(news).getByText(now, { exact: true }).waitFor();
    await page.getByText('Linked with Brevo in both directions.').first().waitFor();
    expect(await page.getByText(/webhook/).count()).toBe(0);
    await page.unroute('**/proposals?*');
  });

  const linkOf = (name: string) => row(name).getByRole('button', { name: `List for “${name}”` });
  const ours = await product.call(
    createList,
    { params: world.params, body: { name: 'Open positions' } },
    world.owner,
  );

  await step('a list of the site that nothing is linked to is named, and can be chosen', async () => {
    await page.reload();
    const unlinked = page.getByText(
      'Open positions isn’t linked to any list in Brevo, so its changes aren’t sent there.',
    );
    await unlinked.waitFor();
    await linkOf(jobs).click();
    await page.getByRole('option', { name: 'Open positions' }).click();
    await unlinked.waitFor({ state: 'detached' });
    expect(await problemsByWindow(page)).toEqual({});
  });

  await step('by keyboard, a list is left out with its actions', async () => {
    await linkOf(staff).getByText('New list').waitFor();
    await linkOf(staff).focus();
    await page.keyboard.press('Enter');
    await untilFocusIn(page.getByRole('listbox'));
    for (const key of ['End', 'Enter']) await page.keyboard.press(key);
    await linkOf(staff).getByText('Don’t link').waitFor();
    await row(staff).getByText('Not linked: changes aren’t sent to Brevo.').waitFor();
    for (const one of await row(staff).getByRole('checkbox').all()) expect(await one.isChecked()).toBe(false);
  });

  await step('what belongs to the tool and what to the site is labeled, and counted', async () => {
    await row(news).getByText('In Brevo', { exact: true }).waitFor();
    await row(news).getByText('Your list', { exact: true }).waitFor();
    await page.getByText('When they resubscribe: allow emails again in Brevo').waitFor();
    await page.getByText(/^\d+ lists?, 1 preference page,? and \d+ actions to create$/).waitFor();
  });

  await step('one click creates the rest, and says what it was', async () => {
    await create.click();
    await page.getByRole('link', { name: news, exact: true }).waitFor();
    await untilFocusIn(page.getByRole('heading', { name: 'Brevo is set up' }));
    const { results: lists } = await product.call(listLists, { params: world.params }, world.owner);
    const names = lists.map(({ name }) => name);
    expect(names).toContain(news);
    expect(names).not.toContain(staff);
    expect(names).not.toContain(jobs);
    const { results: actions } = await product.call(listActions, { params: world.params }, world.owner);
    const target = expect.objectContaining({ name: news });
    expect(actions.filter(({ integration_id }) => integration_id === id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ operation: 'add', target }),
        expect.objectContaining({ operation: 'remove', target }),
        expect.objectContaining({
          operation: 'add',
          target: expect.objectContaining({ name: jobs }),
          trigger: { event: 'subscribed', list_ids: [ours.id] },
        }),
        expect.objectContaining({ type: 'global_unsubscribe' }),
      ]),
    );
    expect(await problemsByWindow(page)).toEqual({});
  });

  let toImport = '';

  await step('a change can be tried at once, and seen where it arrives', async () => {
    await page.getByText('Try it: save a change on your page.').waitFor();
    const { results } = await product.call(listPreferencePages, { params: world.params }, world.owner);
    const opened = page.getByRole('link', { name: 'Open your page' });
    expect(await opened.getAttribute('href')).toBe(results[0]?.url);
    toImport = (await page.getByRole('link', { name: 'Import from Brevo' }).getAttribute('href')) ?? '';
    await page.getByRole('link', { name: 'See deliveries to Brevo' }).click();
    await page.waitForURL(`**/deliveries?integration_id=${id}`);
    await page.goBack();
  });

  await step('who is in the tool already can be imported, into the lists that are linked', async () => {
    await page.goto(`${product.url}${toImport}`);
    await page
      .getByRole('button', { name: `Import ${news} into` })
      .getByText(news)
      .waitFor();
    await page
      .getByRole('button', { name: `Import ${jobs} into` })
      .getByText(ours.name)
      .waitFor();
    await page
      .getByRole('button', { name: `Import ${staff} into` })
      .getByText('Skip')
      .waitFor();
    expect(await problemsByWindow(page)).toEqual({});
  });

  await step('what was left out stays so, and is offered on the integration once it is linked', async () => {
    const review = page.getByRole('link', { name: 'Review' });
    const read = page.waitForResponse(/proposals\?/);
    await page.goto(`${product.url}/integrations/${id}`);
    await (await read).finished();
    await page.getByRole('link', { name: 'See deliveries to Brevo' }).waitFor();
    expect(await review.count()).toBe(0);
    await page.goto(`${product.url}/integrations/${id}/set-up`);
    await linkOf(staff).getByText('Don’t link').waitFor();
    await linkOf(staff).click();
    await page.getByRole('option', { name: 'New list' }).click();
    await page.goto(`${product.url}/integrations/${id}`);
    await review.click();
    await row(staff).waitFor();
    await page.getByText(/already set up$/).waitFor();
  });

  await step('where all that was ticked was skipped, nothing is said to be set up', async () => {
    const skipped = { lists: [], page: null, extended_pages: [], actions: [], skipped: 2 };
    await page.route('**/proposals', (route) => route.fulfill({ status: 201, json: skipped }));
    await linkOf(staff).click();
    await page.getByRole('option', { name: 'Don’t link' }).click();
    await row(staff).getByRole('checkbox').first().check({ force: true });
    await linkOf(staff).getByText('New list').waitFor();
    await create.click();
    await page.getByRole('heading', { name: '0 items created' }).waitFor();
    await page.getByText('2 items were already there or have changed since.').waitFor();
    expect(await page.getByText(/is set up/).count()).toBe(0);
    await page.unroute('**/proposals');
  });

  await step('a tool without lists can be read again, and it says if that fails', async () => {
    await page.route('**/proposals?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), resources: 0 } });
    });
    await page.reload();
    const again = page.getByRole('button', { name: 'Check again' });
    await again.waitFor();
    await page.unroute('**/proposals?*');
    await page.route('**/proposals?*', (route) => route.abort());
    await again.click();
    await page.getByText('We can’t reach the server.').waitFor();
    // By keyboard, at once: the app loads it again on its own when it finds the server.
    await again.focus();
    await page.unroute('**/proposals?*');
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'detached' });
  });

  await step('a page that is there gets the new list in the same click, unless it is left out', async () => {
    const toPage = page.getByRole('checkbox', { name: `Add the new list to “${world.site.name}”` });
    await toPage.waitFor();
    expect(await toPage.isChecked()).toBe(true);
    await linkOf(staff).click();
    await page.getByRole('option', { name: 'Don’t link' }).click();
    await toPage.waitFor({ state: 'detached' });
    await linkOf(staff).click();
    await page.getByRole('option', { name: 'New list' }).click();
    await toPage.waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    await toPage.uncheck({ force: true });
    expect(await toPage.isChecked()).toBe(false);
    await toPage.check({ force: true });
    await page.getByText('Customers see new lists and their names right away.').waitFor();
    await row(staff).getByLabel(`Name that customers see: ${staff}`).fill('Team news');
    await page.getByText('Team news', { exact: true }).waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    const [theirs] = (await product.call(listPreferencePages, { params: world.params }, world.owner)).results;
    if (theirs === undefined) throw new Error('The set-up created a page');
    await product.call(
      replacePreferencePage,
      {
        params: { ...world.params, id: theirs.id },
        body: {
          ...theirs,
          active_languages: [...theirs.active_languages, 'fr'],
          lists: theirs.lists.map((list) => ({ id: list.id })),
          override: { reason: 'The translations follow.' },
        },
      },
      world.owner,
    );
    await create.click();
    const dialog = page.getByRole('alertdialog', { name: 'Publish despite these problems?' });
    await dialog.getByText(`Affected pages: ${theirs.name}`).waitFor();
    await dialog.getByLabel('Reason').fill('The translations follow.');
    await dialog.getByRole('button', { name: 'Publish anyway' }).click();
    await page.getByText('Shown on').waitFor();
    await page.getByRole('link', { name: world.site.name, exact: true }).waitFor();
    expect(await page.getByText('Customers see new lists once').count()).toBe(0);
    const { results } = await product.call(listPreferencePages, { params: world.params }, world.owner);
    expect(results.map(({ lists }) => lists.map(({ name }) => name))).toEqual([
      expect.arrayContaining([news, ours.name, 'Team news']),
    ]);
    expect(await problemsByWindow(page)).toEqual({});
  });

  await step('of an integration that does not exist, nothing can be tried again', async () => {
    await page.goto(`${product.url}/integrations/${world.site.id}/set-up`);
    await page.getByText('This integration doesn’t exist').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
});
