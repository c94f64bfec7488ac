import { afterAll, beforeAll, expect, it } from 'vitest';
import { listActions } from '#contract/actions.ts';
import { createIntegration, setUpWebhook } from '#contract/integrations.ts';
import { createList } from '#contract/lists.ts';
import { listPreferencePages, replacePreferencePage } from '#contract/preference-pages.ts';
import { RECONCILIATION, REPAIRS } from '#server/sync/reconciliation/reconciliation.jobs.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { loseAJoin } from '#test/harness/lost-joins.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildToolToSetUp } from '#test/harness/tool-to-set-up.ts';
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

const connect = ({ params, owner }: World) =>
  product.call(
    createIntegration,
    { params, body: { provider: 'brevo', credentials: { ...brevo.credentials } } },
    owner,
  );

it('the gallery, both dialogs and the page of an integration have no violation and fit', async () => {
  const world = await buildWorld(product);
  const { id } = await connect(world);
  await loseAJoin(product, brevo, world, id);
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
    if (name === 'Technical') await page.getByRole('button', { name: 'Generate secret' }).click();
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

it('before many differences are fixed, an owner sees what that changes and for how many', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const { id } = await connect(world);
  const emails = ['ana@example.com', 'ben@example.com'];
  const actionId = await loseAJoin(product, brevo, world, id, emails);
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
    // The dialog closes once the actions are read again.
    await page.waitForURL(({ search }) => search === '');
  });
});

it('the links of an integration are kept in a field of the tool, and follow a page to its new name', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const { id } = await connect(world);
  const page = await openAs(world, { permissions: ['clipboard-read', 'clipboard-write'] });
  const dialog = page.getByRole('dialog');
  const openTab = (name: string) => page.getByRole('tab', { name }).click();
  await page.goto(`${product.url}/integrations/${id}`);

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
    await page.getByRole('link', { name: 'Manage Brevo' }).click();
    await openTab('Links');
    await page.getByRole('button', { name: 'Copy personal link Letters' }).waitFor();
    expect(await page.getByRole('button', { name: `Copy personal link ${world.page.name}` }).count()).toBe(0);
  });
});

it('setting up a tool says what is away, left out, skipped or created already', async () => {
  const { step } = browser;
  const {
    world,
    id,
    names: [news, staff, jobs],
  } = await buildToolToSetUp(product, brevo);
  const page = await openAs(world);
  const create = page.getByRole('button', { name: 'Create selected items' });
  const row = (name: string) => page.getByRole('group', { name, exact: true });
  const linkOf = (name: string) => row(name).getByRole('button', { name: `List for “${name}”` });

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
    await product.call(setUpWebhook, { params }, world.owner);
    await page.goto(`${product.url}/integrations/${id}/set-up`);
    await row(news).getByText(now, { exact: true }).waitFor();
    await page.getByText('Linked with Brevo in both directions.').first().waitFor();
    expect(await page.getByText(/webhook/).count()).toBe(0);
    await page.unroute('**/proposals?*');
  });

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

  await step('each screen after it has no violation and fits', async () => {
    await linkOf(staff).click();
    await page.getByRole('option', { name: 'Don’t link' }).click();
    await page.getByRole('checkbox', { name: world.site.name, exact: true }).check({ force: true });
    await create.click();
    await page.getByRole('heading', { name: 'Brevo is set up' }).waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    await page.getByRole('link', { name: 'Import from Brevo' }).click();
    await page.getByRole('button', { name: `Import ${news} into` }).waitFor();
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

  await step('a page that is there gets the new list in the same click, once it is chosen', async () => {
    const toPage = page.getByRole('checkbox', { name: `Add the new list to “${world.site.name}”` });
    await toPage.waitFor();
    expect(await toPage.isChecked()).toBe(false);
    await linkOf(staff).click();
    await page.getByRole('option', { name: 'Don’t link' }).click();
    await toPage.waitFor({ state: 'detached' });
    await linkOf(staff).click();
    await page.getByRole('option', { name: 'New list' }).click();
    await toPage.waitFor();
    expect(await problemsByWindow(page)).toEqual({});
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
