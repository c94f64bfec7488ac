import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { listCustomers, mintLinks } from '#contract/customers.ts';
import { replacePreferencePage } from '#contract/preference-pages.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let receiver: WebhookReceiver;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  receiver = await startWebhookReceiver();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await receiver.close();
  await product.stop();
});

const withoutScripts = () => browser.open({ javaScriptEnabled: false });

async function statesOf(customerId: string) {
  const { rows } = await product.testDatabase.owner.query<{ list_id: string; subscribed: boolean }>(
    'select list_id, subscribed from subscriptions where customer_id = $1',
    [customerId],
  );
  return new Map(rows.map((row) => [row.list_id, row.subscribed]));
}

it('an address is entered, lists are switched and saved, and the webhook arrives', async () => {
  const { secret } = await buildWebhook(product, world, { url: receiver.url });
  const visitor = await withoutScripts();
  await browser.step('enter an address', async () => {
    await visitor.goto(world.page.url);
    await visitor.getByLabel('Email', { exact: true }).fill('nojs@example.com');
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await visitor.getByRole('switch', { name: /Weekly news/ }).waitFor();
  });
  const weekly = visitor.getByRole('switch', { name: /Weekly news/ });
  const offers = visitor.getByRole('switch', { name: /Offers/ });
  await browser.step('switch and save', async () => {
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([true, false]);
    await weekly.click();
    await offers.click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').waitFor();
    await visitor.getByText('You’ll receive: Offers.').waitFor();
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([false, true]);
  });
  const [webhook] = await receiver.waitFor(1);
  const message = new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers ?? {});
  expect(message).toMatchObject({ type: 'unsubscribed', data: { customer: { email: 'nojs@example.com' } } });

  const query = { search: 'nojs@example.com' };
  const found = await product.call(listCustomers, { params: world.params, query }, world.owner);
  const id = found.results[0]?.id ?? '';
  expect(await statesOf(id)).toEqual(
    new Map([
      [world.weekly.id, false],
      [world.offers.id, true],
    ]),
  );
  const evidence = await product.call(listCustomerEvidence, { params: { ...world.params, id } }, world.owner);
  expect(evidence.results[0]).toMatchObject({
    source: 'page',
    authority: 'open',
    events: ['subscribed', 'unsubscribed'],
  });

  await browser.step('leave everything', async () => {
    await visitor.getByRole('button', { name: 'Unsubscribe from all' }).click();
    await weekly.waitFor();
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([false, false]);
    // Without scripts this button cannot wait for "Save": either it has saved, or "Save" is the next press.
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').waitFor();
    expect(await visitor.getByText('You won’t receive anything from Acme any more.').count()).toBe(1);
  });
  expect([...(await statesOf(id)).values()]).toEqual([false, false]);
});

it('a personal link opens the customer’s choices, and an unsubscribe link unsubscribes with one click', async () => {
  const vera = await buildCustomer(product, world);
  const links = await product.call(
    mintLinks,
    { params: { ...world.params, id: vera.id }, body: { list_id: world.weekly.id } },
    world.owner,
  );
  const visitor = await withoutScripts();
  await browser.step('personal link', async () => {
    await visitor.goto(links.preference_url);
    await visitor.getByText(vera.email).first().waitFor();
    await visitor.getByRole('switch', { name: /Offers/ }).click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').waitFor();
  });
  expect((await statesOf(vera.id)).get(world.offers.id)).toBe(true);

  await browser.step('leave link', async () => {
    await visitor.goto(links.one_click_url);
    expect((await statesOf(vera.id)).get(world.weekly.id)).not.toBe(false);
    await visitor.getByRole('button', { name: 'Unsubscribe' }).click();
    await visitor.getByText('You won’t receive Weekly news anymore.').waitFor();
  });
  expect((await statesOf(vera.id)).get(world.weekly.id)).toBe(false);
});

it('a mistyped address is reported beside the field, and nothing is stored', async () => {
  const visitor = await withoutScripts();
  await browser.step('mistyped', async () => {
    await visitor.goto(world.page.url);
    const field = visitor.getByLabel('Email', { exact: true });
    await field.evaluate((input) => input.closest('form')?.setAttribute('novalidate', ''));
    await field.fill('nobody@');
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await visitor.getByRole('alert').waitFor();
  });
});

