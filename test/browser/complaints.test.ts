import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerComplaint, getComplaint, listComplaints } from '#contract/complaints.ts';
import { mintLinks } from '#contract/customers.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

const TEXT = 'You passed my email on to a partner. I never agreed to that.';

let product: TestProduct;
let world: World;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** The last of so many mails to an address that have these words. */
async function mailTo(email: string, words: string): Promise<string> {
  const find = async () => {
    const { rows } = await product.testDatabase.owner.query<{ plain: string }>(
      'select plain from outbox_emails where recipient = $1 and plain like $2',
      [email, `%${words}%`],
    );
    return rows[0]?.plain ?? '';
  };
  await expect.poll(find).not.toBe('');
  return find();
}

async function complainOnPhone(): Promise<{ id: string; email: string }> {
  const vera = await buildCustomer(product, world);
  const links = await product.call(
    mintLinks,
    { params: { ...world.params, id: vera.id }, body: {} },
    world.owner,
  );
  const phone = await browser.open({ viewport: { width: 360, height: 740 } });
  await browser.step('complain on a phone', async () => {
    await phone.goto(links.preference_url);
    await phone.getByText('Your data', { exact: true }).click();
    await phone.getByText('Complain about how we use your data').click();
    await phone.getByLabel('Your complaint').fill(TEXT);
    await phone.getByRole('button', { name: 'Send complaint' }).click();
    await phone.getByText('We’ve received your complaint.').waitFor();
    expect(await phone.getByLabel('Your complaint').inputValue()).toBe('');
    const width = await phone.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
  });
  const query = { state: 'open' as const, customer_id: vera.id };
  const { results } = await product.call(listComplaints, { params: world.params, query }, world.owner);
  return { id: results[0]?.id ?? '', email: vera.email };
}

it('a person complains on a phone, an owner answers, and the person gets the answer', async () => {
  const { email } = await complainOnPhone();
  await mailTo(email, 'We received your complaint');
  expect(await mailTo(world.owner.email, 'Answer by')).toContain('/complaints/');

  const window = await openOwnerWindow(browser, product, world);
  await browser.step('the dashboard leads to it', async () => {
    await window.goto(`${product.url}/dashboard`);
    await window.getByText('Open complaints: 1').waitFor();
    await window.getByRole('link', { name: 'See complaints' }).click();
    await window.getByRole('link', { name: new RegExp(email) }).click();
    await window.getByText(TEXT).waitFor();
  });
  await browser.step('an answer needs an outcome and words', async () => {
    const send = window.getByRole('button', { name: 'Send answer' });
    await send.click();
    await window.getByText('Choose an outcome').waitFor();
    await window.getByText('Enter an answer').waitFor();
    await window.getByRole('radio', { name: 'Justified', exact: true }).check({ force: true });
    await window.getByRole('textbox', { name: 'Answer' }).fill('The partner has deleted your email.');
    await send.click();
    await window.getByRole('alertdialog').getByRole('button', { name: 'Send answer' }).click();
    await window.getByText('Answer sent').waitFor();
    await window.getByText('Justified', { exact: true }).waitFor();
  });
  expect(await mailTo(email, 'We agree with your complaint')).toContain(
    'The partner has deleted your email.',
  );
  await browser.step('nothing is open any more', async () => {
    await window.getByRole('link', { name: 'Complaints' }).first().click();
    await window.getByText('No open complaints').waitFor();
  });
  // The window logs in on a page that isn't there.
  expect(browser.problems.filter((one) => !one.includes('/404'))).toEqual([]);
});

it('the second person to answer is told so, and keeps the text', async () => {
  const { id } = await complainOnPhone();
  const of = { params: { ...world.params, id } };
  const window = await openOwnerWindow(browser, product, world);
  await browser.step('answer what somebody else has answered', async () => {
    await window.goto(`${product.url}/complaints/${id}`);
    await window.getByRole('radio', { name: 'Not justified' }).check({ force: true });
    await window.getByRole('textbox', { name: 'Answer' }).fill('Our words.');
    const body = { outcome: 'upheld' as const, answer: 'Their words.' };
    await product.call(answerComplaint, { ...of, body }, world.owner);
    await window.getByRole('button', { name: 'Send answer' }).click();
    await window.getByRole('alertdialog').getByRole('button', { name: 'Send answer' }).click();
    await window.getByText('so we didn’t send it').waitFor();
    await window.getByText('Our words.').waitFor();
    await window.getByText('Their words.').waitFor();
  });
  expect(await product.call(getComplaint, of, world.owner)).toMatchObject({ answer: 'Their words.' });
});
