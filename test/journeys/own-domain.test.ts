import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DnsServer, startDnsServer } from '#test/fakes/dns-server.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { setProof } from '#test/harness/domains.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let dns: DnsServer;
let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  dns = await startDnsServer();
  product = await startTestProduct({ env: { DNS_SERVERS: dns.address, SITE_DOMAIN: 'sayso.example' } });
  world = await buildWorld(product, 'acme');
  dns.set(world.site.domain_name, { A: ['192.0.2.10'], AAAA: ['2001:db8::10'] });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await dns.close();
});

async function checkNow(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/domain/check'));
  await page.getByRole('button', { name: 'Check now' }).click();
  await answered;
}

const recordOf = (page: Page, type: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: `${type} record` }) });

it('an owner sets a custom domain, sees each record become right, uses it and removes it', async () => {
  const { step } = browser;
  const page = await browser.open({
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const host = 'preferences.acme.example';
  await signIn(page, world);

  await step('find it', async () => {
    await page.goto(`${product.url}/dashboard`);
    await page.getByRole('link', { name: 'Site settings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Site settings' }).waitFor();
    expect(await page.title()).toBe('Site settings');
  });

  await step('a name that is none, or ours, is refused beside the field', async () => {
    const field = page.getByLabel('Domain', { exact: true });
    await field.fill('acme');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('Enter a domain like preferences.example.com.').waitFor();
    await field.fill('sayso.example');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('This name belongs to Sayso.').waitFor();
    await field.fill('preferences.acme.local');
    await page.getByText('Enter a domain like preferences.example.com.').waitFor();
    expect(await page.getByRole('button', { name: /^Use / }).count()).toBe(0);
    const warning = page.getByText('acme.example is usually a website.');
    expect(await warning.count()).toBe(0);
    for (const website of ['www.acme.example', 'acme.example']) {
      await field.fill(website);
      await page.getByText(`${website} is usually a website.`, { exact: false }).waitFor();
      await page.getByText('Use a subdomain such as preferences.acme.example.').waitFor();
    }
    await page.getByRole('button', { name: 'Use preferences.acme.example' }).click();
    expect(await field.inputValue()).toBe('preferences.acme.example');
    await page.getByText('is usually a website').waitFor({ state: 'detached' });
    await field.fill(`https://${host.toUpperCase()}/somewhere`);
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('Waiting for DNS').waitFor();
  });

  await step('without a mail server, it promises no email', async () => {
    await page.getByText('you’ll see here when your domain is in use.').waitFor();
    expect(await page.getByText('email you when').count()).toBe(0);
    expect(await page.getByText('no DNS record can point').count()).toBe(0);
  });

  await step('the records can be copied', async () => {
    await page.getByRole('button', { name: 'Copy the TXT record’s value' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^sayso-verification=[0-9a-f]+$/);
    await page.getByRole('button', { name: 'Copy the CNAME record’s name' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(host);
  });

  await step('nothing is there yet', async () => {
    await checkNow(page);
    await recordOf(page, 'CNAME').getByText('Not found').waitFor();
    expect(await page.getByText('Most DNS providers').count()).toBe(0);
    await recordOf(page, 'TXT').getByText('Not found').waitFor();
    await page.getByText('2001:db8::10').waitFor();
  });

  await step('a wrong value is shown', async () => {
    dns.set(host, { CNAME: 'shop.example' });
    dns.set(`_sayso.${host}`, { TXT: ['v=spf1 include:_spf.example.com -all'] });
    await checkNow(page);
    await recordOf(page, 'CNAME').getByText('shop.example').waitFor();
    await recordOf(page, 'TXT').getByText('v=spf1 include:_spf.example.com -all').waitFor();
  });

  await step('a DNS that does not answer is not called wrong', async () => {
    dns.mood = 'SERVFAIL';
    await checkNow(page);
    await recordOf(page, 'TXT').getByText('Couldn’t check').waitFor();
    dns.mood = 'answering';
  });

  await step('right records put it in use', async () => {
    dns.set(host, { CNAME: world.site.domain_name });
    setProof(product, dns, world, host);
    await checkNow(page);
    await page.getByText('In use', { exact: true }).waitFor();
    await page.getByRole('navigation').getByText(host).waitFor();
  });

  await step('a missing TXT record is said with its date', async () => {
    dns.set(`_sayso.${host}`, null);
    await checkNow(page);
    await page.getByText(/Add it again by/).waitFor();
  });

  await step('removing asks for the name', async () => {
    await page.getByRole('button', { name: 'Remove domain' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('For 30 days, only your organization').waitFor();
    expect(await dialog.getByRole('button', { name: 'Remove domain' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(host);
    await dialog.getByRole('button', { name: 'Remove domain' }).click();
    await page.getByLabel('Domain', { exact: true }).waitFor();
  });

  await step(
    'a root domain is told what it can have in place of a CNAME, and a subdomain is not',
    async () => {
      await page.getByLabel('Domain', { exact: true }).fill('acme.example');
      await page.getByRole('button', { name: 'Add domain' }).click();
      const note = 'Most DNS providers don’t allow a CNAME for a root domain like acme.example.';
      await recordOf(page, 'CNAME').getByText(note).waitFor();
      expect(await recordOf(page, 'TXT').getByText('Most DNS providers').count()).toBe(0);
    },
  );

  expect(browser.problems.filter((problem) => !problem.includes('422'))).toEqual([]);
});
