import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { type Customer, deleteCustomer, endLinks, getCustomer, updateCustomer } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  listIntegrations,
  updateIntegration,
} from '#contract/integrations.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { openCustomer } from '#contract/public-preferences.ts';
import { updateSite } from '#contract/sites.ts';
import { listToolLinks } from '#contract/tool-links.ts';
import type { Resource } from '#server/connectors/connector.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { startHubspotFake } from '#test/fakes/tools/hubspot.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { syncLinkField, LINKS } from './link-field-sync.ts';

let product: TestProduct;
let mailServer: MailServer;
let mailchimp: MailchimpFake;
let hubspot: FakeTool;
let world: World;
let acme: World;
let integrationId: string;
let field: Resource;
let vera: Customer;

beforeAll(async () => {
  mailServer = await startMailServer();
  mailchimp = await startMailchimpFake();
  hubspot = await startHubspotFake();
  product = await startTestProduct({
    env: {
      CONNECTOR_MAILCHIMP_URL: mailchimp.url,
      CONNECTOR_HUBSPOT_URL: hubspot.url,
      SMTP_URL: mailServer.url,
    },
  });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await Promise.all([mailchimp, hubspot, mailServer].map((one) => one.close()));
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await product.testDatabase.owner.query('delete from rate_limits');
  await product.testDatabase.owner.query('delete from tool_rate_limits');
  await product.testDatabase.owner.query('delete from scheduled_tasks');
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  integrationId = await connect('mailchimp', mailchimp);
  field = aField(mailchimp);
  vera = await someone();
});

async function timePasses(by: { minutes?: number; hours?: number; days?: number }): Promise<void> {
  product.clock.advance(by);
  await product.testDatabase.owner.query('delete from rate_limits');
  await product.testDatabase.owner.query('delete from tool_rate_limits');
  await logInAgain(product, world.owner);
}

function aField(tool: FakeTool): Resource {
  const [made] = tool.addResources('fields', 1);
  if (made === undefined) throw new Error('The fake made no field');
  return made;
}

