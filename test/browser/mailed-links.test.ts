import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Customer, getCustomer, mintLinks } from '#contract/customers.ts';
import { createPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let browser: TestBrowser;
let proof: PreferencePage;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  proof = await product.call(
    createPreferencePage,
    {
      params: world.params,
      body: {
        name: 'Acme',
        custom_path: 'proof',
        attrs: { enhanced_security: true },
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

beforeEach(async () => {
  vera = await buildCustomer(product, world);
});

const phone = (options = {}) => browser.open({ viewport: { width: 360, height: 740 }, ...options });

async function mailsTo(email: string): Promise<string[]> {
  const { rows } = await product.testDatabase.owner.query<{ plain: string }>(
    'select plain from outbox_emails where recipient = $1 order by created_at',
    [email],
  );
  return rows.map(({ plain }) => plain);
}

/** The link in the last of so many mails to an address. */
async function mailedLink(email: string, count = 1): Promise<string> {
  await expect.poll(async () => (await mailsTo(email)).length).toBe(count);
  return /https?:\S+/.exec((await mailsTo(email)).at(-1) ?? '')?.[0] ?? '';
}

async function preferenceUrlOf({ id }: Customer): Promise<string> {
  const call = { params: { ...world.params, id }, body: {} };
  return (await product.call(mintLinks, call, world.owner)).preference_url;
}

async function expectNothingWider(visitor: Page): Promise<void> {
  const width = await visitor.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
}

it.each([true, false])(
  'a page that asks for proof emails the way in (JavaScript: %s)',
  async (hasScripts) => {
    const visitor = await phone({ javaScriptEnabled: hasScripts });
    await browser.step('a linked address fills the form in, and mails nothing on its own', async () => {
      await visitor.goto(`${proof.url}?email=${vera.email}`);
      const button = visitor.getByRole('button', { name: 'Email me my link' });
      await button.waitFor();
      expect(await visitor.getByLabel('Email', { exact: true }).inputValue()).toBe(vera.email);
      await expectNothingWider(visitor);
      // As long as a script that looks people up on its own would need.
      if (hasScripts) await visitor.waitForFunction(() => performance.now() > 2500);
      expect(await button.isVisible()).toBe(true);
      expect(await mailsTo(vera.email)).toEqual([]);
      await button.click();
    });
    await browser.step('it says the same to everybody, and the mail has the link', async () => {
      await visitor.getByRole('heading', { level: 1, name: 'Check your inbox' }).waitFor();
      expect(await visitor.locator('body').textContent()).not.toContain('v•••');
      await expectNothingWider(visitor);
      await visitor.goto(await mailedLink(vera.email));
      await visitor.getByText(vera.email).first().waitFor();
      await visitor.getByRole('switch', { name: /Offers/ }).click();
      await visitor.getByRole('button', { name: 'Save' }).click();
      await visitor.getByText('Your preferences have been saved').first().waitFor();
    });
    await browser.step('an unknown address hears the same', async () => {
      const stranger = await phone({ javaScriptEnabled: hasScripts });
      await stranger.goto(`${proof.url}?email=stranger@example.com`);
      await stranger.getByRole('button', { name: 'Email me my link' }).click();
      await stranger.getByRole('heading', { level: 1, name: 'Check your inbox' }).waitFor();
      expect(await mailsTo('stranger@example.com')).toEqual([]);
    });
  },
);

it('a page that asks for proof remembers the person by the link, fills in a stored address, and knows nobody else', async () => {
  const visitor = await phone();
  await browser.step('a stored address only fills in the form', async () => {
    await visitor.goto(world.page.url);
    await visitor.getByLabel('Email', { exact: true }).fill(vera.email);
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await visitor.getByRole('switch', { name: /Offers/ }).waitFor();
    await visitor.goto(proof.url);
    await visitor.getByRole('button', { name: 'Email me my link' }).waitFor();
    expect(await visitor.getByLabel('Email', { exact: true }).inputValue()).toBe(vera.email);
    expect(await mailsTo(vera.email)).toEqual([]);
  });
  await browser.step('a stored link opens it', async () => {
    await visitor.getByRole('button', { name: 'Email me my link' }).click();
    await visitor.goto(await mailedLink(vera.email));
    await visitor.getByRole('switch', { name: /Offers/ }).waitFor();
    await visitor.goto(proof.url);
    await visitor.getByRole('switch', { name: /Offers/ }).waitFor();
  });
  await browser.step('nobody known leads to /404', async () => {
    const nobody = await phone();
    await nobody.goto(proof.url);
    await nobody.waitForURL('**/404');
  });
});

it('the old address gets an email about a change, and reverts it', async () => {
  const visitor = await phone();
  const newEmail = `new-${vera.email}`;
  await browser.step('change the address', async () => {
    await visitor.goto(await preferenceUrlOf(vera));
    await visitor.getByRole('button', { name: 'Change email' }).click();
    await visitor.getByLabel('New email').fill(newEmail);
    await visitor.getByRole('button', { name: 'Update' }).click();
    await visitor.getByRole('dialog').waitFor({ state: 'hidden' });
    await visitor.getByText(newEmail).first().waitFor();
  });
  const emailNow = async () =>
    (await product.call(getCustomer, { params: { ...world.params, id: vera.id } }, world.owner)).email;
  await browser.step('undo it from the old mailbox', async () => {
    const mailbox = await phone({ javaScriptEnabled: false });
    await mailbox.goto(await mailedLink(vera.email));
    await mailbox.getByRole('heading', { level: 1, name: 'Change back to your previous email?' }).waitFor();
    await expectNothingWider(mailbox);
    expect(await emailNow()).toBe(newEmail);
    await mailbox.getByRole('button', { name: 'Change it back' }).click();
    await mailbox.getByRole('heading', { level: 1, name: /^Your email is v•••@example.com again/ }).waitFor();
    expect(await emailNow()).toBe(vera.email);
  });
});

it('a person gets their data as a file, and is erased, each by a link and a button', async () => {
  const visitor = await phone();
  await browser.step('ask for the data', async () => {
    await visitor.goto(await preferenceUrlOf(vera));
    await visitor.getByText('Your data', { exact: true }).click();
    await visitor.getByRole('button', { name: 'Send me my data' }).click();
    await visitor.getByText('sent an email to v•••@example.com').waitFor();
    await expectNothingWider(visitor);
  });
  await browser.step('get the file', async () => {
    await visitor.goto(await mailedLink(vera.email));
    const download = visitor.waitForEvent('download');
    await visitor.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('personal-data.json');
  });
  await browser.step('ask to be erased, and confirm', async () => {
    await visitor.goto(await preferenceUrlOf(vera));
    await visitor.getByText('Your data', { exact: true }).click();
    await visitor.getByRole('button', { name: 'Erase my data' }).click();
    await visitor.getByText('sent an email to v•••@example.com').waitFor();
    const link = await mailedLink(vera.email, 2);
    await visitor.goto(link);
    await visitor.getByRole('button', { name: 'Erase my data' }).click();
    await visitor.getByRole('heading', { level: 1, name: 'We’re erasing your data.' }).waitFor();
    await visitor.goto(link);
    await visitor.getByRole('heading', { level: 1, name: 'This link no longer works' }).waitFor();
  });
});
