import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteAccount } from '#contract/account-data.ts';
import { updateAccount } from '#contract/accounts.ts';
import { deleteAction, updateAction } from '#contract/actions.ts';
import { type AuditNoun, listAuditActors, listAuditLog } from '#contract/audit-log.ts';
import { deleteCustomer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { replayDeliveries } from '#contract/deliveries.ts';
import { cancelImport } from '#contract/imports.ts';
import { createIntegration, deleteIntegration, updateIntegration } from '#contract/integrations.ts';
import { createList, deleteList, orderLists, updateList } from '#contract/lists.ts';
import {
  acceptInvitation,
  changeMember,
  inviteMember,
  leaveOrganization,
  removeMember,
  resendInvitation,
  withdrawInvitation,
} from '#contract/members.ts';
import {
  createPreferencePage,
  deletePreferencePage,
  replacePreferencePage,
} from '#contract/preference-pages.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import type { Role } from '#contract/roles.ts';
import { updateSite } from '#contract/sites.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { csv, upload } from '#test/harness/imports.ts';
import { buildMember } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildOwner,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let brevo: BrevoFake;
let nora: World;
let acme: World;

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({ env: { CONNECTOR_BREVO_URL: brevo.url } });
  nora = await buildWorld(product, 'nora');
});

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

afterAll(async () => {
  await product.stop();
  await brevo.close();
});

async function log(query: { noun?: AuditNoun; actor_id?: string; limit?: number; cursor?: string } = {}) {
  return product.call(listAuditLog, { params: acme.params, query }, acme.owner);
}

async function eventsOf(noun: AuditNoun): Promise<string[]> {
  return (await log({ noun })).results.map(({ event }) => event);
}

const item = (id: string) => ({ params: { ...acme.params, id } });

