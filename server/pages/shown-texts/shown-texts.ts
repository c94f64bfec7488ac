import type { PageContent } from '#contract/page-drafts.ts';
import { canonicalText } from '#server/audience/evidence/evidence.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { textsOf } from '#web/page/locales.ts';
import { insertShownTexts, knownHashes, type ShownTextRow, versionsAfter } from './shown-texts.sql.ts';

export type { ShownTextRow } from './shown-texts.sql.ts';
export { shownTextsAfter, textsByHash, textsOfPage } from './shown-texts.sql.ts';

/*
 * What pages said, word for word, for as long as there is evidence. The history of a page holds its last versions only, and
 * buttons and notices have the product's own words, which change with its version.
 */

type Text = Omit<Parameters<typeof insertShownTexts>[1][number], 'created_at'>;

/** A text and the hash that it is stored and found by. */
function textOf(content: Record<string, unknown>, of: Pick<Text, 'page_id' | 'version' | 'language'>): Text {
  return { ...of, hash: sha256(canonicalText(content)), content: JSON.stringify(content) };
}

/** The product's own words in the page's languages, and the page's, which names them by their hashes. */
function textsOfVersion(page: { id: string; version: number; content: PageContent }): Text[] {
  const words = page.content.active_languages.map((language) => {
    const content = { kind: 'words', language, texts: textsOf(language) };
    return textOf(content, { page_id: null, version: null, language });
  });
  const content = {
    kind: 'page',
    page_id: page.id,
    version: page.version,
    content: page.content,
    words: Object.fromEntries(words.map(({ language, hash }) => [language, hash.toString('hex')])),
  };
  return [...words, textOf(content, { page_id: page.id, version: page.version, language: null })];
}

type Page = { id: string; version: number; content: PageContent };

/** What a version of a page says and is not stored yet. */
async function missingTexts(site: SiteDb, page: Page): Promise<Text[]> {
  const texts = textsOfVersion(page);
  const known = await knownHashes(
    site,
    texts.map(({ hash }) => hash),
  );
  return texts.filter(({ hash }) => !known.has(hash.toString('hex')));
}

async function store(site: SiteDb, texts: readonly Text[], at: Date): Promise<void> {
  if (texts.length === 0) return;
  await insertShownTexts(
    site,
    texts.map((text) => ({ ...text, created_at: at })),
  );
}

/** Stores what a version of a page says, for good. */
export async function storeShownTexts(site: SiteDb, page: Page, at: Date): Promise<void> {
  await store(site, await missingTexts(site, page), at);
}

const VERSIONS_AT_ONCE = 20;

/**
 * Stores what is missing: versions from before texts were stored, and the words of pages that a new version of Sayso says
 * otherwise.
 */
export async function storeMissingTexts(
  services: Pick<Services, 'database' | 'clock'>,
  siteId: string,
): Promise<void> {
  let after: { page_id: string; version: number } | null = null;
  for (;;) {
    const place: typeof after = after;
    const { versions, missing } = await services.database.readSite(siteId, async (site) => {
      const found = await versionsAfter(site, place, VERSIONS_AT_ONCE);
      const texts: Text[] = [];
      for (const { page_id: id, version, content } of found)
        texts.push(...(await missingTexts(site, { id, version, content })));
      return { versions: found, missing: texts };
    });
    const unique = [...new Map(missing.map((text) => [text.hash.toString('hex'), text])).values()];
    if (unique.length > 0)
      await services.database.inSite(siteId, (site) => store(site, unique, services.clock.now()));
    after = versions.at(-1) ?? null;
    if (versions.length < VERSIONS_AT_ONCE) return;
  }
}

/** The text that applied at a time, of several of the same version: the last one that was stored by then, or the first. */
export function textAt(texts: readonly ShownTextRow[], at: Date): ShownTextRow | undefined {
  return texts.findLast((text) => text.created_at <= at) ?? texts[0];
}
