import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

const EMAIL = [
  ...['From: news@shop.invalid', 'To: nora@shop.invalid', 'Subject: Our news'],
  ...['List-Unsubscribe: <http://shop.invalid/leave>', 'Content-Type: text/html', ''],
  '<p>Hello</p><a href="https://shop.invalid/leave" style="display:none">Unsubscribe</a>',
].join('\r\n');

it('an owner finds the email check, pastes an email and reads what to fix; then drops a file', async () => {
  const page = await signIn(await browser.open(), world);
  await page.goto(`${product.url}/dashboard`);
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await untilFocusIn(palette.getByRole('combobox'));
  await page.keyboard.type('dkim');
  await palette.getByRole('option').filter({ hasText: 'Email check' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/email-check');
  const check = page.getByRole('button', { name: 'Check email' });

  await check.click();
  await page.getByText('Paste an email or choose a file.').waitFor();

  const raw = page.getByRole('textbox', { name: 'Raw email' });
  await raw.fill('Hello Nora');
  await check.click();
  await page.getByRole('alert').getByText('This isn’t a raw email.').waitFor();

  await raw.fill(EMAIL);
  await check.click();
  await page.getByText('The URL begins with http://. One-click unsubscribe needs https://.').waitFor();
  await page.getByText('no one can see it: its style hides it').waitFor();
  const result = page.getByRole('heading', { name: 'Result' });
  await untilFocusIn(result);
  const statuses = await page.getByRole('listitem').filter({ hasText: 'Fault' }).count();
  expect(statuses).toBeGreaterThan(2);
  expect(await problemsByWindow(page)).toEqual({});

  const file = EMAIL.replace('Our news', 'From a file').replace('http:', 'https:');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose file' }).click();
  await (await chooser).setFiles({ name: 'news.eml', mimeType: '', buffer: Buffer.from(file) });
  await page.getByText('From a file').waitFor();
  await page.getByText('One https URL, on shop.invalid.').waitFor();
});