describe('the audit log has an entry for each change', () => {
  it('of the site and its domain, once for each real change', async () => {
    const change = (body: { name?: string; custom_domain?: string | null }) =>
      product.call(updateSite, { params: acme.params, body }, acme.owner);
    await change({ name: 'Renamed' });
    await change({ name: 'Renamed' });
    await change({ custom_domain: 'mail.acme.example' });
    await change({ custom_domain: null });
    await change({ custom_domain: null });
    expect(await eventsOf('site')).toEqual(['site.renamed', 'site.created']);
    const domains = (await log({ noun: 'domain' })).results;
    expect(domains.map(({ event, subject_name: name }) => [event, name])).toEqual([
      ['domain.removed', 'mail.acme.example'],
      ['domain.set', 'mail.acme.example'],
    ]);
  });

  it('of lists', async () => {
    const { owner, params, weekly, offers } = acme;
    await product.call(updateList, { ...item(weekly.id), body: { name: 'Monthly' } }, owner);
    await product.call(orderLists, { params, body: { ids: [offers.id, weekly.id] } }, owner);
    await product.call(orderLists, { params, body: { ids: [offers.id, weekly.id] } }, owner);
    await product.call(deleteList, item(weekly.id), owner);
    const { results } = await log({ noun: 'list' });
    expect(results.map(({ event, subject_name }) => [event, subject_name])).toEqual([
      ['list.deleted', 'Monthly'],
      ['list.reordered', null],
      ['list.changed', 'Monthly'],
      ['list.created', 'Offers'],
      ['list.created', 'Weekly news'],
    ]);
    expect(results[0]).toMatchObject({
      subject_id: weekly.id,
      actor: { kind: 'user', id: owner.id, name: owner.username },
    });
  });

  it('of pages, with the lists that are made in their form', async () => {
    const { owner, params, page } = acme;
    const body = { name: 'Other', custom_path: 'other', lists: [{ createId: 'n1', name: 'New list' }] };
    const made = await product.call(createPreferencePage, { params, body }, owner);
    await product.call(
      replacePreferencePage,
      { ...item(page.id), body: { name: 'Acme', custom_path: 'preferences', lists: [] } },
      owner,
    );
    await product.call(deletePreferencePage, item(made.id), owner);
    expect(await eventsOf('page')).toEqual(['page.deleted', 'page.changed', 'page.created', 'page.created']);
    expect((await log({ noun: 'list' })).results[0]).toMatchObject({ subject_name: 'New list' });
  });

  it('of actions and for a rotated secret, without the secret', async () => {
    const { owner } = acme;
    const { id, secret } = await buildWebhook(product, acme, { url: 'https://shop.example/hook' });
    const rotated = await product.call(updateAction, { ...item(id), body: { rotate_secret: true } }, owner);
    await product.call(updateAction, { ...item(id), body: { enabled: false } }, owner);
    await product.call(deleteAction, item(id), owner);
    expect(await eventsOf('action')).toEqual([
      'action.deleted',
      'action.changed',
      'action.secret_rotated',
      'action.created',
    ]);
    const kept = await product.testDatabase.owner.query('select audit_log::text as row from audit_log');
    const text = JSON.stringify(kept.rows);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(rotated.signing_secret);
    expect(text).not.toContain('whsec_');
  });

  it('of integrations, without their credentials', async () => {
    const { owner, params } = acme;
    const body = { provider: 'brevo', credentials: brevo.credentials };
    const { id } = await product.call(createIntegration, { params, body }, owner);
    await product.call(updateIntegration, { ...item(id), body: { name: 'Ours' } }, owner);
    await product.call(updateIntegration, { ...item(id), body: { credentials: brevo.credentials } }, owner);
    await product.call(deleteIntegration, item(id), owner);
    expect(await eventsOf('integration')).toEqual([
      'integration.disconnected',
      'integration.credentials_changed',
      'integration.changed',
      'integration.connected',
    ]);
    const kept = await product.testDatabase.owner.query('select audit_log::text as row from audit_log');
    for (const secret of Object.values(brevo.credentials)) {
      expect(JSON.stringify(kept.rows)).not.toContain(secret);
    }
  });

  it('of customers by hand, without their address', async () => {
    const { owner, weekly } = acme;
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    await product.call(updateCustomer, { ...item(vera.id), body: { email: 'vera2@example.com' } }, owner);
    const body = [{ notification_list_id: weekly.id, subscribed: false }];
    await product.call(setCustomerLists, { ...item(vera.id), body }, owner);
    await product.call(setCustomerLists, { ...item(vera.id), body }, owner);
    await product.call(deleteCustomer, item(vera.id), owner);
    const { results } = await log({ noun: 'customer' });
    expect(results.map(({ event }) => event)).toEqual([
      'customer.erased',
      'customer.changed',
      'customer.changed',
      'customer.created',
    ]);
    expect(results.map(({ subject_id }) => subject_id)).toEqual(Array(4).fill(vera.id));
    const kept = await product.testDatabase.owner.query('select audit_log::text as row from audit_log');
    expect(JSON.stringify(kept.rows)).not.toContain('vera');
  });

  it('of the team, on each site of the organization, with the roles', async () => {
    const second = await buildSite(product, nora.owner, nora.params.organization_id);
    const { owner, params } = acme;
    const vera = await buildOwner(product, 'vera');
    const send = (email: string, role: Role) =>
      product.call(inviteMember, { params, body: { email, role } }, owner);
    const lost = await send('lost@example.com', 'viewer');
    await product.call(resendInvitation, item(lost.id), owner);
    await product.call(withdrawInvitation, item(lost.id), owner);
    const { link } = await send(vera.email, 'admin');
    const token = new URL(link ?? '').searchParams.get('token') ?? '';
    await product.call(acceptInvitation, { body: { token } }, vera);
    await product.call(inviteMember, { params, body: { email: 'hers@example.com', role: 'admin' } }, vera);
    for (const role of ['editor', 'editor'] as const) {
      await product.call(changeMember, { ...item(vera.id), body: { role } }, owner);
    }
    await product.call(removeMember, item(vera.id), owner);

    const { results } = await log({ noun: 'member' });
    const told = results.map((entry) => [
      entry.event,
      entry.subject_name,
      entry.previous_role,
      entry.role,
      entry.actor.name,
    ]);
    expect(told).toEqual([
      ['member.removed', vera.username, null, null, owner.username],
      ['member.invitation_withdrawn', 'hers@example.com', null, null, owner.username],
      ['member.role_changed', vera.username, 'admin', 'editor', owner.username],
      ['member.invited', 'hers@example.com', null, 'admin', vera.username],
      ['member.joined', vera.username, null, 'admin', vera.username],
      ['member.invited', vera.email, null, 'admin', owner.username],
      ['member.invitation_withdrawn', 'lost@example.com', null, null, owner.username],
      ['member.invitation_link_created', 'lost@example.com', null, null, owner.username],
      ['member.invited', 'lost@example.com', null, 'viewer', owner.username],
    ]);
    const elsewhere = await product.call(
      listAuditLog,
      { params: second.params, query: { noun: 'member', limit: told.length } },
      owner,
    );
    expect(elsewhere.results.map(({ event }) => event)).toEqual(results.map(({ event }) => event));
    const kept = await product.testDatabase.owner.query('select audit_log::text as row from audit_log');
    expect(JSON.stringify(kept.rows)).not.toContain(token);
  });

  it('by a member who leaves the team, without a name once the account is gone', async () => {
    const leaving = await buildMember(product, acme, 'editor');
    const deleted = await buildMember(product, acme, 'viewer');
    await product.call(leaveOrganization, { params: acme.params }, leaving);
    const body = { username: deleted.username, password: PASSWORD };
    await product.call(deleteAccount, { params: { id: deleted.id }, body }, deleted);
    const { results } = await log({ noun: 'member', limit: 2 });
    expect(results).toMatchObject([
      { event: 'member.left', subject_id: deleted.id, subject_name: null, actor: { name: null } },
      { event: 'member.left', subject_id: leaving.id, subject_name: leaving.username },
    ]);
  });

  it('of imports', async () => {
    const imported = await upload(product, acme, csv('email', 'nora@example.com'));
    await product.call(cancelImport, item(imported.id), acme.owner);
    expect(await eventsOf('import')).toEqual(['import.cancelled', 'import.started']);
  });

  it('but none for a replay of nothing', async () => {
    await product.call(replayDeliveries, { params: acme.params, body: {} }, acme.owner);
    expect(await eventsOf('delivery')).toEqual([]);
  });
});

