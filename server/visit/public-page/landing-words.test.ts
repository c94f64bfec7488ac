import { afterAll, beforeAll, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, mintLinks, setCustomerLists } from '#contract/customers.ts';
import { deletePreferencePage } from '#contract/preference-pages.ts';
import { exportCustomerProof, exportCustomerProofPdf } from '#contract/proof.ts';
import { storeNotedTexts } from '#server/pages/shown-texts/shown-texts.ts';
import { pdfText } from '#test/harness/pdf-text.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { verifyPack } from '../../../packages/verify/verify.mjs';

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

const of = ({ params }: World, { id }: Customer) => ({ params: { ...params, id } });

/** A customer who chose Weekly, and the path of the unsubscribe link in their emails. */
async function reader(world: World, listId?: string): Promise<{ vera: Customer; path: string }> {
  const vera = await buildCustomer(product, world);
  const lists = [{ notification_list_id: world.weekly.id, subscribed: true }];
  await product.call(setCustomerLists, { ...of(world, vera), body: lists }, world.owner);
  const body = listId === undefined ? {} : { list_id: listId };
  const links = await product.call(mintLinks, { ...of(world, vera), body }, world.owner);
  return { vera, path: new URL(links.one_click_url).pathname };
}

async function press(world: World, path: string, payload: string): Promise<void> {
  const headers = {
    host: new URL(world.page.url).host,
    'content-type': 'application/x-www-form-urlencoded',
    'accept-language': 'de',
  };
  const answer = await product.http.inject({ method: 'POST', url: path, headers, payload });
  expect(answer.statusCode).toBe(200);
}

const lastShown = async (world: World, vera: Customer) =>
  (await product.call(listCustomerEvidence, { ...of(world, vera), query: {} }, world.owner)).results[0]
    ?.shown;

async function packOf(world: World, vera: Customer) {
  await storeNotedTexts(product.services);
  const pack = await product.call(exportCustomerProof, of(world, vera), world.owner);
  const { parts } = JSON.parse(pack) as { parts: { part: Record<string, unknown> }[] };
  const { problems } = await verifyPack([Buffer.from(pack, 'utf8')]);
  const all = parts.map(({ part }) => part);
  const receipt = all.findLast(({ kind }) => kind === 'record')?.['receipt'] as
    | { iso_27560: { notice_shown: unknown } }
    | undefined;
  return {
    problems,
    notice: receipt?.iso_27560.notice_shown,
    texts: all.filter(({ kind }) => kind === 'text').map(({ content }) => content),
  };
}

async function printed(world: World, vera: Customer): Promise<string> {
  const document = await product.call(exportCustomerProofPdf, of(world, vera), world.owner);
  return pdfText(Buffer.from(await document.arrayBuffer()));
}

it('pressing the button of an unsubscribe link stores what that page said in the evidence and its proof', async () => {
  const world = await buildWorld(product, 'acme');
  const { vera, path } = await reader(world, world.weekly.id);
  await press(world, path, 'intent=leave');
  const shown = await lastShown(world, vera);
  expect(shown).toMatchObject({ link_page: 'leave', page_id: world.page.id, page_version: 1, url: null });
  const { problems, notice, texts } = await packOf(world, vera);
  expect(problems).toEqual([]);
  const hash = shown?.text_hash;
  const what = 'Landing page of an unsubscribe link';
  expect(notice).toEqual({ what, text_hash: hash, email_text_hash: null });
  // In the language that the page was read in; it has no German.
  const words = { kind: 'words', language: 'en', texts: { 'leave.button': 'Unsubscribe' } };
  expect(texts).toContainEqual(expect.objectContaining({ kind: 'page', page_id: world.page.id }));
  expect(texts).toContainEqual(
    expect.objectContaining({ ...words, texts: expect.objectContaining(words.texts) }),
  );
  const text = await printed(world, vera);
  expect(text).toContain('What was shown Landing page of an unsubscribe link, version 1');
  expect(text).toContain('“Unsubscribe from Weekly news” “Unsubscribe” “If this email was meant for');
  await product.testDatabase.owner.query(
    `delete from shown_texts where site_id = $1 and encode(hash, 'hex') = $2`,
    [world.site.id, hash],
  );
  const [problem] = (await packOf(world, vera)).problems;
  expect(problem).toContain(`showed the text ${hash}, which isn't in the pack`);
});

it('reporting a wrong recipient there stores the same in the evidence', async () => {
  const world = await buildWorld(product, 'globex');
  const { vera, path } = await reader(world);
  await press(world, path, 'intent=wrong_recipient');
  expect(await lastShown(world, vera)).toMatchObject({ link_page: 'leave', page_id: world.page.id });
  expect(await printed(world, vera)).toContain('“Unsubscribe from all” “Unsubscribe” “If this email');
});

it('a site without a preference page shows the texts of Sayso, and the record says so', async () => {
  const world = await buildWorld(product, 'initech');
  const { vera, path } = await reader(world);
  const params = { ...world.params, id: world.page.id };
  await product.call(deletePreferencePage, { params }, world.owner);
  await press(world, path, 'intent=leave');
  const shown = await lastShown(world, vera);
  expect(shown).toMatchObject({ link_page: 'leave', page_id: null, text_hash: expect.any(String) });
  const { problems, texts } = await packOf(world, vera);
  expect(problems).toEqual([]);
  expect(texts).toContainEqual(expect.objectContaining({ kind: 'no_page', page_id: null }));
  expect(texts).toContainEqual(expect.objectContaining({ kind: 'words', language: 'de' }));
  expect(await printed(world, vera)).toContain('“Von allem abmelden” “Abmelden”');
});

it('the one click of an email app showed nothing, and the receipt says so', async () => {
  const world = await buildWorld(product, 'umbrella');
  const { vera, path } = await reader(world);
  await press(world, path, 'List-Unsubscribe=One-Click');
  const nothing = { page_id: null, page_version: null, template_id: null, url: null, lists: [] };
  expect(await lastShown(world, vera)).toMatchObject(nothing);
  expect(await lastShown(world, vera)).not.toHaveProperty('text_hash');
  const { problems, notice } = await packOf(world, vera);
  expect(problems).toEqual([]);
  const what = 'Nothing: the email app sent the request';
  expect(notice).toEqual({ what, text_hash: null, email_text_hash: null });
  const text = await printed(world, vera);
  expect(text).toContain(`What was shown ${what}`);
  expect(text).not.toContain('Words of the page');
});
