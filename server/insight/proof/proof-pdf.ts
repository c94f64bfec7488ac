import type { ImportedDetails, LinkPage, Requested } from '#contract/choices.ts';
import type { LegalBasis } from '#contract/lists.ts';
import type { PageContent } from '#contract/page-drafts.ts';
import { EVIDENCE_KEYS_PATH, VERIFIER_PATH } from '#contract/proof.ts';
import { requireSite } from '#server/accounts/sites/sites.ts';
import { countedAtLastCheck } from '#server/audience/evidence-checks/evidence-checks.ts';
import { lastHead } from '#server/audience/evidence-heads/evidence-heads.ts';
import { signerOf } from '#server/audience/evidence-heads/signing.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.ts';
import { type TextIndex, wordsHash } from '#server/pages/shown-texts/shown-texts.ts';
import type { Download } from '#server/platform/http/implement.ts';
import { type Block, type DocumentHeader, drawPdf } from '#server/platform/pdf/draw-pdf.ts';
import type { Services } from '#server/platform/services.ts';
import type { textOfMail } from '#server/visit/customer-mails/mail-layout.ts';
import type { TextKey } from '#web/page/texts.ts';
import type { RecordPart } from './parts.ts';
import { customerRecords, type RecordPage } from './proof.ts';
import { countRecords } from './proof.sql.ts';
import { COLLECTION_METHODS, noticeOf, UNDONE } from './receipt.ts';

/* Proof to read and print. It proves nothing on its own: it says which pack does, and how to verify that. */

const timeText = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

const heading = (text: string): Block => ({ kind: 'heading', text });
const paragraph = (text: string): Block => ({ kind: 'paragraph', text });

type Fact = [name: string, value: string | null | undefined, lang?: string | null];

/** Without those that have no value. */
function facts(...all: Fact[]): Block[] {
  return all.flatMap(([name, value, lang]): Block[] =>
    value ? [{ kind: 'fact', name, value, ...(lang ? { lang } : {}) }] : [],
  );
}

/** A name keeps its own direction within an English line, and can't turn what stands around it. */
const name = (text: string) => `\u2068${text.replaceAll(/[\u2066-\u2069]/g, '')}\u2069`;

function headerOf(title: string, footer: string, madeAt: Date): DocumentHeader {
  return { title, footer, madeAt: madeAt.toISOString() };
}

function howToVerify(services: Services, pack: string): Block[] {
  const { appUrl } = services.config;
  return [
    heading('How to verify this'),
    paragraph(
      `This document is for reading. Only the proof pack (${pack}) can be verified. It contains the same records, exactly as they were hashed and signed. Download ${appUrl}${VERIFIER_PATH} and run: node verify.mjs ${pack}. The verifier needs no network and names the first record that was altered, added or removed.`,
    ),
    ...facts(
      ['Public key', `${signerOf(services.keyring).key.kid} (Ed25519, JWK thumbprint)`],
      ['Published at', `${appUrl}${EVIDENCE_KEYS_PATH}`],
    ),
  ];
}

type Content = Pick<
  ChoiceRow,
  | 'id'
  | 'customer_id'
  | 'sequence'
  | 'source'
  | 'authority'
  | 'lists'
  | 'events'
  | 'global_unsubscribe'
  | 'language'
  | 'ip'
  | 'shown'
> & { occurred_at: string; paused_until?: string; requested?: Requested };

const AUTHORITIES: Record<Content['authority'], string> = {
  open: 'A typed email, not verified',
  proven: 'Personal link',
  link: 'Link from an email',
  owner: 'Logged-in member of the team',
  api_key: 'API key',
  system: 'Sayso',
};

/** The form in which it was hashed: dates are text. */
const contentOf = (record: RecordPart) => JSON.parse(JSON.stringify(record.content)) as Content;

const onOff = (subscribed: boolean | null) =>
  subscribed === null ? 'never chosen' : subscribed ? 'subscribed' : 'not subscribed';

