import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordReason } from '#server/audience/evidence/reasons.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { buildLeaveLink, pressTogether } from '#test/harness/leave-link.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { untilStill } from '#test/harness/still.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { violationsOf } from '#test/page/look-at.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct({ env: { TRUST_PROXY: '1' } });
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

it('an owner sees how many unsubscribes machines likely made, which ones, and why', async () => {
  const { step } = browser;
  const [scanned] = await pressTogether(product, world, ['40.107.218.1', '40.107.218.2', '40.107.218.3']);
  const { press } = await buildLeaveLink(product, world);
  const person = await press({ ip: '81.2.69.142' });
  if (scanned === undefined) throw new Error('There are three');
  const { rows } = await product.testDatabase.owner.query<{ id: string }>(
    `select id from choices where customer_id = $1 and source = 'leave_link'`,
    [scanned.id],
  );
  const of = { customerId: scanned.id, choiceId: rows[0]?.id ?? '' };
  await recordReason(product.services, world.params.site_id, of, 'never_signed_up');
  const page = await openOwnerWindow(browser, product, world);
  const before = (await readRows(product.testDatabase.owner))['public.choices'];

  await step('the dashboard says how many, also of each reason', async () => {
    await page.goto(`${product.url}/dashboard`);
    await page.getByText('Unsubscribes: 4, likely by machines: 3').waitFor();
    await page.getByText('Likely by machines: 1', { exact: true }).waitFor();
    await untilStill(page);
    expect(await violationsOf(page)).toEqual([]);
  });

  await step('the link leads to only these choices, each with its reasons', async () => {
    await page.getByRole('link', { name: 'Show these choices' }).click();
    const choices = page.getByRole('list', { name: 'Choices' });
    await choices.getByText(scanned.email ?? '').waitFor();
    expect(await choices.getByText('Likely a machine').count()).toBe(3);
    expect(await choices.getByText(person.email ?? '').count()).toBe(0);
    await choices.getByRole('button', { name: scanned.email ?? '' }).click();
    await page.getByText('Several customers’ links were clicked from one network within seconds.').waitFor();
    await page.getByText('Confidence that it was a machine: 99 of 100').waitFor();
    await untilStill(page);
    expect(await violationsOf(page)).toEqual([]);
  });

  await step('the filter shows what people did', async () => {
    await page.goto(`${product.url}/evidence?verdict=likely_person`);
    const choices = page.getByRole('list', { name: 'Choices' });
    await choices.getByText(person.email ?? '').waitFor();
    expect(await choices.getByText(scanned.email ?? '').count()).toBe(0);
  });

  expect((await readRows(product.testDatabase.owner))['public.choices']).toBe(before);
});
