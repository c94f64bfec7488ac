import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { listCustomers, mintLinks } from '#contract/customers.ts';
import { listIntegrations } from '#contract/integrations.ts';
import { listPreferencePages } from '#contract/preference-pages.ts';
import { listSites, updateSite } from '#contract/sites.ts';
import { CHROMIUM_FLAGS } from '#test/harness/browser.ts';
import { type Caller, callsTo } from '#test/harness/product.ts';
import { untilStill } from '#test/harness/still.ts';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { startFakes } from '../../scripts/fakes.mjs';
import { checkAFile, type Demo, keepLoggedIn, logInToDemo, startDemo } from './demo.ts';
import { takeFrontPicture } from './front-picture.ts';
import { setInProductFont } from './product-font.ts';

/*
 * `npm run pictures`: takes the pictures of the handbook, and the README's animated one (`front`), from the demo world.
 * `npm run pictures -- lists` takes only those whose name has the word.
 */

const HANDBOOK = join(import.meta.dirname, '../../docs/handbook');
const FOLDER = join(HANDBOOK, 'pictures');
const SIZES = join(HANDBOOK, 'pictures.json');
const MOST_BYTES = 60_000;
const FRONT = join(import.meta.dirname, '../../docs/images');

interface Picture {
  name: string;
  /** An address of the app, or a whole one. */
  url: string;
  /** Of the window; 1280 x 800 if nothing else is said. */
  window?: { width: number; height: number };
  /** After the screen is there. */
  prepare?(page: Page): Promise<void>;
  /** Only the card with this heading. */
  card?: RegExp;
}

interface Shop {
  params: { organization_id: string; site_id: string };
  owner: Caller;
}

async function findShop(demo: Demo): Promise<Shop> {
  const { token, organization } = await logInToDemo(demo);
  const owner = { token };
  const params = { organization_id: organization };
  const { results: sites } = await callsTo(demo.url).call(listSites, { params }, owner);
  const shop = sites.find(({ domain_name: host }) => host.startsWith('acme.'));
  if (shop === undefined) throw new Error('The demo world has no shop');
  return { params: { ...params, site_id: shop.id }, owner };
}

/** The demo as it has to be for the pictures, and what is looked at in it. */
async function arrange(url: string, { params, owner }: Shop): Promise<Picture[]> {
  const { call } = callsTo(url);
  await call(updateSite, { params, body: { custom_domain: 'preferences.acme-outdoor.example' } }, owner);
  const { results: pages } = await call(listPreferencePages, { params }, owner);
  const [calm, stacked] = ['preferences', 'letter'].map((path) =>
    pages.find((page) => page.custom_path === path),
  );
  const { results: integrations } = await call(listIntegrations, { params }, owner);
  const tool = integrations.find(({ status }) => status === 'connected');
  const { results: customers } = await call(listCustomers, { params, query: { limit: 100 } }, owner);
  const nora =
    customers.find((one) => !one.global_unsubscribe && one.updated_at > one.created_at) ?? customers[0];
  if (!calm || !stacked || !tool || !nora) throw new Error('The demo world lacks something to be pictured');
  const linkTo = async (path: string) => {
    const link = { params: { ...params, id: nora.id }, body: { custom_path: path } };
    return (await call(mintLinks, link, owner)).preference_url;
  };
  const checked = await checkAFile(url, params, owner);
  const phone = { width: 900, height: 760 };
  return [
    { name: 'dashboard', url: '/dashboard' },
    { name: 'lists', url: '/lists' },
    {
      name: 'page-editor',
      url: `/edit-preference-page/${params.site_id}/${calm.id}`,
      prepare: (page) => page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor(),
    },
    { name: 'preference-page', url: await linkTo('preferences'), window: phone },
    { name: 'stacked-page', url: await linkTo('letter'), window: phone },
    { name: 'own-domain', url: '/site-settings' },
    { name: 'customer', url: `/customers/${nora.id}`, window: { width: 1280, height: 1060 } },
    { name: 'import', url: `/imports/${checked}` },
    { name: 'actions', url: '/actions' },
    { name: 'deliveries', url: '/deliveries' },
    { name: 'integrations', url: '/integrations' },
    { name: 'integration', url: `/integrations/${tool.id}` },
    {
      name: 'links',
      url: `/integrations/${tool.id}?tab=links`,
      card: /^Links for emails/,
      window: { width: 1100, height: 1200 },
    },
  ];
}

async function take(browser: Browser, demo: Demo, picture: Picture): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: picture.window ?? { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    bypassCSP: true,
  });
  try {
    await keepLoggedIn(context, demo);
    const page = await context.newPage();
    await page.goto(new URL(picture.url, demo.url).href);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await picture.prepare?.(page);
    await setInProductFont(page);
    await untilStill(page);
    if (picture.card === undefined) return await page.screenshot();
    const heading = page.getByRole('heading', { name: picture.card });
    return await page.locator('section').filter({ has: heading }).last().screenshot();
  } finally {
    await context.close();
  }
}

/** As good as fits. */
async function shrink(png: Buffer): Promise<{ file: Buffer; width: number; height: number }> {
  for (let quality = 86; quality >= 40; quality -= 6) {
    const { data, info } = await sharp(png)
      .webp({ quality, effort: 6 })
      .toBuffer({ resolveWithObject: true });
    if (data.length < MOST_BYTES) return { file: data, width: info.width, height: info.height };
  }
  throw new Error('A picture does not get small enough');
}

async function takeFront(browser: Browser, demo: Demo, shop: Shop): Promise<void> {
  const { moving, still } = await takeFrontPicture(browser, demo, shop);
  mkdirSync(FRONT, { recursive: true });
  for (const [name, file] of Object.entries({ 'sayso.webp': moving, 'sayso-still.webp': still })) {
    writeFileSync(join(FRONT, name), file);
    process.stdout.write(`${name}, ${Math.round(file.length / 1000)} kB\n`);
  }
}

async function main(word: string): Promise<void> {
  const fakes = await startFakes();
  const demo = await startDemo({ fakes });
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: CHROMIUM_FLAGS });
  try {
    const shop = await findShop(demo);
    const pictures = await arrange(demo.url, shop);
    if (word === '') rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    const sizes: Record<string, object> =
      word === '' ? {} : (JSON.parse(readFileSync(SIZES, 'utf8')) as Record<string, object>);
    for (const picture of pictures.filter(({ name }) => name.includes(word))) {
      const { file, width, height } = await shrink(await take(browser, demo, picture));
      writeFileSync(join(FOLDER, `${picture.name}.webp`), file);
      sizes[`${picture.name}.webp`] = { width, height };
      process.stdout.write(`${picture.name}.webp, ${Math.round(file.length / 1000)} kB\n`);
    }
    // Last, since it leaves traces in the demo.
    if ('front'.includes(word)) await takeFront(browser, demo, shop);
    writeFileSync(SIZES, `${JSON.stringify(sizes, null, 2)}\n`);
  } finally {
    await browser.close();
    await demo.stop();
    await fakes.stop();
  }
}

await main(process.argv[2] ?? '');