describe('the audit log has no entry', () => {
  it('for what customers choose themselves', async () => {
    const vera = await buildCustomer(product, acme);
    const before = (await log()).results.length;
    const customerId = await openAsProven(product, acme, vera);
    const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
    await product.call(saveLists, { params: { customerId }, body }, acme.visitor);
    const opened = { email: 'new@example.com', custom_path: 'preferences' };
    await product.call(openCustomer, { body: opened }, acme.visitor);
    expect((await log()).results).toHaveLength(before);
  });

  it('for a refused change, which is not made either', async () => {
    const before = (await log()).results.length;
    const body = { name: 'x', custom_path: 'preferences', lists: [{ createId: 'n1', name: 'Lost' }] };
    const refused = await product.refuse(createPreferencePage, { params: acme.params, body }, acme.owner);
    expect(refused.status).toBe(409);
    expect((await log()).results).toHaveLength(before);
  });

  it('missing when two changes happen at the same moment', async () => {
    const make = (name: string) =>
      product.call(createList, { params: acme.params, body: { name } }, acme.owner);
    await Promise.all([make('One'), make('Two')]);
    const names = (await log({ noun: 'list' })).results.map((entry) => entry.subject_name);
    expect(names.toSorted()).toEqual(['Offers', 'One', 'Two', 'Weekly news']);
  });
});

describe('the audit log', () => {
  it('is read page by page, newest first', async () => {
    const first = await log({ limit: 2 });
    const second = await log({ limit: 2, cursor: first.next ?? '' });
    const events = [...first.results, ...second.results].map(({ event }) => event);
    expect(events).toEqual(['page.created', 'list.created', 'list.created', 'site.created']);
    expect(second.next).toBeNull();
  });

  it('can be filtered by person, who is named as long as the account exists', async () => {
    const gina = await buildOwner(product, 'gina');
    await product.testDatabase.owner.query(`insert into members values ($1, $2, 'owner', now())`, [
      acme.params.organization_id,
      gina.id,
    ]);
    await product.call(updateAccount, { params: { id: gina.id }, body: { first_name: 'Gina' } }, gina);
    await product.call(createList, { params: acme.params, body: { name: 'Hers' } }, gina);
    const hers = () => log({ actor_id: gina.id });
    expect((await hers()).results).toMatchObject([
      { event: 'list.created', subject_name: 'Hers', actor: { name: 'Gina' } },
    ]);
    const actors = () => product.call(listAuditActors, { params: acme.params }, acme.owner);
    expect((await actors()).results.map(({ name }) => name)).toEqual(['Gina', acme.owner.username]);
    const body = { username: gina.username, password: PASSWORD };
    await product.call(deleteAccount, { params: { id: gina.id }, body }, gina);
    const { results } = await hers();
    expect(results).toMatchObject([
      { event: 'member.left', actor: { kind: 'user', id: gina.id, name: null } },
      { event: 'list.created', actor: { kind: 'user', id: gina.id, name: null } },
    ]);
  });

  it.each([{ noun: 'secrets' }, { cursor: 'x' }, { limit: 0 }])('rejects %j: 422', async (query) => {
    const refused = await product.refuse(
      listAuditLog,
      { params: acme.params, query: query as never },
      acme.owner,
    );
    expect(refused.status).toBe(422);
  });
});
