import type { Site } from '#contract/sites.ts';
import { requireSite } from '#server/accounts/sites/sites.ts';
import { decryptPerson, type ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import { SETTLES_AFTER_MS, settledBefore } from '#server/audience/evidence/settled.ts';
import { headAfter, lastHead, presentHead } from '#server/audience/evidence-heads/evidence-heads.ts';
import { signerOf } from '#server/audience/evidence-heads/signing.ts';
import {
  namedTexts,
  type ShownTextRow,
  shownTextsAfter,
  TextIndex,
  textsByHash,
  textsOfPage,
  wordsHash,
} from '#server/pages/shown-texts/shown-texts.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Download } from '#server/platform/http/implement.ts';
import { FIRST_ID } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { packText, type Part } from './pack-file.ts';
import {
  chainsPart,
  deliveriesByChoice,
  headerPart,
  headFinder,
  type RecordPart,
  recordPart,
  textPart,
} from './parts.ts';
import {
  type ChainEnd,
  chainEndsAfter,
  chainEndsMergedInto,
  findChainEnd,
  countRecordsOf,
  recordsBehind,
  recordsBetween,
  recordsOfCustomers,
} from './proof.sql.ts';

const ROWS_AT_ONCE = 500;
const CUSTOMERS_AT_ONCE = 200;
const TEXTS_AT_ONCE = 50;

/** What these records showed, and what the first of two steps showed. */
function shownIn(choices: readonly ReasonedChoiceRow[]) {
  return choices.flatMap(({ shown, requested }) => [shown, ...(requested ? [requested.shown] : [])]);
}

/** The pages, once each, of records that don't name their text. */
function unnamedPages(choices: readonly ReasonedChoiceRow[]): { pageId: string; version: number }[] {
  const pages = new Map<string, { pageId: string; version: number }>();
  for (const { page_id: pageId, page_version: version, text_hash: hash } of shownIn(choices))
    if (hash === undefined && pageId && version !== null && version !== undefined)
      pages.set(`${pageId} ${version}`, { pageId, version });
  return [...pages.values()];
}

async function textsByHex(site: SiteDb, hashes: readonly string[]): Promise<ShownTextRow[]> {
  if (hashes.length === 0) return [];
  return textsByHash(
    site,
    hashes.map((hash) => Buffer.from(hash, 'hex')),
  );
}

/** The product's words on these pages, in the languages that people read them in. */
async function wordsOfPages(
  site: SiteDb,
  pages: readonly ShownTextRow[],
  choices: readonly ReasonedChoiceRow[],
) {
  const languages = new Set(
    choices.flatMap(({ language, requested }) => [language, ...(requested ? [requested.language] : [])]),
  );
  const hashes = pages.flatMap((page) => [...languages].map((language) => wordsHash(page, language)));
  return textsByHex(site, [...new Set(hashes.filter((hash) => hash !== undefined))]);
}

/** What pages said to these people: each page once, and the words in the languages that they read. */
async function textsOfChoices(site: SiteDb, choices: readonly ReasonedChoiceRow[]) {
  const pages = await textsByHex(site, namedTexts(shownIn(choices)));
  for (const { pageId, version } of unnamedPages(choices))
    pages.push(...(await textsOfPage(site, pageId, version)));
  const words = await wordsOfPages(site, pages, choices);
  const index = new TextIndex();
  const oldestFirst = pages.toSorted((one, other) => one.created_at.getTime() - other.created_at.getTime());
  for (const text of [...words, ...oldestFirst]) index.add(text);
  return index;
}

/** A customer's own chain, and those of customers who turned out to be the same. */
async function chainsOfPerson(site: SiteDb, customerId: string): Promise<[ChainEnd, ...ChainEnd[]]> {
  const own = await findChainEnd(site, customerId);
  const survivor = own?.merged_into ? await findChainEnd(site, own.merged_into) : own;
  if (survivor === undefined) throw notFound('This customer');
  return [survivor, ...(await chainEndsMergedInto(site, survivor.id))];
}

/**
 * Everything there is to prove about a customer, as of one moment. Also of one who was erased: their records hold, and nobody
 * can read who it was.
 * @throws AppError `not_found`
 */
async function customerParts(
  services: Services,
  siteId: string,
  customerId: string,
): Promise<Iterable<Part>> {
  const site = await requireSite(services, services.database.global, siteId);
  const found = await services.database.readSite(siteId, async (db) => {
    await db.query('set transaction isolation level repeatable read');
    const chains = await chainsOfPerson(db, customerId);
    const choices = await recordsOfCustomers(
      db,
      chains.map(({ id }) => id),
      FIRST_ID,
    );
    const texts = await textsOfChoices(db, choices);
    const deliveries = await deliveriesByChoice(db, choices);
    const finder = headFinder(db);
    const signed = new Map<string, Awaited<ReturnType<typeof finder.find>>>();
    for (const choice of choices.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
      signed.set(choice.id, await finder.find(choice));
    const last = await lastHead(db);
    if (last !== undefined) finder.used.set(last.number, last);
    return { chains, choices, texts, deliveries, signed, heads: [...finder.used.values()] };
  });
  const { chains, choices, texts, deliveries, signed, heads } = found;
  const header = await headerPart(services, site, { about: 'customer', customer_id: chains[0].id });
  return (function* () {
    yield header;
    yield* texts.all().map(textPart);
    for (const head of heads.toSorted((one, other) => one.number - other.number))
      yield { kind: 'head', ...presentHead(head) };
    for (const choice of choices)
      yield recordPart(services, site, choice, {
        deliveries: deliveries.get(choice.id) ?? [],
        text: texts.find(choice.shown, choice.occurred_at),
        signed: signed.get(choice.id) ?? null,
      });
    yield chainsPart(chains);
  })();
}

const RECORDS_OF_DOCUMENT_AT_ONCE = 50;

export interface CustomerRecords {
  site: Site;
  records: number;
  /** The last email; null: the customer was erased. */
  email: string | null;
  pages: AsyncIterable<RecordPage>;
}

export interface RecordPage {
  records: RecordPart[];
  texts: TextIndex;
  /** By the id of the record: the head that it was signed with. */
  heads: Map<string, number | null>;
}

/**
 * A customer's records to read, a few at a time however many there are. Records are only ever added, so those that were there at the
 * start are there to the end.
 * @throws AppError `not_found`
 */
export async function customerRecords(
  services: Services,
  siteId: string,
  customerId: string,
): Promise<CustomerRecords> {
  const site = await requireSite(services, services.database.global, siteId);
  const read: Read = (work) => services.database.readSite(siteId, work);
  const found = await read(async (db) => {
    const chains = await chainsOfPerson(db, customerId);
    const ids = chains.map(({ id }) => id);
    const [{ id, sequence }] = chains;
    const [last] = await recordsBehind(db, [id], { customerId: id, sequence: sequence - 1 }, 1);
    return { ids, records: await countRecordsOf(db, ids), last };
  });
  const { ids, records, last } = found;
  const email = last === undefined ? null : (decryptPerson(services.keyring, last)?.email ?? null);
  return { site, records, email, pages: pagesOfRecords(services, site, ids, records) };
}

async function* pagesOfRecords(
  services: Services,
  site: Site,
  customerIds: readonly string[],
  atStart: number,
): AsyncGenerator<RecordPage> {
  let place = { customerId: FIRST_ID, sequence: 0 };
  for (let left = atStart; left > 0;) {
    const behind = place;
    const limit = Math.min(left, RECORDS_OF_DOCUMENT_AT_ONCE);
    const page = await services.database.readSite(site.id, async (db) => {
      const choices = await recordsBehind(db, customerIds, behind, limit);
      const texts = await textsOfChoices(db, choices);
      const deliveries = await deliveriesByChoice(db, choices);
      const finder = headFinder(db);
      const heads = new Map<string, number | null>();
      for (const { id } of choices) heads.set(id, await finder.numberOf({ id }));
      return { choices, texts, deliveries, heads };
    });
    const { choices, texts, deliveries, heads } = page;
    const last = choices.at(-1);
    if (last === undefined) return;
    place = { customerId: last.customer_id, sequence: last.sequence };
    left -= choices.length;
    const records = choices.map((choice) =>
      recordPart(services, site, choice, {
        deliveries: deliveries.get(choice.id) ?? [],
        text: texts.find(choice.shown, choice.occurred_at),
        signed: null,
      }),
    );
    yield { records, texts, heads };
  }
}

/** A customer's proof pack. @throws AppError `not_found` */
export async function customerPack(
  services: Services,
  siteId: string,
  customerId: string,
): Promise<Download> {
  const parts = await customerParts(services, siteId, customerId);
  return {
    fileName: `proof-${customerId}.json`,
    content: packText(signerOf(services.keyring), parts),
  };
}

/** The proof pack of a site, a few hundred records in memory at a time. The site goes on meanwhile. */
export async function sitePack(
  services: Services,
  siteId: string,
  {
    settlesAfterMs = SETTLES_AFTER_MS,
    customersAtOnce = CUSTOMERS_AT_ONCE,
  }: { settlesAfterMs?: number; customersAtOnce?: number } = {},
): Promise<Download> {
  const site = await requireSite(services, services.database.global, siteId);
  const header = await headerPart(services, site, { about: 'site' });
  const parts = siteParts(services, site, header, {
    settled: settledBefore(settlesAfterMs),
    customersAtOnce,
  });
  return { fileName: 'proof-pack.json', content: packText(signerOf(services.keyring), parts) };
}

type Read = <T>(work: (site: SiteDb) => Promise<T>) => Promise<T>;

/** @param options.settled all records with smaller ids are there by now */
async function* siteParts(
  services: Services,
  site: Site,
  header: Part,
  { settled, customersAtOnce }: { settled: string; customersAtOnce: number },
): AsyncGenerator<Part> {
  const read: Read = (work) => services.database.readSite(site.id, work);
  yield header;
  const texts = new TextIndex();
  // Without what they say: only when they were stored.
  const know = (text: ShownTextRow) => texts.add({ ...text, content: {} });
  for await (const text of allTexts(read)) {
    yield textPart(text);
    know(text);
  }
  const present: Present = async (db, choices) => {
    const deliveries = await deliveriesByChoice(db, choices);
    const younger = await youngerTexts(db, choices, texts);
    for (const text of younger) know(text);
    return (function* () {
      yield* younger.map(textPart);
      for (const choice of choices)
        yield recordPart(services, site, choice, {
          deliveries: deliveries.get(choice.id) ?? [],
          text: texts.find(choice.shown, choice.occurred_at),
          signed: null,
        });
    })();
  };
  let from = FIRST_ID;
  for (let number = 0; ;) {
    const after = number;
    const head = await read((db) => headAfter(db, after));
    if (head === undefined) break;
    yield { kind: 'head', ...presentHead(head), leaves: head.leaves.toString('base64') };
    // After the head's part, in the order in which it was signed.
    yield* recordsOf(read, from, head.up_to, present);
    [number, from] = [head.number, head.up_to];
  }
  const since = settled > from ? settled : from;
  yield* recordsOf(read, from, since, present);
  yield* endsOf(read, since, customersAtOnce, present);
}

/** What these records showed that was stored after the texts of the site were read. */
async function youngerTexts(site: SiteDb, choices: readonly ReasonedChoiceRow[], known: TextIndex) {
  const pages = await textsByHex(
    site,
    namedTexts(shownIn(choices)).filter((hash) => known.get(hash) === undefined),
  );
  const words = await wordsOfPages(site, pages, choices);
  return [...words.filter(({ hash }) => known.get(hash.toString('hex')) === undefined), ...pages];
}

async function* allTexts(read: Read): AsyncGenerator<ShownTextRow> {
  let after: ShownTextRow | null = null;
  for (;;) {
    const place: ShownTextRow | null = after;
    const texts: ShownTextRow[] = await read((db) => shownTextsAfter(db, place, TEXTS_AT_ONCE));
    yield* texts;
    after = texts.at(-1) ?? null;
    if (texts.length < TEXTS_AT_ONCE) return;
  }
}

type Present = (db: SiteDb, choices: ReasonedChoiceRow[]) => Promise<Iterable<Part>>;

async function* recordsOf(read: Read, start: string, before: string, present: Present): AsyncGenerator<Part> {
  let from = start;
  while (from < before) {
    const first = from;
    const { parts, next } = await read(async (db) => {
      const rows = await recordsBetween(db, { from: first, before, limit: ROWS_AT_ONCE + 1 });
      return { parts: await present(db, rows.slice(0, ROWS_AT_ONCE)), next: rows[ROWS_AT_ONCE]?.id };
    });
    yield* parts;
    if (next === undefined) return;
    from = next;
  }
}

/** Where each chain ends, with the records since `since`: both of one moment, so that what is saved now breaks nothing. */
async function* endsOf(read: Read, since: string, atOnce: number, present: Present): AsyncGenerator<Part> {
  let after = FIRST_ID;
  for (;;) {
    const from = after;
    const { ends, parts } = await read(async (db) => {
      await db.query('set transaction isolation level repeatable read');
      const customers = await chainEndsAfter(db, from, atOnce);
      if (customers.length === 0) return { ends: customers, parts: [] };
      const ids = customers.map(({ id }) => id);
      return { ends: customers, parts: await present(db, await recordsOfCustomers(db, ids, since)) };
    });
    yield* parts;
    if (ends.length > 0) yield chainsPart(ends);
    const last = ends.at(-1);
    if (last === undefined || ends.length < atOnce) return;
    after = last.id;
  }
}
