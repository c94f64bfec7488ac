import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createOrganization } from '#contract/organizations.ts';
import { createSite } from '#contract/sites.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, buildWorld, type Owner, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;
let stranger: World;
let owner: Owner;
let page: Page;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await startBrowser();
  stranger = await buildWorld(product);
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

beforeEach(async () => {
  owner = await buildOwner(product);
  page = await openOwnerWindow(browser, product, { owner, params: { organization_id: 'None' } });
  await page.goto(`${product.url}/signup-survey`);
  return () => page.close();
});

const uniqueName = (name: string) => `${name}-${randomBytes(3).toString('hex')}`;
const go = (name: 'Continue' | 'Back') => page.getByRole('button', { name, exact: true }).click();
const canContinue = () => page.getByRole('button', { name: 'Continue' }).isEnabled();
const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function choose(option: string): Promise<void> {
  await page.getByText(option, { exact: true }).click();
  await go('Continue');
}

/** Up to the domain, the shorter way. */
async function answerUntilDomain(name: string): Promise<void> {
  await choose('Preference center');
  await choose('1,001 to 5,000');
  await page.getByLabel('Business name').fill(name);
  await page.getByText('This name is available').waitFor();
  await go('Continue');
  await page.getByText('Now choose a domain!').waitFor();
}

async function chooseDomain(domain: string): Promise<void> {
  await page.getByLabel('Domain').fill(domain);
  await page.getByText('This domain is available').waitFor();
}

/** Of this owner: names of organizations, and domains of their sites. */
async function made(): Promise<{ organizations: string[]; sites: string[] }> {
  const { rows } = await product.testDatabase.owner.query<{ name: string; domain_name: string | null }>(
    `select organizations.name, host_names.host as domain_name from organizations
     left join sites on sites.organization_id = organizations.id
     left join host_names on host_names.site_id = sites.id where created_by = $1`,
    [owner.id],
  );
  return {
    organizations: [...new Set(rows.map((row) => row.name))],
    sites: rows.flatMap((row) => row.domain_name ?? []),
  };
}

async function expectOne(name: string, domain: string): Promise<void> {
  await page.waitForURL('**/dashboard');
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  expect(await made()).toEqual({ organizations: [name], sites: [`${domain}.localhost`] });
}

it('the survey asks about the tools, says everything that the specification says, and creates one organization (spec 82, 100)', async () => {
  const name = uniqueName('Acme');
  const domain = uniqueName('acme');
  const progress = page.getByRole('listitem');
  await title('What would you like to use?');
  expect(await progress.allTextContents()).toEqual(['1. Start', '2. Audience size', '3. About you']);
  expect(await canContinue()).toBe(false);
  await choose('Integrations');
  const mailchimp = page.getByRole('checkbox', { name: 'Mailchimp' });
  await page.getByText('Mailchimp').click();
  await go('Back');
  await title('What would you like to use?');
  expect(await canContinue()).toBe(false);
  await choose('Integrations');
  expect(await mailchimp.isChecked()).toBe(false);
  await page.getByText('Mailchimp').click();
  await page.getByText('Other', { exact: true }).click();
  await page.getByLabel('Which other tool?').fill('Own tool');
  await go('Continue');
  await title('How many contacts do you manage?');
  expect(await canContinue()).toBe(false);
  await go('Back');
  expect(await page.getByLabel('Which other tool?').inputValue()).toBe('Own tool');
  await go('Continue');
  await choose('250,000+');
  await title('Tell us about yourself');
  const business = page.getByLabel('Business name');
  await business.fill(stranger.site.name.toUpperCase());
  await page.getByText('This name is already taken').waitFor();
  expect(await canContinue()).toBe(false);
  await business.fill(' ');
  await page.getByText('This empty name is already taken').waitFor();
  await business.fill(name);
  await page.getByText('This name is available').waitFor();
  await go('Continue');
  await page.getByText('Now choose a domain!').waitFor();
  expect(await page.getByLabel('Business name').getAttribute('readonly')).not.toBeNull();
  const domainField = page.getByLabel('Domain');
  expect(await domainField.getAttribute('placeholder')).toBe('your-name.localhost');
  await domainField.fill('-acme');
  await page
    .getByText(
      "'-acme' is an invalid domain. The domain should only contain letters, numbers, and may contain dashes between words",
    )
    .waitFor();
  await page.getByText('Valid examples').waitFor();
  expect(await canContinue()).toBe(false);
  await domainField.fill(stranger.site.domain_name);
  await page.getByText('This domain is already taken').waitFor();
  await chooseDomain(domain);
  await page.reload();
  expect(await domainField.inputValue()).toBe(domain);
  await go('Back');
  await title('Tell us about yourself');
  expect(await business.inputValue()).toBe(name);
  await go('Back');
  await title('How many contacts do you manage?');
  expect(await page.getByRole('radio', { name: '250,000+' }).isChecked()).toBe(true);
  await go('Back');
  expect(await page.getByLabel('Which other tool?').inputValue()).toBe('Own tool');
  expect(await mailchimp.isChecked()).toBe(true);
  await page.reload();
  expect(await mailchimp.isChecked()).toBe(true);
  await go('Continue');
  await go('Continue');
  await page.getByText('This name is available').waitFor();
  await go('Continue');
  expect(await domainField.inputValue()).toBe(domain);
  await page.getByText('This domain is available').waitFor();
  await go('Continue');
  await expectOne(name, domain);
  const { rows } = await product.testDatabase.owner.query('select data from surveys where user_id = $1', [
    owner.id,
  ]);
  expect(rows).toEqual([
    {
      data: {
        name,
        domain: `${domain}.localhost`,
        integrations: ['Mailchimp', 'Other', 'Own tool'],
        contacts: 250000,
      },
    },
  ]);
});

