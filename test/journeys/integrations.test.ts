import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteAction, listActions } from '#contract/actions.ts';
import { listIntegrations } from '#contract/integrations.ts';
import { createList, listLists } from '#contract/lists.ts';
import { listPreferencePages } from '#contract/preference-pages.ts';
import { WEBHOOK_CHECKS } from '#server/sync/inbound/webhook-registration.ts';
import { RECONCILIATION } from '#server/sync/reconciliation/reconciliation.jobs.ts';
import { handleJob } from '#server/sync/inbound/inbound.jobs.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { loseAJoin } from '#test/harness/lost-joins.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildToolToSetUp } from '#test/harness/tool-to-set-up.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

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

async function openAs({ owner, params }: World, path: string): Promise<Page> {
  const page = await browser.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await signIn(page, { owner, params });
  await page.goto(`${product.url}${path}`);
  return page;
}

const connectedOf = async ({ params, owner }: World) =>
  (await product.call(listIntegrations, { params }, owner)).results;

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

it('an owner connects Brevo, maintains it, and disconnects it', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const page = await openAs(world, '/dashboard');
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

  await step('a webhook that Brevo refuses is said to be missing, and one click sets it up', async () => {
    const refuseWith = (message: string) =>
      brevo.rule(({ method, url }) =>
        method === 'POST' && url === '/webhooks'
          ? { status: 400, body: JSON.stringify({ code: 'out_of_range', message }) }
          : null,
      );
    refuseWith('Webhook limit reached');
    await WEBHOOK_CHECKS.runDue(product.services);
    await page.reload();
    const missing = page.getByText('Unsubscribes in Brevo don’t reach you yet.');
    const reason = (said: string) => page.getByText(`Brevo takes no webhook from us (400): ${said}`);
    await missing.waitFor();
    await reason('Webhook limit reached').waitFor();
    await page.getByText('Incomplete', { exact: true }).waitFor();
    expect(await page.getByText('Connected', { exact: true }).count()).toBe(0);
    const setUp = page.getByRole('button', { name: 'Set up now' });
    refuseWith('Still too many');
    await setUp.click();
    await reason('Still too many').waitFor();
    brevo.rule(() => null);
    await setUp.click();
    await page.getByText('Brevo now tells us about unsubscribes').waitFor();
    await missing.waitFor({ state: 'detached' });
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(brevo.webhooks.all.map(({ url }) => url)).toContain(webhookUrl);
    await openTab('Technical');
    await page.getByText('We set it up in Brevo, and check every night that it’s there.').waitFor();
    await openTab('Overview');
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

  const actionId = await loseAJoin(product, brevo, world, id);

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
    expect(brevo.webhooks.all.map(({ url }) => url)).not.toContain(webhookUrl);
  });

  expect(browser.problems.filter((problem) => !/422|503/.test(problem))).toEqual([]);
});

it('one screen recognizes what a connected tool has, and creates what is ticked', async () => {
  const { step } = browser;
  const {
    world,
    id,
    names: [news, staff, jobs],
  } = await buildToolToSetUp(product, brevo);
  const ours = await product.call(
    createList,
    { params: world.params, body: { name: 'Open positions' } },
    world.owner,
  );
  const page = await openAs(world, `/integrations/${id}/set-up`);
  const row = (name: string) => page.getByRole('group', { name, exact: true });
  const linkOf = (name: string) => row(name).getByRole('button', { name: `List for “${name}”` });

  await step('a list of the site that nothing is linked to is named, and can be chosen', async () => {
    const unlinked = page.getByText(
      'Open positions isn’t linked to any list in Brevo, so its changes aren’t sent there.',
    );
    await unlinked.waitFor();
    await linkOf(jobs).click();
    await page.getByRole('option', { name: 'Open positions' }).click();
    await unlinked.waitFor({ state: 'detached' });
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
    await page.getByText(/^\d+ lists? and \d+ actions to create$/).waitFor();
  });

  await step('what customers see at once, or deletes contacts in the tool, waits to be chosen', async () => {
    const newPage = page.getByRole('checkbox', { name: world.site.name, exact: true });
    const newEmail = page.getByRole('checkbox', { name: /^When they change their email address/ });
    expect([await newPage.isChecked(), await newEmail.isChecked()]).toEqual([false, false]);
    await page.getByText('Brevo may delete contacts then, so it isn’t selected.').waitFor();
    await newPage.check({ force: true });
    await page.getByText(/^\d+ lists?, 1 preference page,? and \d+ actions to create$/).waitFor();
  });

  await step('one click creates the rest, and says what it was', async () => {
    await page.getByRole('button', { name: 'Create selected items' }).click();
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
  });
});
