import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction, deleteAction } from '#contract/actions.ts';
import { setCustomerLists } from '#contract/customers.ts';
import { createIntegration, listIntegrations } from '#contract/integrations.ts';
import { RECONCILIATION } from '#server/sync/reconciliation/reconciliation.jobs.ts';
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

/** Vera joined the weekly news, and Brevo never heard of it. */
async function loseAJoin(world: World, integrationId: string): Promise<string> {
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
  const vera = await buildCustomer(product, world, 'vera@example.com');
  brevo.addContact('vera@example.com');
  const body = [{ notification_list_id: weekly.id, subscribed: true }];
  await product.call(setCustomerLists, { params: { ...params, id: vera.id }, body }, owner);
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

    await dialog.getByText('Check them and try again.').waitFor();
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
  });

  const [integration] = await connectedOf(world);
  const { id = '', webhook_url } = integration ?? {};
  const webhookUrl = webhook_url ?? '';

  await step('the address of the webhook is copied, and its secret kept', async () => {
    await page.getByRole('button', { name: 'Copy the webhook URL' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(webhookUrl);
    const refused = page.getByText('We reject calls from Brevo until you enter the secret.');
    await refused.waitFor();
    await page.getByRole('textbox', { name: 'Webhook secret' }).fill('a token of ours');
    await page.getByRole('button', { name: 'Save secret' }).click();
    await page.getByText('Webhook secret saved').waitFor();
    await page.getByText('Secret set').waitFor();
    expect(await refused.count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Webhook secret' }).inputValue()).toBe('');
  });

  await step('what the tool tells is seen', async () => {
    const told = { event: 'unsubscribe', email: 'nobody@example.com', ts_event: 1_795_000_000 };
    await tell(world, webhookUrl, told, 'a token of ours');
    await page.reload();
    await page.getByText('Unsubscribed from all', { exact: true }).waitFor();
    await page.getByText('nobody@example.com').waitFor();
  });

  await step('the connection is checked, and the integration renamed', async () => {
    await page.getByRole('button', { name: 'Check connection' }).click();
    await page.getByText('Brevo accepted your credentials').waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Brevo of the shop');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Brevo of the shop' }).waitFor();
  });

  const actionId = await loseAJoin(world, id);

  await step('a comparison finds what did not arrive, and one click mends it', async () => {
    await page.getByRole('button', { name: 'Compare now' }).click();
    await page.getByText(/^Comparing: /).waitFor();
    await RECONCILIATION.runDue(product.services);
    await page.getByText('Not applied in Brevo').waitFor();
    await page.getByRole('button', { name: 'Fix vera@example.com' }).click();
    await page.getByText('Fixed', { exact: true }).last().waitFor();
    await page.getByText('vera@example.com').waitFor({ state: 'detached' });
    expect(brevo.holds('vera@example.com')?.lists).toHaveLength(1);
  });

  await step('a field keeps the personal links', async () => {
    await page.getByRole('button', { name: 'Choose a field' }).click();
    await dialog.getByRole('button', { name: /Custom field in Brevo/ }).click();
    await page.getByRole('option', { name: 'LASTNAME' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Personal links are stored in “LASTNAME”').waitFor();
    await page.getByText('Personal: proves who opens the page').waitFor();
  });

  await step('while an action uses it, it is not disconnected; afterwards it is', async () => {
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
  await page.getByRole('button', { name: 'Compare now' }).click();
  await page.getByText(/^Comparing: /).waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  await RECONCILIATION.runDue(product.services);
  await page.getByText('Not applied in Brevo').waitFor();
  expect(await problemsByWindow(page)).toEqual({});
});
