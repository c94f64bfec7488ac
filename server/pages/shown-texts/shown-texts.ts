import type { Evidence } from '#contract/choices.ts';
import { type Language, LANGUAGES } from '#contract/fields.ts';
import type { PageContent } from '#contract/page-drafts.ts';
import { canonicalText } from '#server/audience/evidence/evidence.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { isForeignKeyViolation } from '#server/platform/database-errors.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { textsOf } from '#web/page/locales.ts';
import { insertShownTexts, knownHashes, type ShownTextRow, versionsAfter } from './shown-texts.sql.ts';

export type { ShownTextRow } from './shown-texts.sql.ts';
export { shownTextsAfter, textsByHash, textsOfPage } from './shown-texts.sql.ts';

/*
 * What pages said, word for word, for as long as there is evidence. The history of a page holds its last versions only, and
 * buttons and notices have the product's own words, which change with its version. What emails said that asked for a
 * confirmation is stored with them.
 */

type Text = Omit<Parameters<typeof insertShownTexts>[1][number], 'created_at'>;

/** A text and the hash that it is stored and found by. */
function textOf(content: Record<string, unknown>, of: Pick<Text, 'page_id' | 'version' | 'language'>): Text {
  return { ...of, hash: sha256(canonicalText(content)), content: JSON.stringify(content) };
}

const words = new Map<Language, Text>();

/** The product's own words, which are the same for as long as the process runs. */
function wordsIn(language: Language): Text {
  const content = { kind: 'words', language, texts: textsOf(language) };
  const text = words.get(language) ?? textOf(content, { page_id: null, version: null, language });
  words.set(language, text);
  return text;
}

type Page = { id: string; version: number; content: PageContent };

/** What the page says; it names the product's words in the page's languages by their hashes. */
function textOfPage(page: Page): Text {
  const content = {
    kind: 'page',
    page_id: page.id,
    version: page.version,
    content: page.content,
    words: Object.fromEntries(
      page.content.active_languages.map((language) => [language, wordsIn(language).hash.toString('hex')]),
    ),
  };
  return textOf(content, { page_id: page.id, version: page.version, language: null });
}

function textsOfVersion(page: Page): Text[] {
  return [...page.content.active_languages.map(wordsIn), textOfPage(page)];
}

/** Which of these texts are not stored yet. */
async function missingTexts(site: SiteDb, texts: readonly Text[]): Promise<Text[]> {
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
  await store(site, await missingTexts(site, textsOfVersion(page)), at);
}

/** What an email says: nothing that names its reader, because texts outlive an erasure. */
export interface EmailText extends Record<string, unknown> {
  /** What it asks to confirm. */
  asks_for: string;
  language: Language;
}

/**
 * Stores what an email says, for good, before it is sent.
 * @returns the hash that records name it by
 */
export async function storeEmailText(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  siteId: string,
  email: EmailText,
): Promise<Buffer> {
  const of = { page_id: null, version: null, language: email.language };
  const text = textOf({ kind: 'email', ...email }, of);
  await database.inSite(siteId, (site) => store(site, [text], clock.now()));
  return text.hash;
}

interface Noted {
  siteId: string;
  texts: readonly Text[];
}

/** By site and hash: texts that this process began to show, until it knows that they are stored. */
const noted = new WeakMap<Services['database'], Map<string, Noted>>();

function notedIn(database: Services['database']): Map<string, Noted> {
  const texts = noted.get(database) ?? new Map<string, Noted>();
  noted.set(database, texts);
  return texts;
}

/** @param text names the others by their hashes */
function note({ database }: Services, siteId: string, text: Text, others: readonly Text[]): string {
  const hash = text.hash.toString('hex');
  notedIn(database).set(`${siteId} ${hash}`, { siteId, texts: [...others, text] });
  return hash;
}

/**
 * A page is about to be shown with the words of this process, which another version of Sayso may have published.
 * @returns the hash that records name its text by, in hex
 */