async function connect(provider: string, tool: FakeTool): Promise<string> {
  const body = { provider, credentials: { ...tool.credentials } };
  return (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
}

/** A customer whom the tool knows as well. */
async function someone(tool: FakeTool = mailchimp): Promise<Customer> {
  const customer = await buildCustomer(product, acme);
  tool.addContact(customer.email);
  return customer;
}

const ofTool = (id = integrationId) => ({ ...acme.params, id });

const keepIn = (wish: Resource | null, id = integrationId) =>
  product.call(updateIntegration, { params: ofTool(id), body: { link_field: wish } }, acme.owner);

const refuseToKeepIn = (wish: Resource, id = integrationId) =>
  product.refuse(updateIntegration, { params: ofTool(id), body: { link_field: wish } }, acme.owner);

const links = (id = integrationId) => product.call(listToolLinks, { params: ofTool(id) }, acme.owner);

const turnsDue = () => LINKS.runDue(product.services);

async function nextTurn(): Promise<void> {
  await timePasses({ minutes: 6 });
  await turnsDue();
}

const keptOf = ({ email }: Pick<Customer, 'email'>, tool: FakeTool = mailchimp, of = field) =>
  tool.fieldOf?.(email, of) ?? null;

const hostOf = () => `${acme.site.domain_name}:${product.services.config.port}`;
const siteUrl = () => `http://${hostOf()}`;

const get = (url: string) => product.http.inject({ method: 'GET', url, headers: { host: hostOf() } });

const oneClick = (challenge: string) =>
  product.http.inject({
    method: 'POST',
    url: `/u/${challenge}`,
    headers: { host: hostOf(), 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click',
  });

const customer = ({ id }: Customer) =>
  product.call(getCustomer, { params: { ...acme.params, id } }, acme.owner);

const change = ({ id }: Customer, body: { email: string } | { global_unsubscribe: boolean }) =>
  product.call(updateCustomer, { params: { ...acme.params, id }, body }, acme.owner);

const open = (challenge: string) =>
  product.call(openCustomer, { body: { challenge, custom_path: 'preferences' } }, acme.visitor);

const writesTo = (tool: FakeTool) => tool.seen.filter(({ method }) => method === 'PATCH').length;

async function rowsOf(table: 'synced_links' | 'link_fields' | 'customer_leases'): Promise<number> {
  const text = `select count(*)::int as count from ${table} where site_id = $1`;
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(text, [acme.params.site_id]);
  return rows[0]?.count ?? -1;
}

describe('the links for the emails of a tool', () => {
  it('contain its own merge tags, page by page; a page that asks for proof has no link by address', async () => {
    const body = {
      name: 'Closed',
      custom_path: 'closed',
      lists: [{ id: acme.weekly.id }],
      attrs: { enhanced_security: true, language: 'de' as const },
    };
    const closed = await product.call(createPreferencePage, { params: acme.params, body }, acme.owner);
    const open = `${siteUrl()}/preferences?email=*|EMAIL|*`;
    expect(await links()).toMatchObject({
      email_merge_tag: '*|EMAIL|*',
      address_note: expect.stringContaining('Mailchimp'),
      link_field: null,
      field_merge_tag: null,
      kept_purpose: null,
      leave: null,
      links_kept: null,
      trouble: null,
      pages: [
        {
          page_id: acme.page.id,
          name: 'Acme',
          language: 'en',
          by_address: open,
          no_address_reason: null,
          by_challenge: null,
          snippet_html: `<p><a href="${open}">Choose what you receive</a></p>`,
          snippet_text: `Choose what you receive: ${open}`,
        },
        {
          page_id: closed.id,
          by_address: null,
          no_address_reason: expect.stringContaining('only opens with a personal link'),
          by_challenge: null,
          snippet_html: null,
          snippet_text: null,
        },
      ],
    });
    await keepIn(field);
    const [manage, leave] = [
      `${siteUrl()}/closed?challenge=*|${field.id}|*`,
      `${siteUrl()}/u/*|${field.id}|*`,
    ];
    expect(await links()).toMatchObject({
      link_field: field,
      field_merge_tag: `*|${field.id}|*`,
      kept_purpose: 'manage',
      leave,
      links_kept: { customers: 1, kept: 0, waiting: 1, unknown: 0, failed: 0 },
      pages: [
        { by_address: open, by_challenge: `${siteUrl()}/preferences?challenge=*|${field.id}|*` },
        {
          language: 'de',
          by_address: null,
          by_challenge: manage,
          snippet_html: `<p><a href="${manage}">Auswählen, was Sie erhalten</a> · <a href="${leave}">Von allem abmelden</a></p>`,
          snippet_text: `Auswählen, was Sie erhalten: ${manage}\nVon allem abmelden: ${leave}`,
        },
      ],
    });
  });

  it('contain the tags of another tool for that tool', async () => {
    const id = await connect('hubspot', hubspot);
    const [page] = (await links(id)).pages;
    expect(page?.by_address).toBe(`${siteUrl()}/preferences?email={{ contact.email }}`);
  });

  it('bring people to their preferences whose plus became a space on the way', async () => {
    const email = `plus+${vera.email}`;
    await buildCustomer(product, acme, email);
    expect((await get(`/preferences?email=${email}`)).body).toContain('value="save"');
    expect((await get(`/preferences?email=${encodeURIComponent(email)}`)).body).toContain('value="save"');
  });
});

describe('the field for links', () => {
  it('must exist in the tool; an integration shows it', async () => {
    const refused = await refuseToKeepIn({ id: 'NOWHERE', name: 'Nowhere' });
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'invalid_field', field: 'link_field' }] });
    expect(refused.message).toContain('Nowhere');
    expect(await rowsOf('link_fields')).toBe(0);
    expect(await keepIn({ ...field, name: 'as I call it' })).toMatchObject({ link_field: field });
    const read = await product.call(getIntegration, { params: ofTool() }, acme.owner);
    const { results } = await product.call(listIntegrations, { params: acme.params }, acme.owner);
    expect([read.link_field, ...results.map((one) => one.link_field)]).toEqual([field, field]);
  });

  it('cannot be chosen while the tool cannot be asked', async () => {
    mailchimp.trouble({ status: 503 });
    expect(await refuseToKeepIn(field)).toMatchObject({ status: 503 });
    mailchimp.trouble({ status: 401 });
    const refused = await refuseToKeepIn(field);
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'credentials_refused' }] });
    expect(await rowsOf('link_fields')).toBe(0);
  });
});

