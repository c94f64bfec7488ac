import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listCustomers } from '#contract/customers.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { pdfText } from '#test/harness/pdf-text.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { verifyPack } from '../../packages/verify/verify.mjs';

let product: TestProduct;
let world: World;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

interface Receipt {
  services: { purposes: { purpose: string; consentType: string | null }[] }[];
  iso_27560: {
    notice_shown: { what: string };
    pii_processing: { purpose: string; lawful_basis: string | null }[];
    events: { event_state: string }[];
  };
}

async function download(page: Page, item: string): Promise<Buffer> {
  await page.getByRole('button', { name: 'Proof', exact: true }).click();
  const waiting = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: item }).click();
  return readFileSync(await (await waiting).path());
}

it('the legal basis that an owner states is in a subscriber’s evidence, receipt and printed proof; only consent is called so', async () => {
  const email = 'vera@example.com';
  const owner = await signIn(await browser.open(), world);
  await browser.step('the owner states one for each list', async () => {
    const bases = [
      [world.weekly.id, 'Legitimate interest', /Weekly news/],
      [world.offers.id, 'Consent', /Offers/],
    ] as const;
    for (const [id, basis, row] of bases) {
      await owner.goto(`${product.url}/create-list/${id}`);
      await owner.getByRole('button', { name: /Legal basis/ }).click();
      await owner.getByRole('option', { name: basis, exact: true }).click();
      await owner.getByRole('button', { name: 'Save' }).click();
      await owner.getByRole('row', { name: row }).getByText(basis).waitFor();
    }
  });
  await browser.step('somebody subscribes on the page', async () => {
    const visitor = await browser.open();
    await visitor.goto(world.page.url);
    await visitor.getByLabel('Email', { exact: true }).fill(email);
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await visitor.getByRole('switch', { name: /Offers/ }).click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('You’ll receive').waitFor();
    await visitor.close();
  });
  const found = { params: world.params, query: { search: email } };
  const [customer] = (await product.call(listCustomers, found, world.owner)).results;
  await browser.step('the evidence on the customer’s timeline says it', async () => {
    await owner.goto(`${product.url}/customers/${customer?.id ?? ''}`);
    await owner.getByRole('button', { name: /Offers/ }).click();
    await owner.getByText('Legal basis: Consent').waitFor();
    await owner.getByText('Legal basis: Legitimate interest').waitFor();
  });
  await browser.step('so does the receipt in the proof pack, which holds', async () => {
    const pack = await download(owner, 'Proof pack (JSON)');
    expect((await verifyPack([pack])).problems).toEqual([]);
    const { parts } = JSON.parse(pack.toString()) as {
      parts: { part: { kind: string; receipt?: Receipt } }[];
    };
    const receipt = parts.findLast(({ part }) => part.kind === 'record')?.part.receipt;
    const types = receipt?.services[0]?.purposes.map(({ purpose, consentType }) => [purpose, consentType]);
    expect(Object.fromEntries(types ?? [])).toEqual({ 'Weekly news': 'NONE', Offers: 'EXPLICIT' });
    const { pii_processing: processing = [], events = [], notice_shown: notice } = receipt?.iso_27560 ?? {};
    expect(Object.fromEntries(processing.map((one) => [one.purpose, one.lawful_basis]))).toEqual({
      'Weekly news': 'legitimate_interest',
      Offers: 'consent',
    });
    expect(events.map(({ event_state: state }) => state).toSorted()).toEqual(['consent given', 'subscribed']);
    expect(notice?.what).toBe('Preference page');
  });
  await browser.step('and the printable copy', async () => {
    const text = pdfText(await download(owner, 'Printable copy (PDF)'));
    expect(text).toMatch(/Legal basis[^]*Weekly news: Legitimate interest[^]*Offers: Consent/);
  });
  expect(browser.problems).toEqual([]);
});