function changesOf({ lists, events, global_unsubscribe, paused_until }: Content): string {
  const lines = lists.map(
    (list) =>
      `${name(list.name)}: ${onOff(list.previous)} → ${list.cleared ? 'never chosen' : list.declined ? 'declined' : onOff(list.subscribed)}`,
  );
  if (paused_until !== undefined) lines.push(`Paused until ${timeText(paused_until)}`);
  else if (global_unsubscribe) lines.push('Unsubscribed from all');
  return lines.length > 0 ? lines.join('\n') : events.map((event) => event.replaceAll('_', ' ')).join(', ');
}

/** What the customer asked to stop, and was off already. */
function alreadyOffText({ shown: { already_off: asked } }: Content): string | null {
  if (asked === undefined) return null;
  const lists = asked.lists.map(({ name: own, list_id: id, deleted }) =>
    deleted ? `${name(own || id)} (no longer existed)` : own,
  );
  return [...(asked.everything ? ['From all'] : []), ...lists].join('\n');
}

function shownText({ source, shown }: Pick<Content, 'source' | 'shown'>): string {
  const page = [
    shown.url ?? noticeOf({ source, shown }),
    shown.page_version === null || shown.page_version === undefined ? null : `version ${shown.page_version}`,
    shown.template_id ? `template ${shown.template_id}` : null,
  ].filter(Boolean);
  const lists = (shown.lists ?? []).map(
    (list) =>
      `“${name(list.name)}”${list.description === '' ? '' : ` – ${name(list.description)}`} (default: ${list.default_state ? 'on' : 'off'})`,
  );
  return [page.join(', '), ...lists].filter((line) => line !== '').join('\n');
}

function deliveryText(delivery: RecordPart['deliveries'][number]): string {
  const receiver = name(delivery.account ?? delivery.tool ?? delivery.action_type);
  const confirmed = delivery.confirmed_at === null ? null : `confirmed ${timeText(delivery.confirmed_at)}`;
  const ended = delivery.finished_at === null ? null : `${delivery.status} ${timeText(delivery.finished_at)}`;
  return [`${receiver}, “${name(delivery.action)}”`, ended ?? delivery.status, confirmed]
    .filter(Boolean)
    .join(', ');
}

type Saying = Pick<Content, 'source' | 'shown' | 'language'> &
  Partial<Pick<Content, 'events' | 'paused_until'>>;

/** The page behind the link. Records from before don't name it. */
function linkPageOf({ source, shown, events }: Saying): LinkPage | null {
  if (shown.link_page !== undefined) return shown.link_page;
  if (source !== 'confirm_link') return null;
  return events?.includes('email_changed') ? 'email_change' : 'resubscribe';
}

const PAUSE = ['pause.title', 'pause.text', 'pause.start'] as const;
const WRONG_RECIPIENT = ['stranger.text', 'stranger.button'] as const;

/** What stands on the page behind a link, around the button that was pressed. */
function saidBehindLink(
  page: LinkPage,
  { source, events, paused_until: isPause }: Saying,
): readonly TextKey[] {
  if (page === 'restore') {
    const what = events?.includes('global_resubscribed') ? 'all' : 'list';
    return [`restore.title_${what}`, 'restore.text', 'restore.button'];
  }
  if (page !== 'leave') return [`${page}.title`, `${page}.text`, `${page}.button`];
  const isAll = events?.includes('global_unsubscribed') || source === 'wrong_recipient' || isPause;
  const title = isAll ? 'state.leave_all' : 'state.leave_list';
  if (source === 'undo') return ['state.undo'];
  return [title, 'leave.button', ...(isPause ? PAUSE : []), ...WRONG_RECIPIENT];
}

/**
 * What the page said around the lists, in the language that the person read: its own words, or the product's. null: the
 * text isn't stored any more.
 */
