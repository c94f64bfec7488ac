import { afterAll, beforeAll, expect, it } from 'vitest';
import { createList, deleteList, getList, listLists } from '#contract/lists.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  await product.call(createList, { params: world.params, body: { name: 'Events' } }, world.owner);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

it('a list has fields for the languages that it is translated into, and others can be added', async () => {
  const page = await signIn(await browser.open(), world);
  await page.goto(`${product.url}/create-list/new`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Jobs');
  expect(await page.getByRole('group').count()).toBe(0);
  await page.getByRole('button', { name: 'Add a language' }).click();
  await page.getByRole('option', { name: 'Deutsch' }).click();
  const german = page.getByRole('group', { name: 'Deutsch' });
  await untilFocusIn(german.getByRole('textbox', { name: 'Name' }));
  await page.keyboard.type('Stellen');
  expect(await problemsByWindow(page)).toEqual({});
  await page.reload();
  await german.waitFor();
  expect(await german.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Stellen');
  await german.getByRole('textbox', { name: 'Name' }).fill('');
  await german.waitFor();
  await german.getByRole('textbox', { name: 'Name' }).fill('Stellen');
  await page.getByRole('button', { name: 'Create list' }).click();
  await page.getByText('Translated into German').waitFor({ state: 'attached' });
  const { results } = await product.call(listLists, { params: world.params }, world.owner);
  const jobs = results.find(({ name }) => name === 'Jobs');
  expect(jobs?.translations).toEqual([{ language: 'de', name: 'Stellen', description: '' }]);
  await product.call(deleteList, { params: { ...world.params, id: jobs?.id ?? '' } }, world.owner);
});

it('a change to a list that breaks the rules of pages is saved only with a reason', async () => {
  const page = await signIn(await browser.open(), world);
  await page.goto(`${product.url}/create-list/${world.weekly.id}`);
  const isOn = page.getByRole('switch', { name: 'On by default' });
  const isConfirmed = page.getByRole('switch', { name: 'Double opt-in' });
  await page.getByText('Turn “On by default” off to use it.').waitFor();
  expect(await isConfirmed.isDisabled()).toBe(true);
  await page.getByText('On by default', { exact: true }).click();
  await page.getByText('Double opt-in', { exact: true }).click();
  await page.getByText('Turn double opt-in off to change this.').waitFor();
  expect(await isOn.isDisabled()).toBe(true);
  await page.getByText('Double opt-in', { exact: true }).click();
  await page.getByText('On by default', { exact: true }).click();

  await page.getByRole('button', { name: /Legal basis/ }).click();
  await page.getByRole('option', { name: 'Consent' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Save despite these problems?' });
  await dialog.getByText('Switched on before a customer chooses: Weekly news.').waitFor();
  await dialog.getByText('Affected pages: Acme').waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  await dialog.getByLabel('Reason').fill('Our lawyer approved it.');
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByText('“Weekly news” saved').waitFor();
  const params = { ...world.params, id: world.weekly.id };
  const list = await product.call(getList, { params }, world.owner);
  expect(list).toMatchObject({ subscription_default_state: true, legal_basis: 'consent' });
  expect(browser.problems.splice(0).filter((problem) => !problem.includes('422'))).toEqual([]);
});
