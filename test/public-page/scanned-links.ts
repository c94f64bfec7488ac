import { mintLinks } from '#contract/customers.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { sealDataLink, sealEmailUndo } from '#server/visit/customer-mails/mailed-links.ts';
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
  return {
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
