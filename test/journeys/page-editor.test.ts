import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createList } from '#contract/lists.ts';
import { getPageDraft } from '#contract/page-drafts.ts';
import { createPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { openEditor as openEditorWindow } from '#test/harness/editor-windows.ts';
import { tabTo, untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, buildWorld, type Owner, type World } from '#test/harness/world.ts';

/** However busy the machine is. */
const SOON = { timeout: 20_000 };

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let colleague: Owner;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  colleague = await buildOwner(product, 'colleague');
  const members = [world.params.organization_id, colleague.id];
  await product.testDatabase.owner.query(`insert into members values ($1, $2, 'owner', now())`, members);
  await product.testDatabase.owner.query(`update users set organization_id = $1 where id = $2`, members);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

async function makePage(path: string, more: object = {}): Promise<PreferencePage> {
  const lists = [{ id: world.weekly.id }, { id: world.offers.id }];
  const body = { name: 'Acme', custom_path: path, allow_customer_create: true, lists, ...more };
  return product.call(createPreferencePage, { params: world.params, body }, world.owner);
}

const openEditor = (of: PreferencePage, options: Parameters<typeof openEditorWindow>[2] = {}) =>
  openEditorWindow({ product, browser, world }, of, options);

const draftOf = async ({ id }: PreferencePage) =>
  (await product.call(getPageDraft, { params: { ...world.params, id } }, world.owner)).draft;

const published = (path: string) =>
  product.call(getPublicPage, { params: { custom_path: path } }, world.visitor);

it('a list is added and moved, a text changed, undone, redone and published, with only the keyboard', async () => {
  const { step } = browser;
  await product.call(createList, { params: world.params, body: { name: 'Events' } }, world.owner);
  const edited = await makePage('keyboard');
  const page = await openEditor(edited);
  const { keyboard } = page;
  const rows = page.getByRole('grid', { name: 'Lists' }).getByRole('row');

  await step('add a list', async () => {
    await tabTo(page, /^Add list$/);
    await keyboard.press('Enter');
    await untilFocusIn(page.getByRole('menuitem', { name: 'Events' }));
    await keyboard.press('Enter');
    await expect.poll(() => rows.count(), SOON).toBe(3);
    await untilFocusIn(page.getByRole('button', { name: 'Add list' }));
  });

  await step('move it to the top', async () => {
    await tabTo(page, /Weekly news/);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await keyboard.press(key);
    await untilFocusIn(rows.nth(2).getByRole('button', { name: 'More for Events' }));
    await keyboard.press('Enter');
    await untilFocusIn(page.getByRole('menu'));
    await keyboard.type('Move up');
    await keyboard.press('Enter');
    await expect.poll(() => rows.nth(1).textContent(), SOON).toContain('Events');
  });

  await step('change a text, undo it and do it again', async () => {
    await tabTo(page, /^Heading$/);
    await keyboard.type('Choose your mail');
    const heading = page.getByLabel('Heading', { exact: true });
    // However fast it was typed: a pause makes it more than one step.
    let undone = 0;
    while ((await heading.inputValue()) !== '') {
      await keyboard.press('Control+z');
      undone += 1;
      expect(undone).toBeLessThan(20);
    }
    await keyboard.press('Control+z');
    await expect.poll(() => rows.nth(2).textContent(), SOON).toContain('Events');
    await keyboard.press('Control+Shift+z');
    await expect.poll(() => rows.nth(1).textContent(), SOON).toContain('Events');
    for (; undone > 0; undone -= 1) await keyboard.press('Control+y');
    await expect.poll(() => heading.inputValue(), SOON).toBe('Choose your mail');
    await page.getByText(/Draft saved .+ · not published/).waitFor();
  });

  await step('publish', async () => {
    expect((await published('keyboard')).lists).toHaveLength(2);
    await tabTo(page, /^Publish$/);
    await keyboard.press('Enter');
    await page.getByText('Page published').waitFor();
    await page.getByText('All changes published').waitFor();
    const shown = await published('keyboard');
    expect(shown.attrs.tag_subject).toBe('Choose your mail');
    expect(shown.lists.map(({ name }) => name)).toEqual(['Weekly news', 'Events', 'Offers']);
    expect(await draftOf(edited)).toBeNull();
  });

  await step('bring the first version back as a draft', async () => {
    await page.getByRole('button', { name: 'History' }).click();
    const first = page.getByRole('listitem').filter({ hasText: 'Version 1' });
    await first.getByRole('button', { name: /View/ }).click();
    await page.frameLocator('iframe[title="Version 1"]').getByRole('switch').first().waitFor();
    await first.getByRole('button', { name: /Restore/ }).click();
    await expect.poll(() => rows.count(), SOON).toBe(2);
    await expect.poll(async () => (await draftOf(edited))?.content.lists.length, SOON).toBe(2);
    expect((await published('keyboard')).lists).toHaveLength(3);
  });
  expect(browser.problems).toEqual([]);
});

it('two people edit: the second sees whose draft it is, and nothing is overwritten unseen', async () => {
  const { step } = browser;
  const edited = await makePage('two');
  const mine = await openEditor(edited);
  const name = (page: Page) => page.getByLabel('Name', { exact: true });

  await step('the first types', async () => {
    await name(mine).fill('From Nora');
    await mine.getByText(/Draft saved/).waitFor();
  });
  const theirs = await openEditor(edited, { as: colleague });
  await step('the second goes on with it', async () => {
    await theirs.getByText(`the draft that ${world.owner.username} saved`).waitFor();
    expect(await name(theirs).inputValue()).toBe('From Nora');
    await name(theirs).fill('From the colleague');
    await expect.poll(async () => (await draftOf(edited))?.content.name, SOON).toBe('From the colleague');
  });
  await step('the first is told, and looks at theirs', async () => {
    await name(mine).fill('From Nora again');
    const dialog = mine.getByRole('alertdialog');
    await dialog.getByText(`${colleague.username} saved a draft`).waitFor();
    expect((await draftOf(edited))?.content.name).toBe('From the colleague');
    await dialog.getByRole('button', { name: 'Load theirs' }).click();
    await expect.poll(() => name(mine).inputValue(), SOON).toBe('From the colleague');
  });
  const badge = theirs.getByRole('listitem').filter({ hasText: 'two' }).getByText('Unpublished draft');
  await step('the second sees among the pages that it is not published', async () => {
    await theirs.getByRole('link', { name: 'All preference pages' }).click();
    await badge.waitFor();
  });
  await step('the first discards it, and takes that back', async () => {
    await mine.getByRole('button', { name: 'More', exact: true }).click();
    await mine.getByRole('menuitem', { name: 'Discard draft' }).click();
    await expect.poll(() => draftOf(edited), SOON).toBeNull();
    await mine.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await draftOf(edited))?.content.name, SOON).toBe('From the colleague');
  });
  await theirs.close();
});
