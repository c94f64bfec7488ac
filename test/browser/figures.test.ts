import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { setCustomerLists } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startWebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { newId } from '#server/platform/ids.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildMember } from '#test/harness/members.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';
import { violationsOf } from '#test/page/look-at.ts';

let product: TestProduct;
let browser: TestBrowser;
let brevo: BrevoFake;

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({ env: { CONNECTOR_BREVO_URL: brevo.url } });
  browser = await startBrowser();
});

beforeEach(() => {
  browser.problems.length = 0;
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await brevo.close();
});

async function openAs({ owner, params }: World): Promise<Page> {
  const page = await browser.open();
  await signIn(page, { owner, params });
  return page;
}

async function choose(world: World, customerId: string, subscribed: boolean): Promise<void> {
  const body = [{ notification_list_id: world.offers.id, subscribed }];
  await product.call(setCustomerLists, { params: { ...world.params, id: customerId }, body }, world.owner);
}

it('an owner reads the figures, as a chart or a table, and goes to the rows behind them', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const page = await openAs(world);

  await step('a site where nothing happened teaches', async () => {
    await page.goto(`${product.url}/dashboard`);
    await page.getByText('No activity yet').waitFor();
    await page.getByRole('button', { name: 'Hide these steps' }).click();
    await page.getByText('Get started').waitFor({ state: 'detached' });
    await untilFocusIn(page.getByRole('heading', { level: 1, name: 'Dashboard' }));
    await page.reload();
    await page.getByRole('button', { name: 'Show these steps again' }).click();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await untilFocusIn(page.getByRole('heading', { level: 1, name: 'Dashboard' }));
  });

  const vera = await buildCustomer(product, world, 'vera@example.com');

  await step('the first sentence says what changes lack, and its button leads there', async () => {
    await page.reload();
    const sentence =
      'No changes to send in the last 30 days. No tool is connected yet, so changes stay here.';
    await page.getByText(sentence).waitFor();
    await page.getByRole('link', { name: 'Connect a tool' }).first().click();
    await page.waitForURL('**/integrations');
    await page.goBack();
  });

  await buildWebhook(product, world, { url: 'https://shop.example/hook', list_ids: [world.offers.id] });
  await choose(world, vera.id, true);
  await choose(world, vera.id, false);

  await step('the range stands in the address, and outlives a reload', async () => {
    await page.reload();
    await page.getByRole('link', { name: '7 days', exact: true }).click();
    await page.waitForURL('**/dashboard?range=7d');
    await page.reload();
    await page.getByRole('link', { name: /^Changes 2/ }).waitFor();
    expect(
      await page.getByRole('link', { name: '7 days', exact: true }).getAttribute('aria-current'),
    ).not.toBeNull();
  });

  await step('the range is remembered', async () => {
    await page.goto(`${product.url}/lists`);
    await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
    await page.locator('a[aria-current]', { hasText: /^7 days$/ }).waitFor();
  });

  await step('the arrow keys tell what each day was', async () => {
    const chart = page.getByRole('slider', { name: 'Subscribes and unsubscribes' });
    await chart.focus();
    expect(await chart.getAttribute('aria-valuetext')).toContain('Subscribes 1, Unsubscribes 1');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => chart.getAttribute('aria-valuetext')).toContain('Subscribes 0, Unsubscribes 0');
    await page.keyboard.press('Home');
    await expect.poll(() => chart.getAttribute('aria-valuenow')).toBe('1');
  });

  await step('the table has the same numbers', async () => {
    const view = page.getByRole('radiogroup', { name: 'Show Subscribes and unsubscribes as' });
    await view.getByRole('radio', { name: 'Table' }).click();
    const rows = page.getByRole('table', { name: 'Subscribes and unsubscribes' }).getByRole('row');
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(8);
    expect(await rows.nth(1).getByRole('cell').allTextContents()).toEqual(['1', '1']);
    expect(await violationsOf(page)).toEqual([]);
  });

  await step('a figure leads to the choices behind it', async () => {
    await page.getByRole('link', { name: /^Changes 2/ }).click();
    await page.waitForURL('**/evidence?*chose=*');
    await page.getByRole('button', { name: /Subscribed to Offers/ }).waitFor();
    expect(await page.getByRole('button', { name: /New customer/ }).count()).toBe(0);
    await page.getByRole('button', { name: /Chose something/ }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /^Unsubscribes 1/ }).click();
    await page.waitForURL('**/evidence?*move=left*');
    await page.getByRole('button', { name: /Unsubscribed from Offers/ }).waitFor();
    expect(await page.getByRole('button', { name: /Subscribed to Offers/ }).count()).toBe(0);
    await page.getByRole('button', { name: /^Remove filter/ }).click();
    await untilFocusIn(page.getByRole('button', { name: /What happened$/ }));
    await page.getByRole('button', { name: 'Copy link to this view' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page
      .getByRole('button', { name: /Subscribed to Offers/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: /Unsubscribed from Offers/ }).click();
    await page.getByRole('link', { name: 'Customer', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'vera@example.com' }).waitFor();
  });

  await step('a list says who came and went, and leads to its actions', async () => {
    await page.goto(`${product.url}/lists`);
    await page.getByRole('link', { name: '−1 in 30 days, Unsubscribes: Offers' }).waitFor();
    await page.getByRole('link', { name: 'Tell the shop' }).click();
    await page.getByText('Last delivery').waitFor();
  });
  expect(browser.problems).toEqual([]);
});