describe('a stored link', () => {
  it('opens every page as proven, also one that asks for proof, and leaves everything with one click', async () => {
    await keepIn(field);
    await turnsDue();
    const challenge = keptOf(vera) ?? '';
    expect(challenge).toMatch(/^[\w-]{1,100}$/);
    const page = await get(`/preferences?challenge=${challenge}`);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('value="save"');
    expect(await open(challenge)).toMatchObject({ email: vera.email });
    expect(await links()).toMatchObject({
      links_kept: { customers: 1, kept: 1, waiting: 0, unknown: 0, failed: 0 },
    });
    expect((await get(`/u/${challenge}`)).statusCode).toBe(200);
    expect((await customer(vera)).global_unsubscribe).toBe(false);
    expect((await oneClick(challenge)).statusCode).toBe(200);
    expect((await customer(vera)).global_unsubscribe).toBe(true);
  });

  it('of another site unsubscribes nobody', async () => {
    await keepIn(field);
    await turnsDue();
    const challenge = keptOf(vera) ?? '';
    const other = await buildSite(product, world.owner, world.params.organization_id);
    const headers = { host: `${other.site.domain_name}:${product.services.config.port}` };
    const answer = await product.http.inject({ method: 'GET', url: `/u/${challenge}`, headers });
    expect(answer.statusCode).toBe(404);
  });

  it('is stored in another tool as well', async () => {
    const id = await connect('hubspot', hubspot);
    const property = aField(hubspot);
    hubspot.addContact(vera.email);
    await keepIn(property, id);
    await turnsDue();
    expect(await open(keptOf(vera, hubspot, property) ?? '')).toMatchObject({ email: vera.email });
    expect(keptOf(vera)).toBeNull();
  });

  it('is written for new customers in the next round, and costs no call when it is current', async () => {
    await keepIn(field);
    await turnsDue();
    const ben = await someone();
    await nextTurn();
    expect(await open(keptOf(ben) ?? '')).toMatchObject({ email: ben.email });
    const calls = mailchimp.seen.length;
    await nextTurn();
    expect(mailchimp.seen.length).toBe(calls);
    // A choice that does not change the address.
    await change(vera, { global_unsubscribe: true });
    await nextTurn();
    expect(mailchimp.seen.length).toBe(calls);
  });

  it('is rewritten for a new address, and still leaves everything for someone who came back', async () => {
    await keepIn(field);
    await turnsDue();
    const first = keptOf(vera) ?? '';
    const email = `new.${vera.email}`;
    await change(vera, { email });
    mailchimp.addContact(email);
    await nextTurn();
    expect(keptOf({ email })).toBe(first);
    await change(vera, { global_unsubscribe: true });
    await change(vera, { global_unsubscribe: false });
    expect((await oneClick(first)).body).toContain("You're unsubscribed");
    expect((await customer(vera)).global_unsubscribe).toBe(true);
  });

  it('ends with the person who is erased, and its row is deleted', async () => {
    await keepIn(field);
    await turnsDue();
    const challenge = keptOf(vera) ?? '';
    await product.call(deleteCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner);
    expect(await rowsOf('synced_links')).toBe(0);
    const body = { challenge, custom_path: 'preferences' };
    expect(await product.refuse(openCustomer, { body }, acme.visitor)).toMatchObject({ status: 404 });
    expect((await oneClick(challenge)).statusCode).toBe(404);
    await nextTurn();
    expect(await rowsOf('synced_links')).toBe(0);
  });

  it('is rewritten when the key that signed it is gone, and not merely because of a new key', async () => {
    await keepIn(field);
    await turnsDue();
    const writes = writesTo(mailchimp);
    const before = product.services.keyring;
    product.services.keyring = createKeyring(['n'.repeat(40), ...product.services.config.secretKeys]);
    try {
      await timePasses({ days: 2 });
      await turnsDue();
      expect(writesTo(mailchimp)).toBe(writes);
      expect(await open(keptOf(vera) ?? '')).toMatchObject({ email: vera.email });
      await product.testDatabase.owner.query(
        `update synced_links set key_id = '\\x0000' where site_id = $1`,
        [acme.params.site_id],
      );
      await timePasses({ days: 2 });
      await turnsDue();
      expect(writesTo(mailchimp)).toBe(writes + 1);
    } finally {
      product.services.keyring = before;
    }
  });
});