function wordsShown(texts: TextIndex, saying: Saying, at: Date, listNames = ''): string | null {
  const { shown, language } = saying;
  const page = texts.find(shown, at);
  if (page === undefined) return null;
  const words = texts.get(wordsHash(page, language) ?? '')?.content['texts'];
  const ours = (words ?? {}) as Partial<Record<TextKey, string>>;
  const linkPage = linkPageOf(saying);
  if (linkPage !== null) {
    const keys = saidBehindLink(linkPage, saying);
    return quoted(keys.map((key) => ours[key]?.replace('{list}', listNames)));
  }
  const { attrs } = page.content['content'] as PageContent;
  return quoted([
    attrs.tag_subject || ours['pref_template.title'],
    attrs.tag_pre_name,
    ours['pref_template.lists_label'],
    attrs.unsubscribe_all ? ours['pref_template.unsubscribe_all'] : '',
    ours['pref_template.save'],
    attrs.saved_preferences_msg || ours['pref_template.saved'],
  ]);
}

const quoted = (texts: readonly (string | null | undefined)[]) =>
  texts.flatMap((text) => (text ? [`“${text}”`] : [])).join('\n');

/** What the email with the link said. null: the record doesn't name it, as older ones. */
function wordsOfEmail(texts: TextIndex, { email_text_hash: hash }: Content['shown']): string | null {
  const email = texts.get(hash ?? '')?.content as ReturnType<typeof textOfMail> | undefined;
  if (email === undefined) return null;
  const { subject, greeting, lines, button, note } = email;
  return quoted([subject, greeting, ...lines, button, note]);
}

const BASES: Record<LegalBasis, string> = {
  consent: 'Consent',
  soft_opt_in: 'Soft opt-in (not consent)',
  contract: 'Contract',
  legitimate_interest: 'Legitimate interest',
};

function basesOf({ receipt }: RecordPart): string {
  return receipt.iso_27560.pii_processing
    .map(
      ({ purpose, lawful_basis: basis }) =>
        `${name(purpose)}: ${basis === null ? 'not stated' : BASES[basis]}`,
    )
    .join('\n');
}

/** The second of two steps: here, or as an imported file says. */
function confirmedAt(record: RecordPart, { requested, occurred_at: at }: Content): string {
  if (requested !== undefined) return `${timeText(at)}, by a button behind a link in an email`;
  return record.receipt.iso_27560.pii_processing
    .flatMap(({ purpose, double_opt_in_at: there }) =>
      there === null ? [] : [`${name(purpose)}: ${timeText(there)}, as the imported file says`],
    )
    .join('\n');
}

/** The first of two steps: somebody asked, and the choice waited for a click in an email. */
function requestFacts(record: RecordPart, texts: TextIndex): Block[] {
  const { requested, shown } = contentOf(record);
  if (requested === undefined) return [];
  const { language } = requested;
  return facts(
    ['Requested', timeText(requested.at)],
    ['Request: how', COLLECTION_METHODS[requested.source]],
    ['Request: shown', shownText(requested)],
    ['Request: words', wordsShown(texts, requested, new Date(requested.at)), language],
    ['Words of the email', wordsOfEmail(texts, shown), language],
    ['Request: language', language],
    ['Request: IP', requested.ip],
    ['Request: browser', record.person?.requested_user_agent],
  );
}

/** Where an imported choice comes from. */
function importFacts(from: Content['shown']['imported'], details?: ImportedDetails): Block[] {
  if (from === undefined) return [];
  const tool = from.tool === null ? '' : `, exported from ${from.tool}`;
  const since = from.suppressed_at === undefined ? '' : ` ${timeText(from.suppressed_at)}`;
  return facts(
    ['Imported file', `${name(from.file_name)}${tool}, row ${from.rows.join(', ')}`],
    ['SHA-256 of the file', from.file_sha256],
    ['Signed up', from.consent_at === undefined ? null : timeText(from.consent_at)],
    ['IP of the sign-up', details?.consent_ip],
    ['Source', details?.source],
    ['State in the file', `${from.suppression ?? ''}${since}`.trim()],
    ['Reason in the file', details?.reason],
  );
}