it('choices that no action sent are not called nothing to send, and each list leads to its action', async () => {
  const world = await buildWorld(product);
  const vera = await buildCustomer(product, world);
  await choose(world, vera.id, true);
  const page = await openAs(world);
  await page.goto(`${product.url}/dashboard`);
  await page
    .getByText('1 change was saved in the last 30 days. No tool is connected yet, so changes stay here.')
    .waitFor();
  const body = { provider: 'brevo', credentials: { ...brevo.credentials } };
  const tool = await product.call(createIntegration, { params: world.params, body }, world.owner);
  await page.reload();
  await page
    .getByText(
      '1 change was saved in the last 30 days, but no action sent it. Changes to 2 lists aren’t sent to any tool.',
    )
    .waitFor();
  // The tool's lists are matched first: on the checklist, or in the page's head once that is hidden.
  const setUp = page.getByRole('link', { name: 'Set up Brevo' });
  await setUp.waitFor();
  expect(await setUp.count()).toBe(1);
  await setUp.click();
  await page.waitForURL(`**/integrations/${tool.id}/set-up`);
  await page.goBack();
  await page.getByRole('button', { name: 'Hide these steps' }).click();
  await setUp.waitFor();
  expect(await setUp.count()).toBe(1);
  const action = {
    type: 'global_unsubscribe' as const,
    name: 'Out of Brevo',
    integration_id: tool.id,
    trigger: { event: 'global_unsubscribed' as const },
    target: {},
  };
  await product.call(createAction, { params: world.params, body: action }, world.owner);
  await page.reload();
  const dialog = page.getByRole('dialog', { name: 'New action' });
  const isAbout = (list: string) =>
    dialog.getByRole('button', { name: new RegExp(`^${list} Lists`) }).waitFor();
  await page.getByRole('link', { name: 'Create an action' }).first().click();
  await isAbout(world.weekly.name);
  await page.goBack();
  await page.getByText('Create an action for:').getByRole('link', { name: world.offers.name }).click();
  await isAbout(world.offers.name);
});

it('changes that no action sent are counted beside deliveries that succeeded, and no tool is named', async () => {
  const world = await buildWorld(product);
  const receiver = await startWebhookReceiver();
  try {
    await buildWebhook(product, world, { url: receiver.url, list_ids: [world.offers.id] });
    const vera = await buildCustomer(product, world);
    await choose(world, vera.id, true);
    await choose(world, vera.id, false);
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await product.call(setCustomerLists, { params: { ...world.params, id: vera.id }, body }, world.owner);
    const { results } = await product.call(listDeliveries, { params: world.params, query: {} }, world.owner);
    for (const { id } of results) {
      await deliverNow(product.services, { site_id: world.params.site_id, id, round: 0 });
    }
    const page = await openAs(world);
    await page.goto(`${product.url}/dashboard`);
    await page
      .getByText(
        'The one delivery in the last 30 days succeeded. 2 changes weren’t sent, because no action covers them.',
      )
      .waitFor();
    const see = page.getByRole('link', { name: 'See choices' });
    await see.click();
    await page.waitForURL(/\/evidence\?.*chose=/);
    await page.goBack();
    await see.waitFor();
    // Of a new site there is nothing to compare with.
    await page.getByRole('link', { name: /^Customers 1 ?1 new$/ }).waitFor();
    expect(await page.getByText('the previous 30 days').count()).toBe(0);
  } finally {
    await receiver.close();
  }
});

it('changes saved before an action covered them are reported, with the way to a comparison', async () => {
  const world = await buildWorld(product);
  const receiver = await startWebhookReceiver();
  try {
    const vera = await buildCustomer(product, world);
    await choose(world, vera.id, true);
    const provided = { provider: 'brevo', credentials: { ...brevo.credentials } };
    const tool = await product.call(createIntegration, { params: world.params, body: provided }, world.owner);
    const trigger = { event: 'subscribed' as const, list_ids: [] };
    const target = { url: receiver.url };
    const action = { type: 'webhook' as const, name: 'Tell the shop', trigger, target };
    await product.call(createAction, { params: world.params, body: action }, world.owner);
    await choose(world, (await buildCustomer(product, world)).id, true);
    const { results } = await product.call(listDeliveries, { params: world.params, query: {} }, world.owner);
    for (const { id } of results) {
      await deliverNow(product.services, { site_id: world.params.site_id, id, round: 0 });
    }
    const page = await openAs(world);
    await page.goto(`${product.url}/dashboard`);
    await page.getByText('1 change was saved before an action covered it.').waitFor();
    expect(await page.getByText('because no action covers').count()).toBe(0);
    await page.getByRole('link', { name: 'Compare with Brevo' }).click();
    await page.waitForURL(`**/integrations/${tool.id}?tab=comparison`);
  } finally {
    await receiver.close();
  }
});