describe('an aging stored link', () => {
  const levelOf = async (challenge: string | null) => (await open(challenge ?? '')).level;

  it('is renewed after half of its life, long before emails carry one that has expired', async () => {
    await keepIn(field);
    await turnsDue();
    const first = keptOf(vera);
    await timePasses({ days: 89 });
    await turnsDue();
    expect(keptOf(vera)).toBe(first);
    await timePasses({ days: 2 });
    await turnsDue();
    const second = keptOf(vera);
    expect(second).not.toBe(first);
    await timePasses({ days: 90 });
    expect([await levelOf(first), await levelOf(second)]).toEqual(['leave', 'proven']);
  });

  it('is renewed in the next round once the links were ended', async () => {
    await keepIn(field);
    await turnsDue();
    const first = keptOf(vera);
    const writes = writesTo(mailchimp);
    await someone();
    await product.call(endLinks, { params: { ...acme.params, id: vera.id } }, acme.owner);
    await nextTurn();
    const second = keptOf(vera);
    expect([await levelOf(first), await levelOf(second)]).toEqual(['leave', 'proven']);
    // Hers, and the one of who is new.
    expect(writesTo(mailchimp)).toBe(writes + 2);
  });

  it('is renewed in the next round where the lifetime of links is made much shorter', async () => {
    await keepIn(field);
    await turnsDue();
    const first = keptOf(vera);
    await timePasses({ days: 20 });
    await turnsDue();
    expect(keptOf(vera)).toBe(first);
    await product.call(updateSite, { params: acme.params, body: { link_lifetime_days: 30 } }, acme.owner);
    await nextTurn();
    expect(keptOf(vera)).not.toBe(first);
  });
});

describe('people whom the tool does not know', () => {
  it('are not created there, and get their link once they exist', async () => {
    const stranger = await buildCustomer(product, acme);
    await keepIn(field);
    await turnsDue();
    expect(mailchimp.holds(stranger.email)).toBeNull();
    expect((await links()).links_kept).toMatchObject({ kept: 1, waiting: 0, unknown: 1 });
    const calls = mailchimp.seen.length;
    await nextTurn();
    expect(mailchimp.seen.length).toBe(calls);
    mailchimp.addContact(stranger.email);
    await timePasses({ days: 1, minutes: 10 });
    await turnsDue();
    expect(await open(keptOf(stranger) ?? '')).toMatchObject({ email: stranger.email });
    expect((await links()).links_kept).toMatchObject({ kept: 2, unknown: 0 });
  });

  it('are looked up again when they chose something: a delivery may have created them there', async () => {
    const stranger = await buildCustomer(product, acme);
    await keepIn(field);
    await turnsDue();
    mailchimp.addContact(stranger.email);
    await change(stranger, { global_unsubscribe: true });
    await nextTurn();
    expect(keptOf(stranger)).not.toBeNull();
  });
});

