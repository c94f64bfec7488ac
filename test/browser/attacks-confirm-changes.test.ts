import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Customer, getCustomer, getCustomerLists } from '#contract/customers.ts';
import { createPreferencePage, getPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let browser: TestBrowser;
let confirmed: PreferencePage;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  confirmed = await product.call(
    createPreferencePage,
    {
      params: world.params,
      body: {
        name: 'Acme',
        custom_path: 'confirmed',
        attrs: { confirm_changes: true },
        lists: [{ id: world.weekly.id }, { id: world.offers.id }],
      },
    },
    world.owner,
  );
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

const phone = (options = {}) => browser.open({ viewport: { width: 360, height: 740 }, ...options });

/** The link in the only mail to an address whose link leads there. */
async function mailedLink(email: string, path: string): Promise<string> {
  const find = async () => {
    const { rows } = await product.testDatabase.owner.query<{ plain: string }>(
      'select plain from outbox_emails where recipient = $1 and plain like $2',
      [email, `%/${path}/%`],
    );
    return rows.map(({ plain }) => plain);
  };
  await expect.poll(async () => (await find()).length).toBe(1);
  return /https?:\S+/.exec((await find())[0] ?? '')?.[0] ?? '';
}

async function isOnWeekly({ id }: Customer): Promise<boolean | null | undefined> {
  const call = { params: { ...world.params, id } };
  const { results } = await product.call(getCustomerLists, call, world.owner);
  return results.find((one) => one.notification_list_id === world.weekly.id)?.subscribed;
}

/** Somebody who left the weekly news in an earlier visit. */
async function whoLeftWeekly(): Promise<Customer> {
  const vera = await buildCustomer(product, world);
  const customerId = await openAsProven(product, world, vera);
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await product.call(saveLists, { params: { customerId }, body }, world.visitor);
  return vera;
}

async function typeAddress(visitor: Page, email: string): Promise<void> {
  await visitor.goto(confirmed.url);
  await visitor.getByLabel('Email', { exact: true }).fill(email);
  await visitor.getByRole('button', { name: 'Continue' }).click();
  await visitor.getByRole('switch', { name: /Weekly news/ }).waitFor();
}

async function expectNothingWider(visitor: Page): Promise<void> {
  const width = await visitor.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
}

it.each([true, false])(
  'resubscribing to what was left waits for a click in an email (JavaScript: %s)',
  async (hasScripts) => {
    const vera = await whoLeftWeekly();
    const visitor = await phone({ javaScriptEnabled: hasScripts });
    const weekly = visitor.getByRole('switch', { name: /Weekly news/ });
    const waits = visitor.getByText(`confirm in the email we sent to ${vera.email}`);
    await browser.step('switch on and save', async () => {
      await typeAddress(visitor, vera.email);
      await weekly.click();
      await visitor.getByRole('button', { name: 'Save' }).click();
      await waits.waitFor();
      await visitor.getByText('One step left: check your inbox.').waitFor();
      expect(await visitor.getByText('Your preferences have been saved').count()).toBe(0);
      expect(await visitor.getByText('You’ll receive').count()).toBe(0);
      expect(await visitor.getByText('Saved!').count()).toBe(0);
      expect(await weekly.isChecked()).toBe(false);
      await expectNothingWider(visitor);
    });
    await browser.step('still said after opening the page again', async () => {
      await visitor.goto(`${confirmed.url}?email=${vera.email}`);
      await waits.waitFor();
    });
    expect(await isOnWeekly(vera)).toBe(false);
    const mailbox = await phone({ javaScriptEnabled: hasScripts });
    await browser.step('the link asks, and its button confirms', async () => {
      await mailbox.goto(await mailedLink(vera.email, 'confirm'));
      await mailbox.getByRole('heading', { name: 'Receive these emails?' }).waitFor();
      expect(await isOnWeekly(vera)).toBe(false);
      await expectNothingWider(mailbox);
      await mailbox.getByRole('button', { name: 'Subscribe', exact: true }).click();
      await mailbox.getByRole('heading', { name: 'You’re subscribed.' }).waitFor();
    });
    expect(await isOnWeekly(vera)).toBe(true);
    await browser.step('the page shows it, and nothing waits any more', async () => {
      await visitor.goto(`${confirmed.url}?email=${vera.email}`);
      await weekly.waitFor();
      expect(await weekly.isChecked()).toBe(true);
      expect(await waits.count()).toBe(0);
    });
    await browser.step('the notice takes it back', async () => {
      await mailbox.goto(await mailedLink(vera.email, 'resubscribed'));
      await mailbox.getByRole('button', { name: 'Unsubscribe' }).click();
      await mailbox.getByRole('heading', { name: 'You’re unsubscribed again.' }).waitFor();
    });
    expect(await isOnWeekly(vera)).toBe(false);
  },
);

it('a new address waits for its own mailbox, and the page says so in the dialog and after it', async () => {
  const vera = await buildCustomer(product, world);
  const email = vera.email.replace('vera', 'new');
  const emailOf = async () =>
    (await product.call(getCustomer, { params: { ...world.params, id: vera.id } }, world.owner)).email;
  const visitor = await phone();
  await typeAddress(visitor, vera.email);
  await visitor.getByRole('button', { name: 'Change email' }).click();
  await visitor.getByLabel('New email').fill(email);
  await visitor.getByRole('button', { name: 'Update' }).click();
  await visitor.getByText('One step left: check your inbox.').waitFor();
  await visitor.getByText('Check the inbox of your new email').waitFor();
  await visitor.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await visitor.getByText('Email updated!').count()).toBe(0);
  expect(await visitor.locator('.pp-email').textContent()).toContain(vera.email);
  expect(await emailOf()).toBe(vera.email);
  const mailbox = await phone();
  await mailbox.goto(await mailedLink(email, 'confirm'));
  await mailbox.getByRole('button', { name: 'Use this email' }).click();
  await mailbox.getByRole('heading', { name: /^Your email is now/ }).waitFor();
  expect(await emailOf()).toBe(email);
});

