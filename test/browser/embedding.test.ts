import { createServer, type Server } from 'node:http';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPreferencePage, type PreferencePage, TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { mintLinks } from '#contract/customers.ts';
import { embedSnippet } from '#web/owner/screens/preference-pages/embed-snippet.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { freePort } from '#test/harness/ports.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let browser: TestBrowser;
let pages: PreferencePage[];
let shop: Server;
let port: number;

/** Whatever the test puts on somebody's own site. */
let html = '';

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  port = await freePort();
  shop = createServer((_request, reply) => {
    reply.setHeader('content-type', 'text/html; charset=utf-8');
    reply.end(
      `<!doctype html><title>Shop</title><body style="margin:0"><h1>Shop</h1>${html}<p id=below>Below</p>`,
    );
  });
  await new Promise<void>((done) => shop.listen(port, '127.0.0.1', done));
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
            active_languages: ['en', 'de'],
            override: { reason: 'Only the words of the page are looked at.' },
            attrs: { template_id },
            embed_origins: [originOf('shop')],
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
  await new Promise((done) => shop.close(done));
  await product.stop();
});

const originOf = (name: string) => `http://${name}.localhost:${port}`;
const addressOf = (index = 0) => pages[index]?.url ?? '';

function snippet(url: string, height = 300): string {
  return embedSnippet({ url, title: 'Preferences – Acme', height });
}

async function open(name: string, content: string, size = { width: 1280, height: 800 }): Promise<Page> {
  html = content;
  const visitor = await browser.open({ viewport: size });
  await visitor.goto(originOf(name));
  return visitor;
}

const frameOf = (visitor: Page): FrameLocator => visitor.frameLocator('iframe');
const heightOf = (visitor: Page) =>
  visitor.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height);
const contentOf = (visitor: Page) =>
  frameOf(visitor)
    .locator('.pp')
    .evaluate((page) => Math.ceil(page.getBoundingClientRect().height));

/** Waits until the frame is as high as its page. */
async function fitted(visitor: Page): Promise<number> {
  await expect.poll(async () => (await heightOf(visitor)) - (await contentOf(visitor))).toBe(0);
  return heightOf(visitor);
}

