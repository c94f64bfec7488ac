import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Customer, getCustomer, mintLinks } from '#contract/customers.ts';
import { replacePreferencePage } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  const { page, params, owner } = world;
  const body = {
    ...page,
    attrs: { ...page.attrs, offer_pause: true },
    lists: page.lists.map(({ id }) => ({ id })),
  };
  await product.call(replacePreferencePage, { params: { ...params, id: page.id }, body }, owner);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

const of = ({ id }: Customer) => ({ params: { ...world.params, id } });
const now = (vera: Customer) => product.call(getCustomer, of(vera), world.owner);
const linksOf = (vera: Customer) => product.call(mintLinks, { ...of(vera), body: {} }, world.owner);
const dayAhead = (days: number) =>
  new Date(product.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);

it('without JavaScript, somebody else stops everything and undoes it; a pause ends on the chosen day', async () => {
  const vera = await buildCustomer(product, world);
  const links = await linksOf(vera);
  const visitor = await browser.open({ javaScriptEnabled: false });
  await browser.step('this is not me', async () => {
    await visitor.goto(links.one_click_url);
    await visitor.getByRole('button', { name: 'This isn’t me' }).click();
    await visitor.getByRole('heading', { name: 'We’ve stopped all emails to this address.' }).waitFor();
    expect(await visitor.content()).not.toContain(vera.email);
  });
  expect((await now(vera)).wrong_recipient_at).not.toBeNull();
  await browser.step('undo', async () => {
    await visitor.getByRole('button', { name: 'Undo' }).click();
    await visitor.getByText('Your preferences are back to how they were.').waitFor();
  });
  expect(await now(vera)).toMatchObject({ global_unsubscribe: false, wrong_recipient_at: null });

  for (const url of [links.one_click_url, links.preference_url]) {
    await browser.step('a day too near', async () => {
      await visitor.goto(url);
      await visitor.getByLabel('Or until a date of your choice').fill(dayAhead(2));
      await visitor.getByRole('button', { name: 'Start the break' }).click();
      await visitor.getByRole('alert').getByText('between a week and a year').waitFor();
    });
    expect((await now(vera)).paused_until).toBeNull();
  }
  await browser.step('a day in four months', async () => {
    await visitor.getByLabel('Or until a date of your choice').fill(dayAhead(120));
    await visitor.getByRole('button', { name: 'Start the break' }).click();
    await visitor.getByText('You’re taking a break until').waitFor();
  });
  expect((await now(vera)).paused_until).toBe(`${dayAhead(120)}T12:00:00.000Z`);
});

it('with only the keyboard, a pause until a date begins on the page, which says until when', async () => {
  const vera = await buildCustomer(product, world);
  const { preference_url: url } = await linksOf(vera);
  const visitor = await browser.open();
  await browser.step('enter a date', async () => {
    await visitor.goto(url);
    const date = visitor.getByLabel('Or until a date of your choice');
    await visitor.locator('input[type="date"][min]').waitFor();
    await date.fill(dayAhead(40));
    await date.press('Enter');
    await visitor.getByText('You’re taking a break until').waitFor();
  });
  expect((await now(vera)).paused_until).toBe(`${dayAhead(40)}T12:00:00.000Z`);
});

it('the dashboard says that an inbox belongs to somebody else, and leads to the customer', async () => {
  const vera = await buildCustomer(product, world);
  const { one_click_url: url } = await linksOf(vera);
  const { host, pathname } = new URL(url);
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
  await product.http.inject({ method: 'POST', url: pathname, headers, payload: 'Wrong-Recipient=One-Click' });
  const owner = await openOwnerWindow(browser, product, world);
  await owner.goto(`${product.url}/dashboard`);
  await browser.step('from the dashboard to the customer', async () => {
    await owner.getByText('Wrong recipients: 1').waitFor();
    await owner.getByRole('link', { name: 'Show these customers' }).click();
    await owner.getByRole('link', { name: vera.email }).click();
    await owner.getByText('These emails reach someone else').waitFor();
    await owner.getByText('Wrong recipient: everything stopped').waitFor();
  });
});
