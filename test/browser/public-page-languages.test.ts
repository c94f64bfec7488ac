import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { listCustomers, mintLinks } from '#contract/customers.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { createPreferencePage, type PreferencePage, TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { LANGUAGE_NAMES } from '#web/page/languages.ts';
import { textsOf } from '#web/page/locales.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilIdle } from '#test/harness/idle.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let browser: TestBrowser;
let pages: PreferencePage[];

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  pages = await Promise.all(
    TEMPLATE_IDS.map((template_id) =>
      product.call(
        createPreferencePage,
        {
          params: world.params,
          body: {
            name: 'Acme',
            custom_path: template_id.slice(0, 7),
            allow_customer_create: true,
            active_languages: [...LANGUAGES],
            override: { reason: 'Only the words of the page are looked at.' },
            attrs: { template_id },
            lists: [{ id: world.weekly.id }, { id: world.offers.id }],
          },
        },
        world.owner,
      ),
    ),
  );
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

const addressOf = (index = 0) => pages[index]?.url ?? '';
const languageOf = (visitor: Page) => visitor.evaluate(() => document.documentElement.lang);

async function pick(visitor: Page, name: string) {
  await visitor.locator('.pp-languages summary').click();
  await visitor.locator('.pp-languages').getByText(name, { exact: true }).click();
  await visitor.locator('.pp-languages summary').getByText(name, { exact: true }).waitFor();
}

it.each(TEMPLATE_IDS)(
  '%s speaks every language, without a word of another or a broken line (spec 71)',
  async (id) => {
    const visitor = await browser.open({ viewport: { width: 360, height: 720 } });
    const url = addressOf(TEMPLATE_IDS.indexOf(id));
    for (const language of LANGUAGES) {
      const texts = textsOf(language);
      await browser.step(`${id} in ${language}`, async () => {
        await visitor.goto(`${url}?lang=${language}`);
        expect(await languageOf(visitor)).toBe(language);
        await visitor.getByRole('heading', { name: texts['pref_template.title'] }).waitFor();
        await visitor.getByRole('button', { name: texts['pref_template.continue'] }).waitFor();
        const overflow = await visitor.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow).toBeLessThanOrEqual(0);
        const current = visitor.locator('.pp-languages [aria-current=true]');
        expect(await current.textContent()).toBe(LANGUAGE_NAMES[language]);
        expect(await current.getAttribute('lang')).toBe(language);
      });
    }
  },
);

it('a typed address, unsaved switches and the language stay together, and the evidence names the language', async () => {
  const visitor = await browser.open();
  const weekly = visitor.getByRole('switch', { name: /Weekly news/ });
  await browser.step('enter an address', async () => {
    await visitor.goto(addressOf());
    await visitor.getByLabel('Email', { exact: true }).fill('lena@example.com');
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await weekly.waitFor();
  });
  await browser.step('switch, then change the language', async () => {
    await weekly.click();
    await pick(visitor, 'Deutsch');
    expect(await languageOf(visitor)).toBe('de');
    expect(await weekly.isChecked()).toBe(false);
    await visitor.getByText('lena@example.com').first().waitFor();
    await visitor.getByText('Alles ist ausgeschaltet. Zum Bestätigen speichern.').waitFor();
  });
  const query = { search: 'lena@example.com' };
  const { results } = await product.call(listCustomers, { params: world.params, query }, world.owner);
  const params = { ...world.params, id: results[0]?.id ?? '' };
  const evidence = async () => (await product.call(listCustomerEvidence, { params }, world.owner)).results[0];
  expect((await evidence())?.events).not.toContain('unsubscribed');
  await browser.step('save', async () => {
    await visitor.getByRole('button', { name: 'Speichern' }).click();
    await visitor.getByText('Ihre Einstellungen wurden gespeichert').first().waitFor();
  });
  expect(await evidence()).toMatchObject({ events: ['unsubscribed'], language: 'de', source: 'page' });
});

