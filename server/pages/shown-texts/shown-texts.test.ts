import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { PageContent } from '#contract/page-drafts.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { noteShownText, storeNotedTexts } from './shown-texts.ts';

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

/** Notes what a later version of the world's page says. @returns whether it is stored */
async function note({ site, page: { id } }: World): Promise<() => Promise<boolean>> {
  const { owner } = product.testDatabase;
  const { rows } = await owner.query<{ content: PageContent }>(
    'select content from page_versions where site_id = $1 and page_id = $2',
    [site.id, id],
  );
  const content = rows[0]?.content ?? expect.unreachable('The page has no version');
  const hash = noteShownText(product.services, site.id, { id, version: 99, content });
  return async () => {
    const stored = await owner.query('select 1 from shown_texts where site_id = $1 and hash = $2', [
      site.id,
      Buffer.from(hash, 'hex'),
    ]);
    return stored.rows.length > 0;
  };
}

it('a site that cannot be read delays no other, and is retried', async () => {
  const worlds = [await buildWorld(product, 'acme'), await buildWorld(product, 'globex')] as const;
  const { database } = product.services;
  const { readSite } = database;
  const down = new Error('connection to the remote node sayso@10.0.0.2:5432 failed');
  const reading = vi
    .spyOn(database, 'readSite')
    .mockImplementation((siteId, work) =>
      siteId === worlds[0].site.id ? Promise.reject(down) : readSite(siteId, work),
    );
  // Only now, because the product itself stores what is noted a moment later.
  const [isFirstStored, isSecondStored] = [await note(worlds[0]), await note(worlds[1])];
  try {
    await expect(storeNotedTexts(product.services)).rejects.toThrow(down);
    expect([await isFirstStored(), await isSecondStored()]).toEqual([false, true]);
  } finally {
    reading.mockRestore();
  }
  await storeNotedTexts(product.services);
  expect(await isFirstStored()).toBe(true);
});
