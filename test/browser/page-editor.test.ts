import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logIn } from '#contract/accounts.ts';
import { createList } from '#contract/lists.ts';
import { getPageDraft } from '#contract/page-drafts.ts';
import { createPreferencePage, type PreferencePage, TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { tabTo, untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, buildWorld, type Owner, PASSWORD, type World } from '#test/harness/world.ts';

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

/** Each window logs in for itself: they would take each other's session for stolen. */
async function openEditor(of: PreferencePage, as: Owner = world.owner): Promise<Page> {
  const page = await browser.open({ viewport: { width: 1280, height: 900 } });
  const body = { username: as.email, password: PASSWORD };
  const tokens = await product.call(logIn, { body });
  const auth = {
    id: as.id,
    organization: world.params.organization_id,
    token: tokens.access_token,
    refresh: tokens.refresh_token,
  };
  await page.addInitScript((entry) => {
    if (localStorage.getItem('auth') !== null) return;
    localStorage.setItem('auth', entry);
    localStorage.setItem('auth_token_since', String(Date.now()));
  }, JSON.stringify(auth));
  await page.goto(`${product.url}/edit-preference-page/${world.site.id}/${of.id}`);
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  return page;
}

const draftOf = async ({ id }: PreferencePage) =>
  (await product.call(getPageDraft, { params: { ...world.params, id } }, world.owner)).draft;

const published = (path: string) =>
  product.call(getPublicPage, { params: { custom_path: path } }, world.visitor);

it('a list is added and moved, a text changed, undone, done again and published, by keyboard alone', async () => {
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

it('two people: the second sees whose draft it is, and nothing is overwritten unseen', async () => {
  const { step } = browser;
  const edited = await makePage('two');
  const mine = await openEditor(edited);
  const name = (page: Page) => page.getByLabel('Name', { exact: true });

  await step('the first types', async () => {
    await name(mine).fill('From Nora');
    await mine.getByText(/Draft saved/).waitFor();
  });
  const theirs = await openEditor(edited, colleague);
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

it('what cannot be saved is kept in the browser, over a reload, and saved when the connection is back', async () => {
  const edited = await makePage('offline');
  const page = await openEditor(edited);
  await page.route('**/draft', (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  );
  await page.getByLabel('Name', { exact: true }).fill('Typed without a connection');
  await page.getByText('Not saved: no connection.').waitFor();
  await page.reload();
  await page.getByText('These are your unsaved changes from last time.').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed without a connection');
  await page.unroute('**/draft');
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect
    .poll(async () => (await draftOf(edited))?.content.name, SOON)
    .toBe('Typed without a connection');
  await page.getByText(/Draft saved/).waitFor();
  // Refused calls are what this is about.
  browser.problems.length = 0;
});

it('what was saved without an answer is one’s own work, not somebody else’s', async () => {
  const edited = await makePage('unanswered');
  const page = await openEditor(edited);
  await page.route('**/draft', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    await route.fetch();
    return route.abort();
  });
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('It arrived');
  await page.getByText('Not saved: no connection.').waitFor();
  expect((await draftOf(edited))?.content.name).toBe('It arrived');
  await name.fill('It arrived, and this did not');
  await page.reload();
  await page.getByText('These are your unsaved changes from last time.').waitFor();
  expect(await page.getByRole('alertdialog').count()).toBe(0);
  await page.unroute('**/draft');
  await page.getByText(/Draft saved/).waitFor();
  expect((await draftOf(edited))?.content.name).toBe('It arrived, and this did not');
  browser.problems.length = 0;
});

it.each(TEMPLATE_IDS)('the preview of %s is the published page, to the pixel', async (template_id) => {
  const edited = await makePage(`pixels-${template_id === TEMPLATE_IDS[0] ? 'calm' : 'stacked'}`, {
    attrs: { template_id, offer_pause: true, primary_color: '#b4481e' },
    active_languages: ['de'],
  });
  const size = { width: 375, height: 667 };
  const visitor = await browser.open({ viewport: size });
  await visitor.goto(`${edited.url}?email=nora@example.com`);
  await visitor.getByRole('switch').first().waitFor();
  await visitor.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    window.scrollTo(0, 0);
  });
  const owner = await openEditor(edited);
  const frame = owner.locator('iframe[title="Page preview"]');
  await frame.contentFrame().getByRole('switch').first().waitFor();
  expect(await frame.boundingBox()).toMatchObject(size);
  const real = await pixelsOf(visitor);
  const farthestApart = async () => {
    const drawn = await pixelsOf(frame);
    return drawn.length === real.length
      ? drawn.reduce((most, value, at) => Math.max(most, Math.abs(value - (real[at] ?? 0))), 0)
      : Number.POSITIVE_INFINITY;
  };
  // Chromium rounds the edge of a curve by the place of its tile: one of 255 levels, which nobody sees.
  await expect.poll(farthestApart, SOON).toBeLessThanOrEqual(1);
});

/** Three values to a pixel. */
async function pixelsOf(shown: Page | Locator): Promise<Buffer> {
  return sharp(await shown.screenshot({ animations: 'disabled' }))
    .removeAlpha()
    .raw()
    .toBuffer();
}

it('the preview follows every keystroke, with little work', async () => {
  const page = await openEditor(await makePage('quick'));
  const field = page.getByLabel('Name', { exact: true });
  const shown = page.frameLocator('iframe[title="Page preview"]').locator('.pp-subtitle');
  await field.fill('');
  // The work of the page's own thread: how busy the machine is besides makes no difference.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const workOf = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const works: number[] = [];
  for (let typed = 1; typed <= 10; typed += 1) {
    const before = await workOf();
    await page.keyboard.press('x');
    await expect.poll(() => shown.textContent(), SOON).toContain('x'.repeat(typed));
    works.push((await workOf()) - before);
  }
  const median = works.toSorted((a, b) => a - b)[5] ?? Number.NaN;
  // The questions of this test cost some of it.
  expect(median).toBeLessThan(100);
});
