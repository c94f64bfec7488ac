import { changeEmail } from '#contract/account-links.ts';
import { resetPassword } from '#contract/accounts.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, mintLinks } from '#contract/customers.ts';
import { createList } from '#contract/lists.ts';
import { inviteMember } from '#contract/members.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import { createPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { openCustomer, saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import {
  sealDataLink,
  sealEmailUndo,
  sealPendingLink,
  sealRestore,
  sealResubscribeUndo,
} from '#server/visit/customer-mails/mailed-links.ts';
import type { TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, openAsProven, PASSWORD, type World } from '#test/harness/world.ts';

/**
 * Every kind of link that emails and pages carry, each of somebody who has something to lose by it. Links with `state=`
 * are those of a page that asks before a link changes anything: on others, they act once scripts run (spec section 5).
 */
export async function buildScannedLinks(product: TestProduct, world: World): Promise<Record<string, string>> {
  const { params, weekly, page } = world;
  await buildWebhook(product, world, { url: 'http://127.0.0.1:9/hook' });
  await buildPage(product, world, 'proof', weekly.id, { enhanced_security: true, offer_pause: true });
  await buildPage(product, world, 'asks', weekly.id, { confirm_links: true });
  const { id, email } = await buildCustomer(product, world);
  const mint = (body: { list_id?: string; custom_path?: string }) => mintFor(product, world, id, body);
  const everything = await mint({});
  const oneList = await mint({ list_id: weekly.id, custom_path: 'proof' });
  const asking = await mint({ custom_path: 'asks' });
  const headerUrl = /^<([^>]+)>$/.exec(oneList.headers['List-Unsubscribe'])?.[1] ?? '';
  const siteUrl = new URL(everything.one_click_url).origin;
  const mailed = { customerId: id, pageId: page.id };
  const { services } = product;
  const siteId = params.site_id;
  const undo = { ...mailed, sequence: 1, oldEmail: `old-${email}` };
  const pending = await pendingLinks(product, world, email);
  return {
    ...Object.fromEntries(
      pending.map((link) => [
        `the confirmation of ${link.kind}`,
        `${siteUrl}/confirm/${sealPendingLink(services, siteId, link)}`,
      ]),
    ),
    'the preference page': everything.preference_url,
    'the preference page that asks for proof': oneList.preference_url,
    'the path of former preference pages': everything.preference_url.replace(
      '/preferences?',
      '/user/notification?',
    ),
    'a state link that unsubscribes': `${asking.preference_url}&state=unsubscribe`,
    'a state link that unsubscribes from a list': `${asking.preference_url}&state=unsubscribe&listId=${weekly.id}`,
    'a state link that subscribes': `${await gonePage(product, world, 'asks')}&state=subscribe`,
    'a state link with an email': `${siteUrl}/asks?email=${encodeURIComponent(email)}&state=unsubscribe`,
    'one click, everything': everything.one_click_url,
    'one click, one list': oneList.one_click_url,
    'the header': headerUrl,
    'the undo of an address change': `${siteUrl}/undo/${sealEmailUndo(services, siteId, undo)}`,
    'the way back after an old email': `${siteUrl}/restore/${sealRestore(services, siteId, await goneLink(product, world))}`,
    'the undo of a return': `${siteUrl}/resubscribed/${sealResubscribeUndo(services, siteId, await returnLink(product, world))}`,
    'the download of own data': `${siteUrl}/data/${sealDataLink(services, siteId, { ...mailed, kind: 'download' })}`,
    'the erasure of own data': `${siteUrl}/data/${sealDataLink(services, siteId, { ...mailed, kind: 'erasure' })}`,
    'the form that reports a page': `${siteUrl}/report/preferences`,
  };
}

function mintFor(
  product: TestProduct,
  { owner, params }: World,
  id: string,
  body: { list_id?: string; custom_path?: string },
) {
  return product.call(mintLinks, { params: { ...params, id }, body }, owner);
}

function buildPage(
  product: TestProduct,
  { owner, params }: World,
  custom_path: string,
  listId: string,
  attrs: Partial<PreferencePage['attrs']> = {},
): Promise<PreferencePage> {
  const body = { name: custom_path, custom_path, lists: [{ id: listId }], attrs };
  return product.call(createPreferencePage, { params, body }, owner);
}