it('the survey shows what it is doing while it sets up, and a double click creates nothing twice (spec 98, 126)', async () => {
  const name = uniqueName('Double');
  const domain = uniqueName('double');
  const held: (() => void)[] = [];
  await page.route('**/surveys', async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.abort();
  });
  await answerUntilDomain(name);
  await chooseDomain(domain);
  await page.getByRole('button', { name: 'Continue' }).dblclick();
  await title('Sit tight while we set up your account!');
  await page.getByText('Submitting your data...').waitFor();
  await expect.poll(() => held.length).toBeGreaterThan(0);
  expect(held).toHaveLength(1);
  // A survey that cannot be sent bothers no one.
  for (const release of held) release();
  await expectOne(name, domain);
});

it.each(['**/core/v1/organizations', '**/sites'])(
  'a lost answer of %s and a reload create nothing twice (spec 126)',
  async (calls) => {
    const name = uniqueName('Lost');
    const domain = uniqueName('lost');
    let lost = 0;
    await page.route(calls, async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort();
    });
    await answerUntilDomain(name);
    await chooseDomain(domain);
    await go('Continue');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(lost).toBe(1);
    await page.reload();
    await expectOne(name, domain);
  },
);

it('a name and then a domain that were taken at the last moment are asked for again (spec 102, 126)', async () => {
  const [name, domain] = [uniqueName('Late'), uniqueName('late')];
  const [secondName, secondDomain] = [uniqueName('Later'), uniqueName('later')];
  await answerUntilDomain(name);
  await chooseDomain(domain);
  await product.call(createOrganization, { body: { name } }, stranger.owner);
  await go('Continue');
  await page.getByText('We couldn’t create your organization').waitFor();
  await page.getByText('already taken').waitFor();
  await go('Back');
  await page.getByLabel('Business name').fill(secondName);
  await page.getByText('This name is available').waitFor();
  await go('Continue');
  await page.getByText('This domain is available').waitFor();
  const { organization_id } = stranger.params;
  await product.call(
    createSite,
    { params: { organization_id }, body: { domain_name: domain, name: 'First' } },
    stranger.owner,
  );
  await go('Continue');
  await page.getByText('We couldn’t create your site').waitFor();
  expect(await made()).toEqual({ organizations: [secondName], sites: [] });
  await go('Back');
  await chooseDomain(secondDomain);
  await go('Continue');
  await expectOne(secondName, secondDomain);
});

it('the survey checks a name when typing has stopped for 500 ms, not before (spec 111)', async () => {
  await choose('Preference center');
  await choose('1 to 1,000');
  await title('Tell us about yourself');
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/checkers')) asked.push(searchParams.get('organization_name') ?? '');
  });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const business = page.getByLabel('Business name');
  await business.fill('Ac');
  await page.clock.runFor(499);
  await business.fill('Acme');
  await page.clock.runFor(499);
  expect(asked).toEqual([]);
  await page.clock.runFor(1);
  await expect.poll(() => asked).toEqual(['Acme']);
});
