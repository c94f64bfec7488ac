import naughty from 'big-list-of-naughty-strings' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateAccount } from '#contract/accounts.ts';
import { createApiKey, revokeApiKey } from '#contract/api-keys.ts';
import { ApiError } from '#contract/client.ts';
import { createCustomerView, deleteCustomerView } from '#contract/customer-views.ts';
import { createCustomer, listCustomers } from '#contract/customers.ts';
import { updateList } from '#contract/lists.ts';
import { openCustomer } from '#contract/public-preferences.ts';
import type { RouteCall } from '#contract/route.ts';
import { updateSite } from '#contract/sites.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, logInAgain, type World } from '#test/harness/world.ts';

/* Whatever people type: a public list of strings that broke other programs, through every kind of text field. */

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

/** Strings for one login and one set of limits. */
const AT_ONCE = 25;

/** @returns how many were taken; all others were refused as what they are: bad input */
async function each(send: (text: string) => Promise<unknown>): Promise<number> {
  let taken = 0;
  for (const [at, text] of naughty.entries()) {
    if (at % AT_ONCE === 0) {
      await product.testDatabase.owner.query('delete from rate_limits');
      await logInAgain(product, world.owner);
    }
    try {
      await send(text);
      taken += 1;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      expect([400, 409, 422], `${JSON.stringify(text)}: ${error.message}`).toContain(error.status);
    }
  }
  return taken;
}

async function page(query = ''): Promise<string> {
  const { host } = new URL(world.page.url);
  const answer = await product.http.inject({ method: 'GET', url: `/preferences${query}`, headers: { host } });
  expect(answer.statusCode, query).toBeLessThan(500);
  return answer.body;
}

const changeWeekly = (body: { name: string } | { description: string }) =>
  product.call(updateList, { params: { ...world.params, id: world.weekly.id }, body }, world.owner);

const changeSite = (body: RouteCall<typeof updateSite>['body']) =>
  product.call(updateSite, { params: world.params, body }, world.owner);

const changeAccount = (body: RouteCall<typeof updateAccount>['body']) =>
  product.call(updateAccount, { params: { id: world.owner.id }, body }, world.owner);

const search = (query: RouteCall<typeof listCustomers>['query']) =>
  product.call(listCustomers, { params: world.params, query }, world.owner);

async function makeKey(name: string): Promise<void> {
  const params = world.params;
  const { id } = await product.call(createApiKey, { params, body: { name, scopes: ['read'] } }, world.owner);
  await product.call(revokeApiKey, { params: { ...params, id } }, world.owner);
}

async function makeView(name: string): Promise<void> {
  const params = world.params;
  const { id } = await product.call(createCustomerView, { params, body: { name, filter: {} } }, world.owner);
  await product.call(deleteCustomerView, { params: { ...params, id } }, world.owner);
}

const makeCustomer = (email: string) =>
  product.call(createCustomer, { params: world.params, body: { email } }, world.owner);

const open = (email: string) =>
  product.call(openCustomer, { body: { email, custom_path: 'preferences' } }, world.visitor);

const openBy = (name: string) => (text: string) => page(`?${name}=${encodeURIComponent(text)}`);

const MARKUP = /<[a-z/!?][^>]*>/gi;

describe('the big list of naughty strings', () => {
  it('is shown on the page as text', async () => {
    const taken = await each(async (text) => {
      await changeWeekly({ description: text });
      const tags = (await page()).match(MARKUP) ?? [];
      expect(tags.filter((tag) => /alert|onerror|xss|evil|javascript:/i.test(tag))).toEqual([]);
    });
    expect(taken).toBeGreaterThan(300);
  });

  it.each<[string, (text: string) => Promise<unknown>]>([
    ['the name of a list', (name) => changeWeekly({ name })],
    ['the name of a site', (name) => changeSite({ name })],
    ['the domain of a site', (custom_domain) => changeSite({ custom_domain })],
    ['the anchor of a site', (evidence_anchor) => changeSite({ evidence_anchor })],
    ['the name of an account', (first_name) => changeAccount({ first_name })],
    ['the picture of an account', (avatar) => changeAccount({ avatar })],
    ['the name of an API key', makeKey],
    ['the name of a view', makeView],
    ['the email of a customer', makeCustomer],
    ['the beginning of an email', (text) => search({ search: text })],
    ['a part of an email', (text) => search({ search: text, match: 'anywhere' })],
    ['an email on a page', open],
    ['a personal link', openBy('challenge')],
    ['an email in a link', openBy('email')],
    ['a language in a link', openBy('lang')],
  ])('is taken or refused as %s, without a fault', async (_, send) => {
    await each(send);
  });
});