function recordSection(record: RecordPart, { texts, heads }: RecordPage): Block[] {
  const content = contentOf(record);
  const { language } = content;
  const { undone } = content.shown;
  const listNames = content.lists.map((list) => list.name).join(', ');
  const head = heads.get(content.id) ?? null;
  return [
    heading(`Record ${content.sequence} · ${timeText(content.occurred_at)}`),
    ...facts(['Who', record.person?.email ?? 'Erased: no one can tell who it was']),
    ...requestFacts(record, texts),
    ...facts(
      ['Confirmed', confirmedAt(record, content)],
      ['Confirmed from IP', record.person?.confirmed_ip],
      ['How', undone === undefined ? COLLECTION_METHODS[content.source] : UNDONE[undone.kind]],
      ['Records undone', undone?.sequences.join(', ')],
      ['Identified by', AUTHORITIES[content.authority]],
      ['What changed', changesOf(content)],
      ['Already unsubscribed', alreadyOffText(content)],
      ['Legal basis', basesOf(record)],
    ),
    ...importFacts(content.shown.imported, record.person?.imported),
    ...facts(
      ['What was shown', shownText(content)],
      ['Words of the page', wordsShown(texts, content, new Date(content.occurred_at), listNames), language],
      ['Language', language],
      ['IP, anonymized', content.ip],
      ['Browser', record.person?.user_agent],
      ['Reason given', record.reason],
      ['Sent to', record.deliveries.map(deliveryText).join('\n')],
      ['Record ID', content.id],
      ['Hash', record.hash],
      ['Hash before', record.previous_hash],
      ['Signed in', head === null ? 'Not in a daily signed head yet' : `Head ${head}`],
    ),
  ];
}

/** A customer's records, to read and print, however many there are. @throws AppError `not_found` */
export async function customerPdf(services: Services, siteId: string, customerId: string): Promise<Download> {
  const { site, email, records, pages } = await customerRecords(services, siteId, customerId);
  const madeAt = services.clock.now();
  async function* blocks(): AsyncGenerator<Block[]> {
    yield facts(
      ['Customer', email ?? customerId],
      ['Customer ID', customerId],
      ['Site', `${name(site.name)}, ${site.url}`],
      ['Responsible', site.operator.legal_name],
      ['Records', String(records)],
      ['Created', timeText(madeAt.toISOString())],
    );
    for await (const page of pages) for (const record of page.records) yield recordSection(record, page);
    yield howToVerify(services, `proof-${customerId}.json`);
  }
  const header = headerOf(
    'Proof of choices',
    `Proof of choices · ${name(site.name)} · ${customerId}`,
    madeAt,
  );
  return { fileName: `proof-${customerId}.pdf`, content: drawPdf(siteId, header, blocks()) };
}

/** Figures, heads and keys of a site. */
export async function sitePdf(services: Services, siteId: string): Promise<Download> {
  const site = await requireSite(services, services.database.global, siteId);
  const { counts, head } = await services.database.readSite(siteId, async (db) => ({
    counts: await countRecords(db, await countedAtLastCheck(db)),
    head: await lastHead(db),
  }));
  const madeAt = services.clock.now();
  const { first, last } = counts;
  const blocks: Block[] = [
    ...facts(
      ['Site', `${name(site.name)}, ${site.url}`],
      ['Responsible', site.operator.legal_name],
      ['Records', String(counts.records)],
      ['Customers', String(counts.customers)],
      ['First record', first === null ? null : timeText(first.toISOString())],
      ['Last record', last === null ? null : timeText(last.toISOString())],
      ['Created', timeText(madeAt.toISOString())],
    ),
    heading('Last signed head'),
    ...(head === undefined
      ? [paragraph('The first one will be signed tonight.')]
      : facts(
          ['Number', String(head.number)],
          ['Signed', timeText(head.signed_at.toISOString())],
          ['Key', head.kid],
          ['Statement', head.statement],
          ['Signature', head.signature.toString('base64url')],
        )),
    ...howToVerify(services, 'proof-pack.json'),
  ];
  const header = headerOf('Proof of choices: summary', `Proof of choices · ${name(site.name)}`, madeAt);
  return { fileName: 'proof-summary.pdf', content: drawPdf(siteId, header, [blocks]) };
}