describe('a tool', () => {
  it('that refuses one person gives the others their links, and is asked again after a week', async () => {
    const ben = await buildCustomer(product, acme);
    const [audience] = mailchimp.addResources('lists', 1);
    // In this audience there is no such field.
    mailchimp.addMember(audience?.id ?? '', ben.email);
    const lena = await someone();
    await keepIn(field);
    await turnsDue();
    expect([keptOf(vera), keptOf(lena)]).not.toContain(null);
    const found = await links();
    expect(found.links_kept).toMatchObject({ kept: 2, failed: 1, waiting: 0 });
    expect(found.refusal).toContain("None of this person's audiences");
    mailchimp.addMergeField(audience?.id ?? '', { tag: field.id, name: field.name, required: false });
    await timePasses({ days: 2 });
    await turnsDue();
    expect((await links()).links_kept).toMatchObject({ failed: 1 });
    await timePasses({ days: 6 });
    await turnsDue();
    expect((await links()).links_kept).toMatchObject({ kept: 3, failed: 0 });
    expect((await links()).refusal).toBeNull();
  });

  it('is asked again at once where a clock in the future put the question off', async () => {
    const ben = await buildCustomer(product, acme);
    const [audience] = mailchimp.addResources('lists', 1);
    mailchimp.addMember(audience?.id ?? '', ben.email);
    await keepIn(field);
    await turnsDue();
    expect((await links()).links_kept).toMatchObject({ failed: 1 });
    mailchimp.addMergeField(audience?.id ?? '', { tag: field.id, name: field.name, required: false });
    await product.testDatabase.owner.query(
      `update synced_links set retry_at = retry_at + interval '700 days' where site_id = $1 and retry_at is not null`,
      [acme.params.site_id],
    );
    await timePasses({ days: 2 });
    await turnsDue();
    expect((await links()).links_kept).toMatchObject({ failed: 0 });
  });

  it('that limits calls is left alone for as long as it says, by deliveries too', async () => {
    await product.call(
      createAction,
      {
        params: acme.params,
        body: {
          type: 'global_unsubscribe',
          name: 'Tell Mailchimp',
          integration_id: integrationId,
          trigger: { event: 'global_unsubscribed' },
          target: {},
        },
      },
      acme.owner,
    );
    await keepIn(field);
    mailchimp.trouble({ status: 429, headers: { 'retry-after': '1200' } });
    await turnsDue();
    await change(vera, { global_unsubscribe: true });
    const query = { customer_id: vera.id };
    const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
    expect(results).toHaveLength(1);
    const deliverAll = async () => {
      for (const { id } of results)
        await deliverNow(product.services, { site_id: acme.params.site_id, id, round: 0 });
    };
    const calls = mailchimp.seen.length;
    await deliverAll();
    await turnsDue();
    expect(mailchimp.seen.length).toBe(calls);
    const read = await product.call(getIntegration, { params: ofTool() }, acme.owner);
    expect(read).toMatchObject({ status: 'connected', failing_since: null });
    await timePasses({ minutes: 20 });
    await deliverAll();
    expect(mailchimp.holds(vera.email)?.unsubscribed).toBe(true);
    await turnsDue();
    expect(keptOf(vera)).not.toBeNull();
  });

  it('that fails is retried five minutes later', async () => {
    await keepIn(field);
    mailchimp.trouble({ status: 500 });
    await turnsDue();
    expect(keptOf(vera)).toBeNull();
    await nextTurn();
    expect(keptOf(vera)).not.toBeNull();
  });

  it('that rejects the credentials is no longer called; its owners are told once; new ones work at once', async () => {
    await keepIn(field);
    mailchimp.trouble({ status: 401 });
    await turnsDue();
    const read = await product.call(getIntegration, { params: ofTool() }, acme.owner);
    expect(read.status).toBe('credentials_refused');
    expect(mailServer.mails).toHaveLength(1);
    const calls = mailchimp.seen.length;
    await nextTurn();
    expect(mailchimp.seen.length).toBe(calls);
    const body = { credentials: { ...mailchimp.credentials } };
    await product.call(updateIntegration, { params: ofTool(), body }, acme.owner);
    await turnsDue();
    expect(keptOf(vera)).not.toBeNull();
    expect(mailServer.mails).toHaveLength(1);
  });

  it('without the field is not called for everybody, and its owner reads why', async () => {
    await keepIn(field);
    await turnsDue();
    await product.testDatabase.owner.query(
      `update link_fields set field_id = 'GONE', field_name = 'Gone' where site_id = $1`,
      [acme.params.site_id],
    );
    await Promise.all([someone(), someone(), someone()]);
    const writes = writesTo(mailchimp);
    await nextTurn();
    expect(writesTo(mailchimp)).toBe(writes);
    const found = await links();
    expect(found.trouble).toContain('Mailchimp no longer has the field "Gone"');
    expect(found.links_kept).toMatchObject({ kept: 1, failed: 0, waiting: 3 });
    await keepIn(field);
    await turnsDue();
    expect(await links()).toMatchObject({ trouble: null, links_kept: { kept: 4, waiting: 0 } });
  });
});

