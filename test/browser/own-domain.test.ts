import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateSite } from '#contract/sites.ts';
import { type DnsServer, startDnsServer } from '#test/fakes/dns-server.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { setDomain, setRecords } from '#test/harness/domains.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

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

/** No violation and nothing wider than the window, on a phone and on a desktop. */
async function expectWell(page: Page, state: string): Promise<void> {
  expect({ state, found: await problemsByWindow(page) }).toEqual({ state, found: {} });
}

async function checkNow(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/domain/check'));
  await page.getByRole('button', { name: 'Check now' }).click();
  await answered;
}

const recordOf = (page: Page, type: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: `${type} record` }) });

it('no state of a custom domain has a violation or is too wide', async () => {
  const [host, root] = ['preferences.acme.example', 'acme.example'];
  const page = await signIn(await browser.open(), world);
  const field = page.getByLabel('Domain', { exact: true });
  await page.goto(`${product.url}/site-settings`);
  await field.waitFor();
  await expectWell(page, 'none');
  await field.fill(root);
  await page.getByText(`${root} is usually a website.`, { exact: false }).waitFor();
  await expectWell(page, 'a website');
  await setDomain(product, world, host);
  await page.reload();
  await page.getByText('Waiting for DNS').waitFor();
  await expectWell(page, 'added');
  await checkNow(page);
  await recordOf(page, 'TXT').getByText('Not found').waitFor();
  await expectWell(page, 'missing');
  dns.set(host, { CNAME: 'shop.example' });
  dns.set(`_sayso.${host}`, { TXT: ['v=spf1 include:_spf.example.com -all'] });
  await checkNow(page);
  await recordOf(page, 'CNAME').getByText('shop.example').waitFor();
  await expectWell(page, 'wrong');
  dns.mood = 'SERVFAIL';
  await checkNow(page);
  await recordOf(page, 'TXT').getByText('Couldn’t check').waitFor();
  await expectWell(page, 'unknown');
  dns.mood = 'answering';
  setRecords(product, dns, world, host);
  await checkNow(page);
  await page.getByText('In use', { exact: true }).waitFor();
  await expectWell(page, 'verified');
  dns.set(`_sayso.${host}`, null);
  await checkNow(page);
  await page.getByText(/Add it again by/).waitFor();
  await expectWell(page, 'losing');
  await page.getByRole('button', { name: 'Remove domain' }).click();
  await page.getByRole('alertdialog').getByText('For 30 days, only your organization').waitFor();
  await expectWell(page, 'removing');
  await setDomain(product, world, root);
  await page.reload();
  await recordOf(page, 'CNAME').getByText('Most DNS providers').waitFor();
  await expectWell(page, 'root');
});

it('a domain that no DNS can verify says so, and what to do', async () => {
  const acme = await buildWorld(product, 'internal');
  const host = 'preferences.acme.local';
  await product.call(updateSite, { params: acme.params, body: { custom_domain: host } }, acme.owner);
  const page = await browser.open({ reducedMotion: 'reduce' });
  await signIn(page, acme);
  await page.goto(`${product.url}/site-settings`);
  await page.getByText('Can’t be verified').waitFor();
  await page.getByText(`${host} isn’t a public domain, so its DNS records can’t be checked.`).waitFor();
  expect(await page.getByText('TXT record').count()).toBe(0);
  await expectWell(page, 'never verified');
});

it('a site whose own host is not public offers no records: they could not work', async () => {
  // Created before the server had a public domain.
  const old = await buildWorld(product, 'pixelhaus');
  const host = 'pixelhaus.localhost';
  await product.testDatabase.owner.query(
    "update host_names set host = $1 where site_id = $2 and kind = 'subdomain'",
    [host, old.params.site_id],
  );
  const page = await browser.open({ reducedMotion: 'reduce' });
  await signIn(page, old);
  await page.goto(`${product.url}/site-settings`);
  const warning = page.getByText(`${host} isn’t a public name, so no DNS record can point to it.`);
  await warning.waitFor();
  await page.getByText('create a new site under sayso.example').waitFor();
  await page.getByLabel('Domain', { exact: true }).fill('preferences.pixelhaus.example');
  expect(await page.getByRole('button', { name: 'Add domain' }).isDisabled()).toBe(true);
  await expectWell(page, 'not addable');
  const custom_domain = 'preferences.pixelhaus.example';
  await product.call(updateSite, { params: old.params, body: { custom_domain } }, old.owner);
  await page.reload();
  await page.getByText('Can’t be verified').waitFor();
  expect(await page.getByText('Waiting for DNS').count()).toBe(0);
  await warning.waitFor();
  for (const gone of ['CNAME record', 'TXT record', 'We keep checking', 'Check now']) {
    expect([gone, await page.locator('main').getByText(gone).count()]).toEqual([gone, 0]);
  }
  expect(await page.locator('main').getByRole('button', { name: /^Copy/ }).count()).toBe(0);
  await expectWell(page, 'not public');
  await page.getByRole('button', { name: 'Remove domain' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove domain' }).click();
  await page.getByLabel('Domain', { exact: true }).waitFor();
});
