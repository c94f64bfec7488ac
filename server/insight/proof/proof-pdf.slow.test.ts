import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { updateList } from '#contract/lists.ts';
import { exportCustomerProofPdf } from '#contract/proof.ts';
import { outputOf, syntaxCheckers } from '#test/harness/pdf-checkers.ts';
import { pdfText } from '#test/harness/pdf-text.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { repeatLastRecord } from '#test/harness/repeated-records.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

/* The printed proof of a person with 1,000 records, and what qpdf says of it, where it is installed. */

const RECORDS = 1000;
const NAMES = ['Ґанок', 'ニュース', '每周新闻', '주간 소식', 'ข่าว', 'חדשות (א)', 'الأخبار', 'क्षत्रिय', '🎉 👩‍👩‍👧'];

let product: TestProduct;
let world: World;
let folder: string;
let file: string;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  const customer = await buildCustomer(product, world);
  const params = { ...world.params, id: customer.id };
  for (const [at, name] of NAMES.entries()) {
    const list = { ...world.params, id: world.weekly.id };
    await product.call(updateList, { params: list, body: { name } }, world.owner);
    const body = [{ notification_list_id: world.weekly.id, subscribed: at % 2 === 0 }];
    await product.call(setCustomerLists, { params, body }, world.owner);
  }
  await repeatLastRecord(product.testDatabase.owner, customer.id, RECORDS);
  const pdf = await product.call(exportCustomerProofPdf, { params }, world.owner);
  folder = mkdtempSync(join(tmpdir(), 'sayso-pdf-'));
  file = join(folder, 'proof.pdf');
  writeFileSync(file, Buffer.from(await pdf.arrayBuffer()));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await product.stop();
});

it('the PDF of a person with 1,000 records has all of them', () => {
  const text = pdfText(readFileSync(file));
  const numbers = [...text.matchAll(/Record (\d+) · /g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: RECORDS }, (_, at) => at + 1));
  expect(text).toMatch(/End of the document: \d{3,} pages\./);
});

it.each(syntaxCheckers())('the PDF of a person with 1,000 records is fine, says $name', (checker) => {
  expect(outputOf(checker, file)).toContain(checker.good);
});
