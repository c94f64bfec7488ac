import { mintLinks } from '#contract/customers.ts';
import { createList } from '#contract/lists.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { sealDataLink, sealEmailUndo, sealPendingLink } from '#server/visit/customer-mails/mailed-links.ts';
import type { TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, type World } from '#test/harness/world.ts';

/** Every kind of personal link that the product makes, of one customer who has something to lose by each. */
export async function buildScannedLinks(product: TestProduct, world: World): Promise<Record<string, string>> {
  const { owner, params, weekly, page } = world;
  await buildWebhook(product, world, { url: 'http://127.0.0.1:9/hook' });
  const proof = { name: 'Proof', custom_path: 'proof', lists: [{ id: weekly.id }] };
  await product.call(
    createPreferencePage,
    { params, body: { ...proof, attrs: { enhanced_security: true, offer_pause: true } } },
    owner,
  );
  const { id, email } = await buildCustomer(product, world);
  const mint = (body: { list_id?: string; custom_path?: string }) =>
    product.call(mintLinks, { params: { ...params, id }, body }, owner);
  const everything = await mint({});
  const oneList = await mint({ list_id: weekly.id, custom_path: 'proof' });
  const headerUrl = /^<([^>]+)>$/.exec(oneList.headers['List-Unsubscribe'])?.[1] ?? '';
  const siteUrl = new URL(everything.one_click_url).origin;
  const mailed = { customerId: id, pageId: page.id };
  const { services } = product;
  const undo = { ...mailed, sequence: 1, oldEmail: `old-${email}` };
  const pending = { ...mailed, ...(await askForDoubleOptIn(product, world, email)) };
  return {
    'the confirmation of double opt-in': `${siteUrl}/confirm/${sealPendingLink(services, params.site_id, pending)}`,
    'the preference page': everything.preference_url,
    'the preference page that asks for proof': oneList.preference_url,
    'one click, everything': everything.one_click_url,
    'one click, one list': oneList.one_click_url,
    'the header': headerUrl,
    'the undo of an address change': `${siteUrl}/undo/${sealEmailUndo(services, params.site_id, undo)}`,
    'the download of own data': `${siteUrl}/data/${sealDataLink(services, params.site_id, { ...mailed, kind: 'download' })}`,
    'the erasure of own data': `${siteUrl}/data/${sealDataLink(services, params.site_id, { ...mailed, kind: 'erasure' })}`,
  };
}

/** What the emailed link names, once somebody has switched on a list with double opt-in. */
async function askForDoubleOptIn(
  product: TestProduct,
  { owner, params, visitor }: World,
  email: string,
): Promise<{ kind: 'subscribe'; pendingId: string; emailText: null; expiresAt: Date }> {
  const list = await product.call(
    createList,
    { params, body: { name: 'Confirmed', double_opt_in: true } },
    owner,
  );
  const page = { name: 'Opt-in', custom_path: 'opt-in', lists: [{ id: list.id }] };
  await product.call(createPreferencePage, { params, body: page }, owner);
  const opened = await product.call(openCustomer, { body: { email, custom_path: 'opt-in' } }, visitor);
  const body = [{ notification_list_id: list.id, subscribed: true }];
  await product.call(saveLists, { params: { customerId: opened.id }, body }, visitor);
  const { rows } = await product.testDatabase.owner.query<{ id: string; expires_at: Date }>(
    `select id, expires_at from pending_changes where site_id = $1 and kind = 'subscribe'`,
    [params.site_id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('Nothing waits');
  return { kind: 'subscribe', pendingId: row.id, emailText: null, expiresAt: row.expires_at };
}
