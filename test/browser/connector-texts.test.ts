import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listConnectors, listIntegrations } from '#contract/integrations.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

/* An owner reads what a tool can do, needs and can't undo in their own language. */

let product: TestProduct;
let mailchimp: MailchimpFake;
let browser: TestBrowser;

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  product = await startTestProduct({ env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url } });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await mailchimp.close();
});

/** Without the steps of a menu, which stand as in the tool. */
function sentencesIn(value: unknown): string[] {
  if (typeof value === 'string')
    return value.split(/(?<=\.) /).filter((one) => /\w \w+ \w/.test(one) && !one.includes(' > '));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(sentencesIn) : [];
}

/** Every sentence that the API says of Mailchimp, in English. */
async function englishOf({ owner, params }: World): Promise<string[]> {
  const { results } = await product.call(listConnectors, {}, owner);
  const connected = (await product.call(listIntegrations, { params }, owner)).results;
  const { actions, credentials } = results.find(({ id }) => id === 'mailchimp') ?? {};
  return sentencesIn([actions, credentials, connected.map(({ webhook_setup }) => webhook_setup)]);
}

async function expectNoEnglish(page: Page, world: World): Promise<void> {
  const shown = await page.locator('body').innerText();
  const english = await englishOf(world);
  expect(english.length).toBeGreaterThan(10);
  expect(english.filter((sentence) => shown.includes(sentence))).toEqual([]);
  expect(await page.locator('body [lang="en"]').allInnerTexts()).toEqual([]);
  expect(await problemsByWindow(page)).toEqual({});
}

it('a German owner connects a tool, sets it up and adds an action without a word of English about it', async () => {
  const { step } = browser;
  const world = await buildWorld(product);
  const page = await browser.open();
  await page.addInitScript(() => localStorage.setItem('language', 'de'));
  await signIn(page, world);
  const dialog = page.getByRole('dialog');

  await step('what the tool can do, and can’t', async () => {
    await page.goto(`${product.url}/integrations`);
    await page.getByRole('button', { name: 'Was es kann: Mailchimp' }).click();
    await dialog.getByText('Ein Tag gehört zu einer Audience.').waitFor();
    await dialog.getByText('Mailchimp kennt keine Abmeldung vom ganzen Konto.').waitFor();
    await dialog.getByText('Mailchimp hat keine Funnels.').waitFor();
    await expectNoEnglish(page, world);
  });

  await step('the fields to connect it, and what is missing in them', async () => {
    await dialog.getByRole('button', { name: 'Mailchimp verbinden' }).click();
    await dialog.getByText('Geben Sie auch den Teil nach dem Bindestrich ein.').waitFor();
    await dialog.getByRole('button', { name: 'Verbinden', exact: true }).click();
    await dialog.getByText('Füllen Sie „API-Schlüssel“ aus.').waitFor();
    await expectNoEnglish(page, world);
    await dialog.getByLabel('API-Schlüssel', { exact: true }).fill(mailchimp.credentials['api_key'] ?? '');
    await dialog.getByRole('button', { name: 'Verbinden', exact: true }).click();
  });

  await step('what setting it up would do, with what can’t be undone', async () => {
    await page.getByRole('link', { name: 'Einrichten', exact: true }).click();
    await page.getByText('Nicht rückgängig zu machen: Mailchimp kennt keine Abmeldung').waitFor();
    await expectNoEnglish(page, world);
  });

  await step('the webhook, with the steps as they stand in the tool', async () => {
    await page.goto(page.url().replace('/set-up', '?tab=technical'));
    await page.getByText('Audience > Settings > Webhooks > Create New Webhook').waitFor();
    await page.getByText('Geben Sie diese URL ein und wählen Sie „Subscribes“').waitFor();
    await expectNoEnglish(page, world);
    await page.goto(page.url().replace('technical', 'links'));
    await page.getByText('Mailchimp setzt die E-Mail-Adresse jedes Kunden unverändert').waitFor();
    await expectNoEnglish(page, world);
  });

  await step('a new action, with what to know about it', async () => {
    await page.goto(`${product.url}/actions`);
    await page.getByRole('button', { name: 'Neue Aktion' }).first().click();
    await dialog.getByRole('button', { name: /Empfänger/ }).click();
    await page.getByRole('option', { name: 'in Mailchimp', exact: true }).click();
    await dialog.getByText('Listen sind Audiences und ihre Gruppen.').waitFor();
    await expectNoEnglish(page, world);
  });
});