it('a state= link with just an address is held, and Undo of what was just left needs no email', async () => {
  const vera = await whoLeftWeekly();
  const visitor = await phone();
  await browser.step('the link', async () => {
    const query = `email=${vera.email}&state=subscribe&listId=${world.weekly.id}`;
    await visitor.goto(`${confirmed.url}?${query}`);
    await visitor.getByText('One step left: check your inbox.').waitFor();
    expect(await visitor.getByText('You’re subscribed to').count()).toBe(0);
  });
  expect(await isOnWeekly(vera)).toBe(false);
  const ben = await buildCustomer(product, world);
  await browser.step('leave, and undo', async () => {
    await visitor.goto(`${confirmed.url}?email=${ben.email}`);
    await visitor.getByRole('switch', { name: /Weekly news/ }).click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('You won’t receive any of these emails.').waitFor();
    await visitor.getByRole('button', { name: 'Undo' }).click();
    await visitor.getByText('Your preferences are back to how they were.').waitFor();
  });
  expect(await isOnWeekly(ben)).toBe(true);
});

it('a new page asks whether to confirm changes, and pending changes are shown with the customer', async () => {
  const vera = await whoLeftWeekly();
  const visitor = await phone();
  await typeAddress(visitor, vera.email);
  await visitor.getByRole('switch', { name: /Weekly news/ }).click();
  await visitor.getByRole('button', { name: 'Save' }).click();
  await visitor.getByText('Check your inbox').first().waitFor();
  const owner = await signIn(await browser.open(), world);
  await browser.step('the customer', async () => {
    await owner.goto(`${product.url}/customers/${vera.id}`);
    await owner.getByRole('heading', { name: 'Pending confirmation' }).waitFor();
    await owner.getByText('Resubscribe to Weekly news').waitFor();
  });
  await browser.step('a new page', async () => {
    await owner.goto(`${product.url}/create-preference-page/${world.site.id}`);
    const question = owner.getByRole('radiogroup', { name: 'Confirm changes to existing customers?' });
    await question.waitFor();
    expect(await question.getByRole('radio', { checked: true }).count()).toBe(0);
    await owner.getByLabel('Name', { exact: true }).fill('Second page');
    await owner.getByText('Existing customers only').click();
    // This server sends no email: there it isn't recommended.
    await question.getByText('Confirm changes by email', { exact: true }).click();
    await owner.getByRole('button', { name: 'Create page' }).click();
    await owner.getByRole('alertdialog').getByRole('button', { name: 'Create page' }).click();
    await owner.waitForURL('**/edit-preference-page/**');
    const id = new URL(owner.url()).pathname.split('/').at(-1) ?? '';
    const call = { params: { ...world.params, id } };
    const { attrs } = await product.call(getPreferencePage, call, world.owner);
    expect(attrs.confirm_changes).toBe(true);
  });
});