/** Does something lie within so many pixels of the top, in the window of the surrounding page? */
async function isWithin(part: Locator, height: number): Promise<boolean> {
  if ((await part.count()) === 0) return false;
  const box = await part.boundingBox({ timeout: 1000 }).catch(() => null);
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

async function personalLink(index = 0): Promise<{ url: string; email: string }> {
  const vera = await buildCustomer(product, world);
  const links = { params: { ...world.params, id: vera.id }, body: {} };
  const { challenge } = await product.call(mintLinks, links, world.owner);
  return { url: `${addressOf(index)}?challenge=${challenge}`, email: vera.email };
}

it.each([
  [360, 0],
  [360, 1],
  [768, 0],
  [1280, 0],
  [1280, 1],
])('at %i px a named site shows the page at its whole height, and it stays so', async (width, index) => {
  const { url } = await personalLink(index);
  const visitor = await open('shop', snippet(url), { width, height: 800 });
  await browser.step(`fits ${TEMPLATE_IDS[index]} at ${width}`, async () => {
    await frameOf(visitor).getByRole('button', { name: 'Save' }).waitFor();
    const height = await fitted(visitor);
    expect(height).toBeGreaterThan(300);
    const root = frameOf(visitor).locator('html');
    await expect.poll(() => root.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
    // Twenty frames later nothing has crept up.
    await visitor.evaluate(async () => {
      for (let n = 0; n < 20; n += 1) await new Promise(requestAnimationFrame);
    });
    expect(await heightOf(visitor)).toBe(height);
  });
  await browser.step('the bar covers nothing', async () => {
    const bar = await frameOf(visitor).locator('.pp-bar').boundingBox();
    const last = await frameOf(visitor).locator('.pp-list').last().boundingBox();
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
    await frameOf(visitor).getByRole('button', { name: 'Unsubscribe from all' }).waitFor();
  });
  await browser.step('follows the width', async () => {
    await visitor.setViewportSize({ width: width === 360 ? 1000 : 340, height: 800 });
    await fitted(visitor);
  });
});

it('a snippet that is high enough never moves what is below it', async () => {
  const { url } = await personalLink();
  html = snippet(url, 900);
  const visitor = await browser.open({ viewport: { width: 1280, height: 800 } });
  await visitor.addInitScript(() => {
    const seen = window as unknown as { shift: number };
    seen.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await visitor.goto(originOf('shop'));
  await frameOf(visitor).getByRole('button', { name: 'Save' }).waitFor();
  await visitor.evaluate(async () => {
    for (let n = 0; n < 20; n += 1) await new Promise(requestAnimationFrame);
  });
  expect(await heightOf(visitor)).toBe(900);
  expect(await visitor.evaluate(() => (window as unknown as { shift: number }).shift)).toBe(0);
});

it('saving, the message about it and another language work inside the frame', async () => {
  const { url, email } = await personalLink();
  const visitor = await open('shop', snippet(url));
  const frame = frameOf(visitor);
  await browser.step('save', async () => {
    await frame.getByRole('switch', { name: /Weekly news/ }).click();
    // So low that what comes up after leaving pushes the bar out of sight.
    await visitor.setViewportSize({ width: 1280, height: 500 });
    const message = frame.getByText('Your preferences have been saved').first();
    // It shows for three seconds: looked for from the beginning.
    const saving = frame.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => isWithin(message, 500)).toBe(true);
    await saving;
  });
  await browser.step('language', async () => {
    await frame.locator('.pp-languages summary').click();
    await frame.getByText('Deutsch', { exact: true }).click();
    await frame.getByRole('button', { name: 'Speichern' }).waitFor();
    await frame.getByText(email).first().waitFor();
    expect(await frame.getByRole('switch', { name: /Weekly news/ }).isChecked()).toBe(false);
    await fitted(visitor);
  });
  await browser.step('change the address', async () => {
    await frame.getByRole('button', { name: 'E-Mail-Adresse ändern' }).click();
    await frame.getByLabel('Neue E-Mail-Adresse').fill(`new-${email}`);
    await frame.getByRole('dialog').getByRole('button', { name: 'Ändern' }).click();
    await frame.getByText(`new-${email}`).first().waitFor();
  });
});

it('an external link opens outside the frame and cannot reach back', async () => {
  const visitor = await open('shop', snippet(addressOf()));
  const frame = frameOf(visitor);
  await frame.getByLabel('Email', { exact: true }).waitFor();
  await frame.locator('#page').evaluate((page) => {
    page.insertAdjacentHTML('beforeend', '<a id="away" href="/nothing">Away</a>');
  });
  const [opened] = await Promise.all([visitor.waitForEvent('popup'), frame.locator('#away').click()]);
  await opened.waitForLoadState();
  expect(new URL(opened.url()).pathname).toBe('/nothing');
  expect(await opened.evaluate(() => window.opener === null && document.referrer === '')).toBe(true);
  expect(await frame.getByLabel('Email', { exact: true }).count()).toBe(1);
});

it('a typed address works with storage that is blocked in frames, and a dead link stays in the frame', async () => {
  html = snippet(addressOf());
  const visitor = await browser.open();
  await visitor.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      },
    });
  });
  await visitor.goto(originOf('shop'));
  const frame = frameOf(visitor);
  await browser.step('without storage', async () => {
    await frame.getByLabel('Email', { exact: true }).fill('frame@example.com');
    await frame.getByRole('button', { name: 'Continue' }).click();
    await frame.getByRole('switch', { name: /Offers/ }).click();
    await frame.getByRole('button', { name: 'Save' }).click();
    await frame.getByText('Your preferences have been saved').first().waitFor();
  });
  html = snippet(`${addressOf()}?challenge=forged`);
  const stranger = await browser.open();
  await stranger.clock.install();
  await stranger.goto(originOf('shop'));
  await frameOf(stranger).getByRole('heading', { name: 'Page not found' }).waitFor();
  // Not taken for a refused one: it answers, though it has no script of its own.
  const answers = stranger.evaluate(
    () =>
      new Promise((resolve) =>
        window.addEventListener('message', ({ data }: MessageEvent<{ type: string }>) => resolve(data.type)),
      ),
  );
  await stranger.locator('iframe').evaluate((frame: HTMLIFrameElement) => {
    frame.contentWindow?.postMessage({ type: 'preference-page:hello' }, new URL(frame.src).origin);
  });
  expect(await answers).toBe('preference-page:height');
  await stranger.clock.runFor(5000);
  expect(await stranger.locator('iframe').count()).toBe(1);
});

