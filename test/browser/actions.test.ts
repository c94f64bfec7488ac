import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAction, getAction, listActions, updateAction } from '#contract/actions.ts';
import { listIntegrations } from '#contract/integrations.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn, untilSettled } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { connectOnScreen } from '#test/harness/tool-actions.ts';
import { buildWebhook, buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

let product: TestProduct;
let brevo: BrevoFake;
let browser: TestBrowser;
let world: World;
let page: Page;

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({
    worker: true,
    env: { CONNECTOR_BREVO_URL: brevo.url },
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await brevo.close();
});

beforeEach(async () => {
  world = await buildWorld(product);
  page = await browser.open();
  await signIn(page, world);
  await page.goto(`${product.url}/integrations`);
});

const connect = (provider: string, name: string, fake: FakeTool) =>
  connectOnScreen(product, world, page, { provider, name, fake });

async function choose(label: RegExp, option: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function newAction(): Promise<void> {
  await page.goto(`${product.url}/actions`);
  await page.getByRole('button', { name: 'New action' }).first().click();
}

it('an action is grouped, duplicated, and edited without reverting what somebody else changed', async () => {
  const { step } = browser;
  await connect('brevo', 'Brevo', brevo);
  const [first, second] = brevo.addResources('lists', 2);
  const [{ id: integration_id } = { id: '' }] = (
    await product.call(listIntegrations, { params: world.params }, world.owner)
  ).results;
  const target = { id: first?.id ?? '', name: first?.name ?? '' };
  const trigger = { event: 'unsubscribed' as const, list_ids: [world.weekly.id] };
  const body = {
    type: 'list' as const,
    operation: 'remove',
    name: 'Off Brevo',
    ...{ integration_id, trigger, target },
  };
  const { id } = await product.call(createAction, { params: world.params, body }, world.owner);
  await page.goto(`${product.url}/actions`);

  await step('by tool, or by list, which stays in the URL', async () => {
    await page.getByRole('heading', { name: 'Brevo', exact: true }).waitFor();
    await page.getByRole('radio', { name: 'By list' }).click();
    await page.getByRole('heading', { name: world.weekly.name, exact: true }).waitFor();
    await page.waitForURL('**/actions?by=list');
    expect(await problemsByWindow(page)).toEqual({});
  });

  await step('the sentence of a row opens its action, by mouse and by keyboard', async () => {
    const sentence = page.getByRole('link', { name: /^When a customer unsubscribes from/ });
    const dialog = page.getByRole('dialog', { name: 'Edit action' });
    await sentence.click();
    await dialog.waitFor();
    await page.waitForURL(`**/actions?edit=${id}&by=list`);
    await untilFocusIn(dialog);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.waitForURL('**/actions?by=list');
    await untilFocusIn(sentence);
    await page.keyboard.press('Enter');
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Off Brevo');
    await untilFocusIn(dialog);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  await step('a duplicate begins with the same values, off, and becomes one of its own', async () => {
    await page.getByRole('button', { name: 'More for Off Brevo' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Duplicate action' });
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Off Brevo (copy)');
    await dialog.getByText('The copy is off until you turn it on.').waitFor();
    expect(await dialog.getByRole('switch', { name: 'Active' }).isChecked()).toBe(false);
    await dialog.getByRole('button', { name: 'Create action' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('“Off Brevo (copy)” created. It’s off.').first().waitFor();
    await page.getByText('Off Brevo (copy)', { exact: true }).waitFor();
    const { results } = await product.call(listActions, { params: world.params }, world.owner);
    expect(results).toMatchObject([
      { id, enabled: true },
      { ...body, name: 'Off Brevo (copy)', enabled: false },
    ]);
  });

  await step(
    'what is edited says what becomes of waiting deliveries, and a conflict is not overwritten',
    async () => {
      await page.getByRole('button', { name: 'More for Off Brevo', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit action' });
      const list = dialog.getByRole('combobox', { name: 'List' });
      await list.fill(second?.name ?? '');
      await page.getByRole('option', { name: second?.name ?? '' }).click();
      await dialog.getByText(/Deliveries already waiting use the new settings/).waitFor();
      const params = { ...world.params, id };
      await product.call(updateAction, { params, body: { name: 'Renamed' } }, world.owner);
      await dialog.getByRole('button', { name: 'Save' }).click();
      const load = dialog.getByRole('button', { name: 'Load current version' });
      await page.route('**/actions', (route) => route.abort());
      await load.click();
      await dialog.getByText('We can’t reach the server.').waitFor();
      expect(await list.inputValue()).toBe(second?.name);
      await page.unroute('**/actions');
      await load.click();
      await expect.poll(() => dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Renamed');
      expect(await list.inputValue()).toBe(first?.name);
      await list.fill(second?.name ?? '');
      await page.getByRole('option', { name: second?.name ?? '' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await product.call(getAction, { params }, world.owner)).toMatchObject({
        name: 'Renamed',
        target: { id: second?.id },
      });
    },
  );

  const chooseList = async (dialog: ReturnType<typeof page.getByRole>, name: string) => {
    await dialog.getByRole('combobox', { name: 'List in Brevo' }).fill(name);
    await page.getByRole('option', { name, exact: true }).click();
  };
  const generated = (list: string) => `Brevo · remove from the list: ${list}`;

  await step('a generated name follows the list, and a name of its own does not', async () => {
    const params = { ...world.params, id };
    await product.call(updateAction, { params, body: { name: generated(second?.name ?? '') } }, world.owner);
    await page.goto(`${product.url}/actions?edit=${id}`);
    const dialog = page.getByRole('dialog', { name: 'Edit action' });
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await chooseList(dialog, first?.name ?? '');
    await expect.poll(() => name.inputValue()).toBe(generated(first?.name ?? ''));
    await name.fill('Mine');
    await chooseList(dialog, second?.name ?? '');
    expect(await name.inputValue()).toBe('Mine');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  await step('and that of a duplicate loses “(copy)” with the list that it had', async () => {
    await page.goto(`${product.url}/actions?copy=${id}`);
    const dialog = page.getByRole('dialog', { name: 'Duplicate action' });
    const name = dialog.getByRole('textbox', { name: 'Name' });
    expect(await name.inputValue()).toBe(`${generated(second?.name ?? '')} (copy)`);
    await chooseList(dialog, first?.name ?? '');
    await expect.poll(() => name.inputValue()).toBe(generated(first?.name ?? ''));
    await chooseList(dialog, second?.name ?? '');
    await expect.poll(() => name.inputValue()).toBe(`${generated(second?.name ?? '')} (copy)`);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  await step(
    'another list of the site that takes people from the same list of the tool is warned about',
    async () => {
      const target = { id: second?.id ?? '', name: second?.name ?? '' };
      const trigger = { event: 'unsubscribed' as const, list_ids: [world.offers.id] };
      const rule = { type: 'list' as const, operation: 'remove', integration_id, trigger, target };
      const body = { ...rule, name: 'Offers out' };
      const other = await product.call(createAction, { params: world.params, body }, world.owner);
      await page.goto(`${product.url}/actions`);
      await expect.poll(() => page.getByText('Overlaps with another action').count()).toBe(2);
      expect(await problemsByWindow(page)).toEqual({});
      await page.goto(`${product.url}/actions?edit=${other.id}`);
      const dialog = page.getByRole('dialog', { name: 'Edit action' });
      const warning = dialog.getByText(
        `Another action also changes “${target.name}” in Brevo: ${generated(target.name)}.`,
      );
      await warning.waitFor();
      expect(await problemsByWindow(page)).toEqual({});
      await chooseList(dialog, first?.name ?? '');
      await warning.waitFor({ state: 'detached' });
      await chooseList(dialog, target.name);
      await warning.waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    },
  );
});

it('an action in the other direction follows to another list, and one that is off can be switched on again', async () => {
  const { step } = browser;
  await connect('brevo', 'Brevo', brevo);
  const [first, second] = brevo.addResources('lists', 2).map(({ id, name }) => ({ id, name }));
  const [{ id: integration_id } = { id: '' }] = (
    await product.call(listIntegrations, { params: world.params }, world.owner)
  ).results;
  const actionOf = async (event: 'subscribed' | 'unsubscribed', operation: string, name: string) => {
    const trigger = { event, list_ids: [world.weekly.id] };
    const body = { type: 'list' as const, operation, name, integration_id, trigger, target: first ?? {} };
    return (await product.call(createAction, { params: world.params, body }, world.owner)).id;
  };
  const joins = await actionOf('subscribed', 'add', 'Joins');
  const leaves = await actionOf('unsubscribed', 'remove', `Brevo · remove from the list: ${first?.name}`);
  const read = (id: string) => product.call(getAction, { params: { ...world.params, id } }, world.owner);
  const dialog = page.getByRole('dialog', { name: 'Edit action' });
  const also = dialog.getByRole('checkbox', { name: /^Also change “Brevo/ });
  const chooseList = async (name: string) => {
    await dialog.getByRole('combobox', { name: 'List in Brevo' }).fill(name);
    await page.getByRole('option', { name, exact: true }).click();
  };
  const save = async () => {
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  await step(
    'a new list says who stays on the old one, and changes the other action in the same click',
    async () => {
      await page.goto(`${product.url}/actions?edit=${joins}`);
      await dialog.waitFor();
      expect(await also.count()).toBe(0);
      await chooseList(second?.name ?? '');
      await dialog.getByText(`still removes customers from “${first?.name}”.`).waitFor();
      await dialog.getByText(`Customers already on “${first?.name}” stay there.`).waitFor();
      const compare = dialog.getByRole('link', { name: 'compare with Brevo' });
      expect(await compare.getAttribute('href')).toContain(`/integrations/${integration_id}?tab=comparison`);
      expect(await also.isChecked()).toBe(true);
      expect(await problemsByWindow(page)).toEqual({});
      await save();
      await expect.poll(() => read(joins)).toMatchObject({ target: second });
      await expect
        .poll(() => read(leaves))
        .toMatchObject({ target: second, name: `Brevo · remove from the list: ${second?.name}` });
      await expect.poll(() => page.getByText(/^Customers are added to/).count()).toBe(0);
    },
  );

  await step('unchecked, it stays, and both rows say what no longer fits', async () => {
    await page.goto(`${product.url}/actions?edit=${joins}`);
    await chooseList(first?.name ?? '');
    await dialog.getByText(/^Also change “Brevo/).click();
    expect(await also.isChecked()).toBe(false);
    await save();
    const mismatch = `Customers are added to “${first?.name}”, but removed from “${second?.name}”`;
    await expect.poll(() => page.getByText(mismatch).count()).toBe(2);
    expect(await read(leaves)).toMatchObject({ target: second });
    expect(await problemsByWindow(page)).toEqual({});
  });

  await step('turning one off says what that means, and Undo turns it on again', async () => {
    const row = page.getByRole('switch', { name: 'Joins is on' });
    await page.locator(`[id="${joins}"] label`).last().click();
    await page.getByText('“Joins” is off. Changes made while it’s off are never sent.').first().waitFor();
    await expect.poll(() => read(joins)).toMatchObject({ enabled: false });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('“Joins” is on', { exact: true }).first().waitFor();
    await expect.poll(() => row.isChecked()).toBe(true);
    await expect.poll(() => read(joins)).toMatchObject({ enabled: true });
  });
});

it('the rule is built with only the keyboard, with a list of the tool found by its name', async () => {
  await connect('brevo', 'Brevo', brevo);
  const [, second] = brevo.addResources('lists', 3);
  if (second === undefined) throw new Error('The fake made no list');
  await newAction();
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const dialog = page.getByRole('dialog');
  await untilSettled(dialog);
  await dialog.getByRole('button', { name: /Event/ }).focus();
  await press('Tab', 'Enter');
  await untilFocusIn(page.getByRole('listbox'));
  await press('Enter', 'Escape');
  await untilFocusIn(dialog.getByRole('button', { name: /any list Lists/ }));
  // Where it goes.
  await press('Tab', 'Enter');
  await untilFocusIn(page.getByRole('listbox'));
  await press('End', 'Enter');
  await dialog.getByRole('button', { name: /remove from the list/ }).waitFor();
  await untilFocusIn(dialog.getByRole('button', { name: /in Brevo Receiver/ }));
  await press('Tab', 'Tab');
  const target = dialog.getByRole('combobox', { name: 'List' });
  await target.waitFor();
  await target.focus();
  await page.keyboard.type(second.name.slice(-6));
  await page.getByRole('option', { name: second.name }).waitFor();
  await press('ArrowDown', 'Enter');
  expect(await target.inputValue()).toBe(second.name);
  await dialog.getByRole('textbox', { name: 'Name' }).focus();
  await press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const { results } = await product.call(listActions, { params: world.params }, world.owner);
  expect(results).toMatchObject([
    { type: 'list', operation: 'remove', target: { id: second.id, name: second.name } },
  ]);
  await page.getByText(`remove from the list “${second.name}” in Brevo`).waitFor();
});

it('a webhook and its row say the same, and its secret how it is verified', async () => {
  await newAction();
  const dialog = page.getByRole('dialog', { name: 'New action' });
  await choose(/Receiver/, 'send a webhook to');
  await dialog.getByRole('textbox', { name: 'Webhook URL' }).fill('https://shop.example/hook');
  await dialog.getByRole('button', { name: 'Create action' }).click();
  const link = page.getByRole('link', { name: 'How to verify a webhook' });
  const handbook = await page.request.get(`${product.url}${await link.getAttribute('href')}`);
  expect(await handbook.text()).toContain('id="verify-the-signature"');
  expect(await link.getAttribute('href')).toContain('#verify-the-signature');
  await page.getByRole('button', { name: 'Done' }).click();
  const sentence = 'When a customer unsubscribes from any list, send a webhook to https://shop.example/hook';
  await page.getByRole('link', { name: sentence, exact: true }).waitFor();
});

it('a missing value is reported beside its field, and nothing is created', async () => {
  await connect('brevo', 'Brevo', brevo);
  brevo.addResources('lists', 1);
  await newAction();
  await choose(/Receiver/, 'send a webhook to');
  await page.getByRole('button', { name: 'Create action' }).click();
  await page.getByText('Enter a URL like https://example.com/hooks').waitFor();
  await choose(/Receiver/, 'send the evidence to');
  await page.getByRole('dialog').getByLabel('URL or email').fill('nobody');
  await page.getByRole('button', { name: 'Create action' }).click();
  await page.getByText('Enter a URL like https://example.com/evidence, or an email.').waitFor();
  await choose(/Receiver/, 'in Brevo');
  await page.getByRole('button', { name: 'Create action' }).click();
  await page.getByText('Choose at least one list, or “Any list”.').waitFor();
  await choose(/Lists/, 'Any list');
  await page.getByRole('option', { name: world.weekly.name, exact: true }).click();
  await page.keyboard.press('Escape');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(world.weekly.name) })
    .waitFor();
  await page.getByRole('button', { name: 'Create action' }).click();
  await page.getByText('Choose a list in Brevo.').waitFor();
  // The field has the focus, and covers nothing with its list until it is pressed.
  const target = page.getByRole('combobox', { name: 'List' });
  await untilFocusIn(target);
  expect(await page.getByRole('listbox').count()).toBe(0);
  await target.click();
  await page.getByRole('listbox').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(1);
  const { results } = await product.call(listActions, { params: world.params }, world.owner);
  expect(results).toEqual([]);
});

it('a new action is named by what it does, and a note is about the current choice', async () => {
  await connect('brevo', 'Brevo', brevo);
  brevo.addResources('lists', 1);
  await newAction();
  const name = () => page.getByRole('textbox', { name: 'Name' }).getAttribute('placeholder');
  const note = page.getByText(/doesn’t lift their block/);
  await expect.poll(name).toBe('Brevo · remove from the list');
  expect(await note.count()).toBe(0);
  await choose(/Event/, 'subscribes to');
  await expect.poll(name).toBe('Brevo · add to the list');
  await note.waitFor();
  await choose(/Receiver/, 'send a webhook to');
  await page.getByRole('textbox', { name: 'Webhook URL' }).fill('https://shop.example/hook');
  await expect.poll(name).toBe('Webhook to shop.example · Subscribed to a list');
  await choose(/Event/, 'unsubscribes from');
  await expect.poll(name).toBe('Webhook to shop.example · Unsubscribed from a list');
});

it('the selects of an action appear where the first frame drew their outlines', async () => {
  await page.goto(`${product.url}/actions`);
  const opener = page.getByRole('button', { name: 'New action' }).first();
  const frames = await opener.evaluate(async (button: HTMLElement) => {
    const boxes = () =>
      [...document.querySelectorAll('[role="dialog"] :is(span, button).field-box')].map((box) => {
        const { x, y, width, height } = box.getBoundingClientRect();
        return { tag: box.tagName, text: box.textContent, x, y, width, height };
      });
    // Sees each state of the document, however busy the machine is.
    const first = new Promise<ReturnType<typeof boxes>>((resolve) => {
      const observer = new MutationObserver(() => {
        if (boxes().length === 0) return;
        observer.disconnect();
        resolve(boxes());
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    button.click();
    const outlines = await first;
    while (document.querySelector('[role="dialog"] span.field-box') !== null)
      await new Promise(requestAnimationFrame);
    return { outlines, selects: boxes() };
  });
  expect(frames.outlines.map(({ tag }) => tag)).toEqual(['SPAN', 'SPAN', 'SPAN']);
  expect(frames.selects).toEqual(frames.outlines.map((box) => ({ ...box, tag: 'BUTTON' })));
});

it('a link to an action shows its row and marks it for a moment, also where rows load later', async () => {
  for (let number = 0; number < 12; number += 1) {
    await buildWebhook(product, world, { url: `https://shop.example/${number}` });
  }
  const { id } = await buildWebhook(product, world, { url: 'https://shop.example/last' });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/sites\/[^/]+\/actions$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.setViewportSize({ width: 1300, height: 500 });
  await page.goto(`${product.url}/actions#${id}`);
  await page.getByRole('heading', { level: 1, name: 'Actions' }).waitFor();
  const row = page.locator(`[id="${id}"]`);
  expect(await row.count()).toBe(0);
  release();
  await page.locator(`[id="${id}"][data-sought]`).waitFor();
  const isInView = () =>
    row.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= window.innerHeight;
    });
  await expect.poll(isInView).toBe(true);
  await page.locator(`[id="${id}"]:not([data-sought])`).waitFor();
  // From another screen, with the rows already there.
  await page.getByRole('navigation').getByRole('link', { name: 'Lists' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();
  const isMarked = page.locator(`[id="${id}"][data-sought]`).waitFor();
  await page.getByRole('link', { name: 'Tell the shop' }).last().click();
  await page.waitForURL(`**/actions#${id}`);
  await isMarked;
  await expect.poll(isInView).toBe(true);
});
