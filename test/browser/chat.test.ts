import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatHost, startChatHost } from '#test/fakes/chat-widget.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilIdle } from '#test/harness/idle.ts';
import { logInOnScreen, openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld } from '#test/harness/world.ts';

let chat: ChatHost;
let product: TestProduct;
let browser: TestBrowser;

beforeAll(async () => {
  chat = await startChatHost();
  product = await startTestProduct({
    env: { CHAT_SCRIPT_URL: `${chat.url}/widget.js`, CHAT_WEBSITE_TOKEN: 'acme-token' },
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await chat.close();
});

const bubble = (page: Page) => page.getByRole('complementary', { name: 'Chat' });

it('the configured widget knows the owner by email and username, and hides at sign-out (spec 86, 118)', async () => {
  const world = await buildWorld(product);
  const page = await browser.open();
  await page.goto(`${product.url}/login`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(chat.asked).toEqual([]);
  await logInOnScreen(page, world.owner);
  const { email, username } = world.owner;
  await bubble(page).getByText(`acme-token ${chat.url} ${email} ${username}`).waitFor();
  expect(chat.asked).toEqual(['/widget.js']);

  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/login');
  await expect.poll(() => bubble(page).count()).toBe(0);
  expect(await page.locator('aside[aria-label=Chat]').textContent()).toBe('');
  const heard = await page.evaluate(() => (window as unknown as { heard: unknown[] }).heard);
  expect(heard.at(-1)).toBeNull();

  const other = await buildWorld(product, 'other');
  await logInOnScreen(page, other.owner);
  await bubble(page).getByText(other.owner.email).waitFor();
});

it('a script of any other origin is blocked by the policy (spec 86)', async () => {
  const world = await buildWorld(product, 'strict');
  const page = await openOwnerWindow(browser, product, world);
  await page.goto(`${product.url}/dashboard`);
  await bubble(page).waitFor();
  const blocked = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.blockedURI));
        const script = document.createElement('script');
        script.src = 'http://127.0.0.1:9/other.js';
        document.head.append(script);
      }),
  );
  expect(blocked).toBe('http://127.0.0.1:9/other.js');
});

it('without a configured chat no other host is contacted (spec 86)', async () => {
  const quiet = await startTestProduct();
  try {
    const world = await buildWorld(quiet);
    const page = await openOwnerWindow(browser, quiet, world);
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${quiet.url}/dashboard`);
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    await untilIdle(page);
    expect([...hosts]).toEqual([new URL(quiet.url).host]);
    expect(await page.evaluate(() => 'saysoChat' in window)).toBe(false);
  } finally {
    await quiet.stop();
  }
});