it('where the script is blocked the page keeps the height of its snippet and scrolls', async () => {
  const { url } = await personalLink();
  const [frameOnly = ''] = snippet(url, 400).split('\n');
  const visitor = await open('shop', frameOnly);
  const frame = frameOf(visitor);
  await browser.step('scrolls', async () => {
    await frame.getByRole('switch', { name: /Weekly news/ }).click();
    expect(await heightOf(visitor)).toBe(400);
    await frame.getByRole('button', { name: 'Save' }).click();
    await frame.getByText('Your preferences have been saved').first().waitFor();
  });
});

it('a site that is not named gets a sentence and a link in place of the frame, in its own language', async () => {
  const refusals: string[] = [];
  html = `<div lang="de">${snippet(addressOf())}</div>`;
  const visitor = await browser.open();
  visitor.on('console', (message) => {
    if (message.type() === 'error') refusals.push(message.text());
  });
  await visitor.goto(originOf('thief'));
  await expect.poll(() => refusals.join(' ')).toContain('frame-ancestors');
  expect(await frameOf(visitor).locator('.pp').count()).toBe(0);
  await visitor.getByText('Diese Seite kann hier nicht angezeigt werden.').waitFor();
  expect(await visitor.locator('iframe').count()).toBe(0);
  const opened = visitor.context().waitForEvent('page');
  await visitor.getByRole('link', { name: 'In einem neuen Tab öffnen.' }).click();
  await (await opened).getByLabel('Email', { exact: true }).waitFor();
});

it('the landing page of a link can be framed by nobody, not even a named site', async () => {
  const vera = await buildCustomer(product, world);
  const links = { params: { ...world.params, id: vera.id }, body: {} };
  const { one_click_url } = await product.call(mintLinks, links, world.owner);
  const refusals: string[] = [];
  html = snippet(one_click_url);
  const visitor = await browser.open();
  visitor.on('console', (message) => refusals.push(message.text()));
  await visitor.goto(originOf('shop'));
  await expect.poll(() => refusals.join(' ')).toContain('frame-ancestors');
  expect(await frameOf(visitor).locator('.pp').count()).toBe(0);
});

it('only the page in the frame can report its height, and only to its surroundings', async () => {
  const { url } = await personalLink();
  const visitor = await open('shop', `${snippet(url)}<iframe id="other" srcdoc="<p>other</p>"></iframe>`);
  const frame = visitor.frameLocator('iframe[data-preference-page]');
  const pageFrame = visitor.locator('iframe[data-preference-page]');
  await frame.getByRole('button', { name: 'Save' }).waitFor();
  const tall = () => pageFrame.evaluate((element) => element.getBoundingClientRect().height);
  await expect.poll(tall).toBeGreaterThan(301);
  const before = await tall();
  await browser.step('forged messages', async () => {
    const say = (height: unknown) => ({ type: 'preference-page:height', height });
    await visitor.evaluate((message) => window.postMessage(message, '*'), say(5000));
    for (const message of [say(5000), say('5000'), say(-1), say(1e9), null, 'x']) {
      await visitor
        .frameLocator('#other')
        .locator('body')
        .evaluate((_body, data) => {
          window.parent.postMessage(data, '*');
        }, message);
    }
    for (const message of [say('5000'), say(-1), say(1e9), { type: 'x', height: 5000 }, null]) {
      await frame.locator('body').evaluate((_body, data) => {
        window.parent.postMessage(data, '*');
      }, message);
    }
    await visitor.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
    expect(await tall()).toBe(before);
  });
});

it('the browser reported no other error than the expected ones', () => {
  const expected = /frame-ancestors|thief\.localhost|status of 404|chrome-error/;
  expect(browser.problems.filter((problem) => !expected.test(problem))).toEqual([]);
});