it('the address is changed, and an invalid new one is reported beside it', async () => {
  const vera = await buildCustomer(product, world);
  const taken = await buildCustomer(product, world);
  const visitor = await withoutScripts();
  const wish = async (address: string) => {
    const field = visitor.getByLabel('New email');
    if (!(await field.isVisible())) await visitor.locator('summary', { hasText: 'Change' }).click();
    await field.evaluate((input) => input.closest('form')?.setAttribute('novalidate', ''));
    await field.fill(address);
    await visitor.getByRole('button', { name: 'Update' }).click();
  };
  await browser.step('wrong wishes', async () => {
    await visitor.goto(`${world.page.url}?email=${vera.email}`);
    for (const [address, answer] of [
      ['', "This field can't be empty"],
      [vera.email, 'Please enter a new email'],
      ['nobody', 'Invalid email'],
      [taken.email, 'Another customer in the list already exists with the new email'],
    ] as const) {
      await wish(address);
      await visitor.getByText(answer).waitFor();
      expect(await visitor.getByLabel('New email').inputValue()).toBe(address);
    }
  });
  await browser.step('changed', async () => {
    await wish(`new-${vera.email}`);
    await visitor.getByText('Email updated!').waitFor();
    await visitor.getByText(`new-${vera.email}`).first().waitFor();
  });
});

it('a link that leaves a list asks for one click, and is undone with another', async () => {
  const vera = await buildCustomer(product, world);
  const visitor = await withoutScripts();
  await browser.step('asked', async () => {
    await visitor.goto(`${world.page.url}?email=${vera.email}&state=unsubscribe&listId=${world.weekly.id}`);
    expect((await statesOf(vera.id)).get(world.weekly.id)).not.toBe(false);
    await visitor.getByRole('button', { name: 'Confirm' }).click();
    await visitor.getByText('You’re unsubscribed from Weekly news.').waitFor();
  });
  expect((await statesOf(vera.id)).get(world.weekly.id)).toBe(false);
  await browser.step('taken back', async () => {
    await visitor.getByRole('button', { name: 'Undo' }).click();
    await visitor.getByText('Your preferences are back to how they were.').waitFor();
    expect(await visitor.getByRole('switch', { name: /Weekly news/ }).isChecked()).toBe(true);
  });
});

it('the language is changed on every step; person, link and unsaved switches stay', async () => {
  const { id, version: _, ...page } = world.page;
  const body = {
    ...page,
    active_languages: ['de' as const, 'fr' as const],
    override: { reason: 'Only the words of the page are looked at.' },
  };
  await product.call(replacePreferencePage, { params: { ...world.params, id }, body }, world.owner);
  const visitor = await withoutScripts();
  const pick = async (name: string) => {
    await visitor.locator('.pp-languages summary').click();
    await visitor.locator('.pp-languages').getByText(name, { exact: true }).click();
    await visitor.locator('.pp-languages summary').getByText(name, { exact: true }).waitFor();
  };
  const weekly = visitor.getByRole('switch', { name: /Weekly news/ });
  await browser.step('on the form', async () => {
    await visitor.goto(page.url);
    await pick('Deutsch');
    await visitor.getByLabel('E-Mail-Adresse').fill('ohne-skript@example.com');
    await visitor.getByRole('button', { name: 'Weiter' }).click();
    await visitor.getByText('Was möchten Sie erhalten?').waitFor();
  });
  await browser.step('on the switches', async () => {
    await weekly.click();
    await pick('Français');
    expect(await weekly.isChecked()).toBe(false);
    await visitor.getByText('ohne-skript@example.com').first().waitFor();
    await visitor.getByRole('button', { name: 'Enregistrer' }).click();
    await visitor.getByText('Vos préférences ont été enregistrées').waitFor();
    expect(await weekly.isChecked()).toBe(false);
  });
  const vera = await buildCustomer(product, world);
  await browser.step('with a link that still asks', async () => {
    await visitor.goto(`${page.url}?email=${vera.email}&state=unsubscribe&listId=${world.weekly.id}`);
    await pick('Deutsch');
    await visitor.getByRole('button', { name: 'Bestätigen' }).click();
    await visitor.getByText('Sie haben „Weekly news“ abbestellt.').waitFor();
  });
  await browser.step('on the landing of a link', async () => {
    const links = { params: { ...world.params, id: vera.id }, body: {} };
    const { one_click_url } = await product.call(mintLinks, links, world.owner);
    await visitor.goto(one_click_url);
    await pick('Français');
    await visitor.getByRole('button', { name: 'Me désabonner' }).click();
    await visitor.getByText('Vous ne recevrez plus aucun e-mail de notre part.').waitFor();
  });
});