it('an editor is not asked to connect a tool, but told who does it', async () => {
  const world = await buildWorld(product);
  const editor = await buildMember(product, world, 'editor');
  const page = await openAs({ ...world, owner: editor });
  await page.goto(`${product.url}/dashboard`);
  const step = (title: string) => page.getByRole('listitem').filter({ hasText: title });
  await step('Connect a tool').getByText('Ask an admin or owner to do it for you.').waitFor();
  expect(await page.getByRole('link', { name: 'Connect a tool' }).count()).toBe(0);
  await step('Create an action').getByRole('link', { name: 'Create an action' }).waitFor();
  await page.goto(`${product.url}/integrations`);
  await page.getByText('Once an owner or admin connects the tool').waitFor();
  expect(await page.getByText('Connect the tool that sends').count()).toBe(0);
});

it('a short range does not hide what failed before it', async () => {
  const world = await buildWorld(product);
  await buildWebhook(product, world, { url: 'https://shop.example/hook', list_ids: [world.offers.id] });
  const vera = await buildCustomer(product, world);
  await choose(world, vera.id, true);
  await choose(world, vera.id, false);
  const at = new Date(product.clock.now().getTime() - 20 * 86_400_000);
  await product.testDatabase.owner.query(
    `update deliveries set id = $2, created_at = $3, finished_at = $3, status = 'failed', outcome = 'refused'
     where site_id = $1`,
    [world.params.site_id, newId(at), at],
  );
  const page = await openAs(world);
  await page.goto(`${product.url}/dashboard?range=7d`);
  await page.getByRole('link', { name: '1 older failure' }).click();
  await page.waitForURL('**/deliveries?status=failed');
  await page.getByRole('link', { name: /Unsubscribed from Offers/ }).waitFor();
});

it('a step that is done in another window is ticked when this one gets the focus', async () => {
  const world = await buildWorld(product);
  const page = await openAs(world);
  await page.goto(`${product.url}/dashboard`);
  const step = page.getByRole('listitem').filter({ hasText: 'Create an action' });
  await step.getByText('To do').waitFor();
  await buildWebhook(product, world, { url: 'https://shop.example/hook' });
  const ticksAtFocus = async () => {
    // One that comes while the first reading is still under way waits for that only.
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    return step.getByText('Done').count();
  };
  // Sooner than the dashboard asks again of its own accord.
  await expect.poll(ticksAtFocus, { timeout: 20_000 }).toBe(1);
});

it('a failing webhook is named on the dashboard, with a way to it and an honest rate', async () => {
  const world = await buildWorld(product);
  const receiver = await startWebhookReceiver();
  receiver.answerWith({ status: 500 });
  try {
    const action = await buildWebhook(product, world, { url: receiver.url });
    const vera = await buildCustomer(product, world);
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await product.call(setCustomerLists, { params: { ...world.params, id: vera.id }, body }, world.owner);
    const { results } = await product.call(listDeliveries, { params: world.params, query: {} }, world.owner);
    const id = results[0]?.id ?? '';
    await deliverNow(product.services, { site_id: world.params.site_id, id, round: 0 });

    const page = await openAs(world);
    await page.goto(`${product.url}/dashboard`);
    await page.getByText('“Tell the shop” is failing').waitFor();
    await page.getByRole('link', { name: /^Unsubscribed from Weekly news ?Waiting/ }).waitFor();
    await page.getByRole('link', { name: 'See the action' }).click();
    await page.waitForURL(`**/actions#${action.id}`);
    await page.getByText('0% delivered in 30 days').waitFor();
    await page.getByText('Started failing').waitFor();
    await page.getByRole('link', { name: '1 retrying' }).click();
    await page.getByRole('link', { name: /Unsubscribed from Weekly news/ }).click();
    await page.getByRole('heading', { name: 'Unsubscribed from Weekly news' }).waitFor();
  } finally {
    await receiver.close();
  }
});

it('when the figures cannot be counted, the first steps are still there', async () => {
  const page = await openAs(await buildWorld(product));
  let refuses = true;
  await page.route('**/dashboard?range=*', (route) =>
    route.request().resourceType() === 'document' || !refuses
      ? route.continue()
      : route.fulfill({ status: 400, json: { message: 'No.', data: null, meta: { errors: [] } } }),
  );
  await page.goto(`${product.url}/dashboard`);
  await page.getByRole('alert').waitFor();
  await page.getByRole('heading', { name: 'Get started' }).waitFor();
  // By keyboard, at once: the app asks again without being told to when its window gets the focus.
  await page.getByRole('button', { name: 'Try again' }).focus();
  refuses = false;
  await page.keyboard.press('Enter');
  await page.getByText('No activity yet').waitFor();
});