describe('writing the links', () => {
  const owner = () => product.testDatabase.owner;

  it('proceeds in slices until everybody has their link, one call to write each', async () => {
    const people = await Promise.all(Array.from({ length: 60 }, () => someone()));
    const writes = writesTo(mailchimp);
    await keepIn(field);
    await turnsDue();
    expect([vera, ...people].map((one) => keptOf(one))).not.toContain(null);
    expect(writesTo(mailchimp) - writes).toBe(61);
    expect(await rowsOf('customer_leases')).toBe(0);
  });

  it('passes over more test customers than one run writes links, and reaches those after them', async () => {
    await product.call(
      updateSite,
      { params: acme.params, body: { test_emails: ['@test.example'] } },
      acme.owner,
    );
    await keepIn(field);
    await nextTurn();
    for (let count = 0; count < 60; count += 1) {
      await buildCustomer(product, acme, `tester-${count}@test.example`);
    }
    const nora = await someone();
    await nextTurn();
    expect(keptOf(nora)).not.toBeNull();
  });

  it('by two workers at once writes each link once', async () => {
    await Promise.all(Array.from({ length: 10 }, () => someone()));
    const writes = writesTo(mailchimp);
    await keepIn(field);
    await Promise.all([turnsDue(), turnsDue()]);
    // A worker whose lease ran out, while another one has begun.
    const of = { siteId: acme.params.site_id, integrationId };
    await Promise.all([syncLinkField(product.services, of), syncLinkField(product.services, of)]);
    expect(writesTo(mailchimp) - writes).toBe(11);
    expect((await links()).links_kept).toMatchObject({ kept: 11, waiting: 0 });
  });

  it('is repeated for a link that a killed worker had not recorded, and blocks nobody', async () => {
    await keepIn(field);
    await owner().query('alter table synced_links add constraint no_links check (false) not valid');
    await turnsDue();
    expect(keptOf(vera)).not.toBeNull();
    expect(await rowsOf('synced_links')).toBe(0);
    await owner().query('alter table synced_links drop constraint no_links');
    expect(await rowsOf('customer_leases')).toBe(0);
    await nextTurn();
    expect((await links()).links_kept).toMatchObject({ kept: 1, waiting: 0 });
  });

  it('never runs beside a delivery for the same person, and returns to them', async () => {
    const lena = await someone();
    await owner().query(`insert into customer_leases values ($1, $2, $3, $2, $4)`, [
      acme.params.site_id,
      integrationId,
      vera.id,
      new Date(product.clock.now().getTime() + 20_000),
    ]);
    await keepIn(field);
    await turnsDue();
    expect(keptOf(vera)).toBeNull();
    expect(keptOf(lena)).not.toBeNull();
    await timePasses({ minutes: 1 });
    await turnsDue();
    expect(keptOf(vera)).not.toBeNull();
  });

  it('ends when the field is given up; the tool keeps its values, and the links still work', async () => {
    await keepIn(field);
    await turnsDue();
    const challenge = keptOf(vera) ?? '';
    expect(await keepIn(null)).toMatchObject({ link_field: null });
    expect([await rowsOf('link_fields'), await rowsOf('synced_links')]).toEqual([0, 0]);
    const ben = await someone();
    const calls = mailchimp.seen.length;
    await nextTurn();
    expect(mailchimp.seen.length).toBe(calls);
    expect(keptOf(ben)).toBeNull();
    expect(await open(challenge)).toMatchObject({ email: vera.email });
  });

  it('starts over with another field, at once, and not with the same one', async () => {
    await keepIn(field);
    await turnsDue();
    const calls = writesTo(mailchimp);
    await keepIn(field);
    await turnsDue();
    expect(writesTo(mailchimp)).toBe(calls);
    const second = aField(mailchimp);
    await keepIn(second);
    await turnsDue();
    expect(keptOf(vera, mailchimp, second)).toBe(keptOf(vera));
    expect(await rowsOf('synced_links')).toBe(1);
  });

  it('records nothing for the previous field if the field is changed meanwhile', async () => {
    await keepIn(field);
    const second = aField(mailchimp);
    // The calls of the turn are under way when the owner chooses the other field.
    const before = mailchimp.seen.length;
    const turn = turnsDue();
    await expect.poll(() => mailchimp.seen.length).toBeGreaterThan(before);
    await keepIn(second);
    await turn;
    await nextTurn();
    expect(keptOf(vera, mailchimp, second)).not.toBeNull();
    expect(await rowsOf('synced_links')).toBe(1);
  });

  it('starts over in another account of the tool', async () => {
    await keepIn(field);
    await turnsDue();
    const writes = writesTo(mailchimp);
    const body = { credentials: { ...mailchimp.credentials } };
    await product.call(updateIntegration, { params: ofTool(), body }, acme.owner);
    await turnsDue();
    expect(writesTo(mailchimp)).toBe(writes);
    await owner().query(`update integrations set account_id = 'another' where site_id = $1`, [
      acme.params.site_id,
    ]);
    const agreed = { ...body, other_account: true as const };
    await product.call(updateIntegration, { params: ofTool(), body: agreed }, acme.owner);
    await turnsDue();
    expect(writesTo(mailchimp)).toBe(writes + 1);
    expect((await links()).links_kept).toMatchObject({ kept: 1, waiting: 0 });
  });

  it('ends with the integration', async () => {
    await keepIn(field);
    await turnsDue();
    await product.call(deleteIntegration, { params: ofTool() }, acme.owner);
    expect([await rowsOf('link_fields'), await rowsOf('synced_links')]).toEqual([0, 0]);
    const calls = mailchimp.seen.length;
    await nextTurn();
    expect(mailchimp.seen.length).toBe(calls);
  });
});