export function noteShownText(services: Services, siteId: string, page: Page): string {
  return note(services, siteId, textOfPage(page), page.content.active_languages.map(wordsIn));
}

/**
 * The page behind a link is about to be shown for a site that has no preference page: it has the product's words only.
 * @returns the hash that records name its text by, in hex
 */
export function noteNeutralText(services: Services, siteId: string): string {
  const words = LANGUAGES.map(wordsIn);
  const hashes = words.map(({ language, hash }) => [language, hash.toString('hex')] as const);
  const content = { kind: 'no_page', page_id: null, version: null, words: Object.fromEntries(hashes) };
  return note(services, siteId, textOf(content, { page_id: null, version: null, language: null }), words);
}

/**
 * Stores what this process began to show. What can't be stored now is tried again with the next, and holds up no other
 * site.
 * @throws the first failure
 */
export async function storeNotedTexts(services: Pick<Services, 'database' | 'clock'>): Promise<void> {
  const texts = notedIn(services.database);
  const failures: unknown[] = [];
  for (const [key, one] of texts) {
    try {
      await storeNoted(services, one);
      if (texts.get(key) === one) texts.delete(key);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function storeNoted(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { siteId, texts }: Noted,
): Promise<void> {
  const missing = await database.readSite(siteId, (site) => missingTexts(site, texts));
  if (missing.length === 0) return;
  try {
    await database.inSite(siteId, (site) => store(site, missing, clock.now()));
  } catch (error) {
    // The site is gone, and its records with it.
    if (!isForeignKeyViolation(error)) throw error;
  }
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
        texts.push(...(await missingTexts(site, textsOfVersion({ id, version, content }))));
      return { versions: found, missing: texts };
    });
    const unique = [...new Map(missing.map((text) => [text.hash.toString('hex'), text])).values()];
    if (unique.length > 0)
      await services.database.inSite(siteId, (site) => store(site, unique, services.clock.now()));
    after = versions.at(-1) ?? null;
    if (versions.length < VERSIONS_AT_ONCE) return;
  }
}

type Shown = Evidence['shown'];

/** The hashes of the texts that these records name: of pages, and of emails. */
export function namedTexts(shown: readonly Shown[]): string[] {
  const hashes = shown.flatMap(({ text_hash: page, email_text_hash: email }) => [page, email]);
  return [...new Set(hashes.filter((hash) => hash !== undefined))];
}

/** Finds the texts that records showed, among those that were added, oldest first. */
export class TextIndex {
  readonly #byHash = new Map<string, ShownTextRow>();
  readonly #byPage = new Map<string, ShownTextRow[]>();

  add(text: ShownTextRow): void {
    const hash = text.hash.toString('hex');
    if (this.#byHash.has(hash)) return;
    this.#byHash.set(hash, text);
    if (text.page_id === null) return;
    const page = `${text.page_id} ${text.version}`;
    const versions = this.#byPage.get(page) ?? [];
    versions.push(text);
    this.#byPage.set(page, versions);
  }

  all(): ShownTextRow[] {
    return [...this.#byHash.values()];
  }

  get(hash: string): ShownTextRow | undefined {
    return this.#byHash.get(hash);
  }

  /**
   * The text that the record names. In records from before they named one: the last of the page's version that was
   * stored by then, or the first.
   */
  find(shown: Shown, at: Date): ShownTextRow | undefined {
    if (shown.text_hash !== undefined) return this.#byHash.get(shown.text_hash);
    const versions = this.#byPage.get(`${shown.page_id} ${shown.page_version}`) ?? [];
    return versions.findLast((text) => text.created_at <= at) ?? versions[0];
  }
}

interface PageText {
  content?: { attrs?: { language?: string } & Record<string, unknown> };
  words?: Record<string, string>;
}

/** The hash, in hex, of the words that a page showed to somebody who reads this language, or else in its default language. */
export function wordsHash({ content }: Pick<ShownTextRow, 'content'>, language: string | null) {
  const { content: page, words = {} } = content as PageText;
  return words[language ?? ''] ?? words[page?.attrs?.language ?? ''];
}