/** What the emailed links name of changes that wait: double opt-in, coming back, and another address. */
async function pendingLinks(product: TestProduct, world: World, email: string) {
  const { owner, params, visitor, weekly } = world;
  const confirmed = { name: 'Confirmed', double_opt_in: true };
  const list = await product.call(createList, { params, body: confirmed }, owner);
  await buildPage(product, world, 'opt-in', list.id);
  await buildPage(product, world, 'confirms', weekly.id, { confirm_changes: true });
  const typed = async (address: string, custom_path: string) =>
    (await product.call(openCustomer, { body: { email: address, custom_path } }, visitor)).id;
  const put = (customerId: string, listId: string, subscribed: boolean) =>
    product.call(
      saveLists,
      { params: { customerId }, body: [{ notification_list_id: listId, subscribed }] },
      visitor,
    );
  await put(await typed(email, 'opt-in'), list.id, true);
  const gone = await typed((await buildCustomer(product, world)).email, 'confirms');
  await put(gone, weekly.id, false);
  await put(gone, weekly.id, true);
  const mover = await buildCustomer(product, world);
  const customerId = await typed(mover.email, 'confirms');
  const body = { email: `new-${mover.email}` };
  await product.call(updatePublicCustomer, { params: { customerId }, body }, visitor);
  const { rows } = await product.testDatabase.owner.query<{
    kind: PendingKind;
    customer_id: string;
    id: string;
    expires_at: Date;
  }>('select kind, customer_id, id, expires_at from pending_changes where site_id = $1', [params.site_id]);
  const kinds = rows.map(({ kind }) => kind).toSorted();
  if (kinds.join() !== 'email_change,resubscribe,subscribe') throw new Error(`What waits: ${kinds.join()}`);
  return rows.map(({ kind, customer_id, id, expires_at }) => ({
    kind,
    customerId: customer_id,
    pageId: world.page.id,
    pendingId: id,
    emailText: null,
    expiresAt: expires_at,
  }));
}

/** Somebody who has unsubscribed from all. */
async function buildGone(
  product: TestProduct,
  world: World,
): Promise<{ gone: Customer; customerId: string }> {
  const gone = await buildCustomer(product, world);
  const customerId = await openAsProven(product, world, gone);
  const body = { global_unsubscribe: true };
  await product.call(updatePublicCustomer, { params: { customerId }, body }, world.visitor);
  return { gone, customerId };
}

async function gonePage(product: TestProduct, world: World, custom_path: string): Promise<string> {
  const { gone } = await buildGone(product, world);
  return (await mintFor(product, world, gone.id, { custom_path })).preference_url;
}

async function lastChoice(product: TestProduct, { owner, params }: World, { id }: Customer) {
  const { results } = await product.call(
    listCustomerEvidence,
    { params: { ...params, id }, query: {} },
    owner,
  );
  const [last] = results;
  if (last === undefined) throw new Error('Nothing was chosen');
  return last;
}

async function goneLink(product: TestProduct, world: World) {
  const { gone } = await buildGone(product, world);
  const { sequence } = await lastChoice(product, world, gone);
  return { customerId: gone.id, pageId: world.page.id, sequence };
}

async function returnLink(product: TestProduct, world: World) {
  const { gone, customerId } = await buildGone(product, world);
  const body = { global_unsubscribe: false };
  await product.call(updatePublicCustomer, { params: { customerId }, body }, world.visitor);
  const { id: choiceId } = await lastChoice(product, world, gone);
  return { customerId: gone.id, pageId: world.page.id, choiceId };
}

/** What owners and members are sent: links to the owner app. */
export async function buildAccountLinks(product: TestProduct, world: World): Promise<Record<string, string>> {
  const { owner, params } = world;
  const [invited, moved] = [`invited-${owner.email}`, `moved-${owner.email}`];
  await product.call(resetPassword, { body: { email: owner.email } });
  await product.call(inviteMember, { params, body: { email: invited, role: 'viewer' } }, owner);
  const change = { email: moved, current_password: PASSWORD };
  await product.call(changeEmail, { params: { id: owner.id }, body: change }, owner);
  const linkTo = async (email: string) => {
    const { rows } = await product.testDatabase.owner.query<{ plain: string }>(
      `select plain from outbox_emails where recipient = $1 and plain like '%?token=%'`,
      [email],
    );
    const link = /https?:\S+\?token=[\w-]+/.exec(rows.at(-1)?.plain ?? '')?.[0];
    if (link === undefined) throw new Error(`${email} has got no link`);
    return link;
  };
  return {
    'a new password': await linkTo(owner.email),
    'an invitation': await linkTo(invited),
    'another email of an account': await linkTo(moved),
  };
}