it('a personal link continues in another language without staying in the address, and a stored person is found again', async () => {
  const vera = await buildCustomer(product, world);
  const body = {};
  const { challenge } = await product.call(
    mintLinks,
    { params: { ...world.params, id: vera.id }, body },
    world.owner,
  );
  const visitor = await browser.open();
  await browser.step('personal link', async () => {
    await visitor.goto(`${addressOf()}?challenge=${challenge}`);
    await pick(visitor, 'Slovenščina');
    await visitor.getByText(vera.email).first().waitFor();
    await expect.poll(() => visitor.url()).not.toContain(challenge);
    expect(await visitor.evaluate(() => (history.state as { challenge: string }).challenge)).toBe(challenge);
  });
  await browser.step('stored', async () => {
    await visitor.goto(`${addressOf()}?lang=pl`);
    await visitor.getByRole('switch', { name: /Weekly news/ }).waitFor();
    await pick(visitor, 'Italiano');
    await visitor.getByText(vera.email).first().waitFor();
    expect(await visitor.evaluate(() => localStorage.getItem('challenge'))).toBe(challenge);
  });
});

it('a link that was applied and undone is not applied again in another language', async () => {
  const vera = await buildCustomer(product, world);
  const visitor = await browser.open();
  await browser.step('state link, undone', async () => {
    await visitor.goto(`${addressOf()}?email=${vera.email}&state=unsubscribe&listId=${world.weekly.id}`);
    await visitor.getByRole('button', { name: 'Undo' }).click();
    await visitor.getByText('Your preferences are back to how they were.').waitFor();
  });
  await browser.step('another language', async () => {
    await pick(visitor, 'Français');
    expect(new URL(visitor.url()).searchParams.has('state')).toBe(false);
    expect(await visitor.getByRole('switch', { name: /Weekly news/ }).isChecked()).toBe(true);
  });
});

it.each(TEMPLATE_IDS)('%s: the language switch does not get in anybody’s way', async (id) => {
  const vera = await buildCustomer(product, world);
  for (const width of [360, 768, 1280]) {
    const visitor = await browser.open({ viewport: { width, height: 800 } });
    await browser.step(`${id} at ${width}`, async () => {
      await visitor.goto(`${addressOf(TEMPLATE_IDS.indexOf(id))}?email=${vera.email}`);
      await visitor.getByRole('button', { name: 'Change' }).click({ position: { x: 4, y: 4 } });
      await visitor.getByRole('button', { name: 'Cancel' }).click();
      await visitor.locator('.pp-languages summary').click();
      for (const language of LANGUAGES.slice(1)) {
        const item = visitor.locator(`.pp-languages [lang=${language}]`).last();
        await item.click({ trial: true });
        expect((await item.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      }
    });
  }
});

it('the language switch works by keyboard: Enter opens and picks, Escape closes, Enter on a switch still saves', async () => {
  const visitor = await browser.open();
  await browser.step('keyboard on the form', async () => {
    await visitor.goto(addressOf());
    await untilIdle(visitor);
    const summary = visitor.locator('.pp-languages summary');
    await visitor.keyboard.press('Tab');
    expect(await summary.evaluate((element) => element === document.activeElement)).toBe(true);
    await visitor.keyboard.press('Enter');
    await visitor.keyboard.press('Escape');
    expect(await visitor.locator('.pp-languages').getAttribute('open')).toBeNull();
    expect(await summary.evaluate((element) => element === document.activeElement)).toBe(true);
    await visitor.keyboard.press('Enter');
    await visitor.keyboard.press('Tab');
    await visitor.keyboard.press('Enter');
    await visitor.waitForURL(/lang=es/);
    expect(await languageOf(visitor)).toBe('es');
  });
  await browser.step('keyboard on the switches', async () => {
    await visitor.getByLabel('Correo electrónico').fill('kim@example.com');
    await visitor.keyboard.press('Enter');
    const weekly = visitor.getByRole('switch', { name: /Weekly news/ });
    await weekly.focus();
    await visitor.keyboard.press('Space');
    await visitor.keyboard.press('Enter');
    await visitor.getByText('Sus preferencias se han guardado').first().waitFor();
    expect(await languageOf(visitor)).toBe('es');
  });
});

it('the browser reported no error meanwhile', () => {
  expect(browser.problems).toEqual([]);
});
