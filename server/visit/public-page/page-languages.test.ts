import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, listCustomers, mintLinks } from '#contract/customers.ts';
import { replacePreferencePage } from '#contract/preference-pages.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  const { id, version: _, ...page } = world.page;
  const body = {
    ...page,
    active_languages: ['de' as const, 'fr' as const],
    override: { reason: 'Only the words of the page are looked at.' },
  };
  await product.call(replacePreferencePage, { params: { ...world.params, id }, body }, world.owner);
});

afterAll(() => product.stop());

const host = () => `${world.site.domain_name}:${product.services.config.port}`;

function get(url: string, language = 'en') {
  return product.http.inject({ url, headers: { host: host(), 'accept-language': language } });
}

function post(url: string, fields: Record<string, string | string[]>) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one);
  const headers = { host: host(), 'content-type': 'application/x-www-form-urlencoded' };
  return product.http.inject({ method: 'POST', url, headers, payload: body.toString() });
}

const languageOf = (html: string) => /<html lang="(\w+)"/.exec(html)?.[1];
const fieldOf = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? '';
const addressesOf = (html: string) =>
  [...html.matchAll(/(?:href|formAction)="(\?[^"]*)"/gi)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );
const switchesOf = (html: string) =>
  [...html.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)].map(([tag]) => / checked/.test(tag));

const challengeOf = async ({ id }: Customer) =>
  (await product.call(mintLinks, { params: { ...world.params, id }, body: {} }, world.owner)).challenge;

const evidenceOf = async (email: string) => {
  const query = { search: email };
  const { results } = await product.call(listCustomers, { params: world.params, query }, world.owner);
  const params = { ...world.params, id: results[0]?.id ?? '' };
  return (await product.call(listCustomerEvidence, { params }, world.owner)).results;
};

describe('the language that a visitor picks', () => {
  it('takes precedence over the browser’s, and counts only where the page has it', async () => {
    expect(languageOf((await get('/preferences', 'fr')).body)).toBe('fr');
    expect(languageOf((await get('/preferences?lang=de', 'fr')).body)).toBe('de');
    for (const other of ['pl', 'xx', '', `de${'-x'.repeat(200)}&lang=fr`, '%3Cscript%3E']) {
      expect(languageOf((await get(`/preferences?lang=${other}`, 'en')).body)).toBe('en');
    }
  });

  it('is offered by links in its own name, and keeps who is in the address', async () => {
    const { body } = await get('/preferences?email=new@example.com&state=unsubscribe&listId=x', 'de');
    expect(body).toContain('hrefLang="fr" lang="fr">Français</a>');
    expect(body).toContain('<span lang="de" aria-current="true">Deutsch</span>');
    expect(addressesOf(body)).toEqual([
      '?email=new%40example.com&state=unsubscribe&listId=x&lang=en',
      '?email=new%40example.com&state=unsubscribe&listId=x&lang=fr',
    ]);
  });

  it('stays in the answers of plain forms, and is recorded in the evidence', async () => {
    const form = (await get('/preferences?lang=de')).body;
    expect(form).toContain('action="/preferences?lang=de"');
    const found = (await post('/preferences?lang=de', { intent: 'find', email: 'dora@example.com' })).body;
    expect(languageOf(found)).toBe('de');
    const saved = await post('/preferences?lang=de', {
      intent: 'save',
      customer: fieldOf(found, 'customer'),
      save_id: fieldOf(found, 'save_id'),
      list: [world.weekly.id, world.offers.id],
      on: world.offers.id,
    });
    expect(saved.body).toContain('Ihre Einstellungen wurden gespeichert');
    expect((await evidenceOf('dora@example.com'))[0]).toMatchObject({ language: 'de' });
  });

  it('keeps unsaved switches, the person and the link; and saves nothing', async () => {
    const vera = await buildCustomer(product, world);
    const challenge = await challengeOf(vera);
    const page = (await get(`/preferences?challenge=${challenge}`)).body;
    expect(switchesOf(page)).toEqual([true, false]);
    const [, french = ''] = addressesOf(page);
    expect(french).toBe(`?challenge=${challenge}&lang=fr`);
    const before = await evidenceOf(vera.email);
    const answer = await post(`/preferences${french}`, {
      instead: 'language',
      intent: 'save',
      customer: fieldOf(page, 'customer'),
      save_id: fieldOf(page, 'save_id'),
      list: [world.weekly.id, world.offers.id],
      on: world.offers.id,
    });
    expect(answer.statusCode).toBe(200);
    expect(languageOf(answer.body)).toBe('fr');
    expect(answer.body).toContain(vera.email.split('@')[0]);
    expect(switchesOf(answer.body)).toEqual([false, true]);
    expect(addressesOf(answer.body)).toContain(`?challenge=${challenge}&lang=de`);
    expect(await evidenceOf(vera.email)).toEqual(before);
  });

  it('leads back to the form when the page was open for too long', async () => {
    const answer = await post('/preferences?lang=de', {
      instead: 'language',
      customer: 'forged',
      save_id: 'save-0001',
    });
    expect(languageOf(answer.body)).toBe('de');
    expect(answer.body).toContain('value="find"');
  });

  it('is kept on the landing page of a link, and recorded in the evidence of leaving', async () => {
    const vera = await buildCustomer(product, world);
    const { one_click_url } = await product.call(
      mintLinks,
      { params: { ...world.params, id: vera.id }, body: {} },
      world.owner,
    );
    const path = new URL(one_click_url).pathname;
    const landing = (await get(`${path}?lang=fr`)).body;
    expect(languageOf(landing)).toBe('fr');
    expect(landing).toContain(`action="${path}?lang=fr"`);
    const left = (await post(`${path}?lang=fr`, { intent: 'leave' })).body;
    expect(left).toContain('Vous ne recevrez plus');
    expect((await evidenceOf(vera.email))[0]).toMatchObject({ source: 'leave_link', language: 'fr' });
  });

  it('is offered on pages that only say something, in all our languages', async () => {
    const { body, statusCode } = await get('/nothing-here?lang=sl');
    expect(statusCode).toBe(404);
    expect(languageOf(body)).toBe('sl');
    expect(addressesOf(body)).toHaveLength(7);
  });
});
