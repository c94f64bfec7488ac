import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Customer, getCustomerLists, listCustomers } from '#contract/customers.ts';
import { getList } from '#contract/lists.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let owner: Page;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  browser = await startBrowser();
  owner = await signIn(await browser.open(), world);
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

const phone = (options = {}) => browser.open({ viewport: { width: 360, height: 740 }, ...options });

/** The links in the mails to an address, once there are that many. */
async function mailedLink(email: string, count: number): Promise<string> {
  const find = async () => {
    const { rows } = await product.testDatabase.owner.query<{ plain: string }>(
      `select plain from outbox_emails where recipient = $1 and plain like '%/confirm/%' order by created_at`,
      [email],
    );
    return rows.map(({ plain }) => plain);
  };
  await expect.poll(async () => (await find()).length).toBe(count);
  return /https?:\S+/.exec((await find()).at(-1) ?? '')?.[0] ?? '';
}

async function customerOf(email: string): Promise<Customer | undefined> {
  const call = { params: world.params, query: { search: email } };
  return (await product.call(listCustomers, call, world.owner)).results[0];
}

async function isOnOffers(email: string): Promise<boolean | null | undefined> {
  const customer = await customerOf(email);
  const call = { params: { ...world.params, id: customer?.id ?? '' } };
  const { results } = await product.call(getCustomerLists, call, world.owner);
  return results.find((one) => one.notification_list_id === world.offers.id)?.subscribed;
}

it('an owner turns double opt-in on for a list and states its legal basis', async () => {
  await owner.goto(`${product.url}/create-list/${world.offers.id}`);
  await owner.getByText('Double opt-in', { exact: true }).click();
  await owner.getByRole('button', { name: /Legal basis/ }).click();
  await owner.getByRole('option', { name: 'Consent' }).click();
  await owner.getByRole('button', { name: 'Save' }).click();
  const row = owner.getByRole('row', { name: /Offers/ });
  await row.getByText('Double opt-in').waitFor();
  await row.getByText('Consent').waitFor();
  const call = { params: { ...world.params, id: world.offers.id } };
  const list = await product.call(getList, call, world.owner);
  expect(list).toMatchObject({ double_opt_in: true, legal_basis: 'consent' });
});

it.each([true, false])(
  'someone who signs up is subscribed only by the button in the email (JavaScript: %s)',
  async (hasScripts) => {
    const email = `vera-${hasScripts}@example.com`;
    const visitor = await phone({ javaScriptEnabled: hasScripts });
    const offers = visitor.getByRole('switch', { name: /Offers/ });
    await browser.step('sign up', async () => {
      await visitor.goto(world.page.url);
      await visitor.getByLabel('Email', { exact: true }).fill(email);
      await visitor.getByRole('button', { name: 'Continue' }).click();
      await offers.click();
      await visitor.getByRole('button', { name: 'Save' }).click();
      await visitor.getByText(`Offers: confirm in the email we sent to ${email}.`).waitFor();
      await visitor.getByText('Everything else is saved.').waitFor();
      expect(await visitor.getByText('Nothing changes').count()).toBe(0);
      expect(await offers.isChecked()).toBe(true);
      await visitor.getByText('Not active yet').waitFor();
      await visitor.getByText('One step left: check your inbox.').waitFor();
      expect(await visitor.getByText('Your preferences have been saved').count()).toBe(0);
      expect(await visitor.getByText('You’ll receive').count()).toBe(0);
      expect(await visitor.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    });
    await mailedLink(email, 1);
    await browser.step('send it again', async () => {
      await visitor.getByRole('button', { name: 'Send the email again' }).click();
      await visitor.getByText('We’ve sent the email again.').waitFor();
    });
    const link = await mailedLink(email, 2);
    expect(await isOnOffers(email)).toBeNull();
    await browser.step('the owner sees that it waits', async () => {
      await owner.goto(`${product.url}/customers/${(await customerOf(email))?.id ?? ''}`);
      await owner.getByText('Subscribe to Offers').waitFor();
    });
    const mailbox = await phone({ javaScriptEnabled: hasScripts });
    await browser.step('opening the link confirms nothing, its button does', async () => {
      await mailbox.goto(link);
      await mailbox.getByRole('heading', { name: 'Receive these emails?' }).waitFor();
      expect(await isOnOffers(email)).toBeNull();
      await mailbox.getByRole('button', { name: 'Subscribe', exact: true }).click();
      await mailbox.getByRole('heading', { name: 'You’re subscribed.' }).waitFor();
    });
    expect(await isOnOffers(email)).toBe(true);
    await browser.step('and nothing waits any more', async () => {
      await visitor.goto(`${world.page.url}?email=${email}`);
      await offers.waitFor();
      expect(await offers.isChecked()).toBe(true);
      expect(await visitor.getByText('Not active yet').count()).toBe(0);
    });
  },
);
