import { join } from 'node:path';
import { PDFDocument } from 'pdfkit';
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
import type { Services } from '#server/platform/services.ts';
import type { textOfMail } from '#server/visit/customer-mails/mail-layout.ts';
import type { TextKey } from '#web/page/texts.ts';
import type { RecordPart } from './parts.ts';
import { customerProof } from './proof.ts';
import { countRecords } from './proof.sql.ts';
import { COLLECTION_METHODS, noticeOf, UNDONE } from './receipt.ts';

/* Proof to read and print. It proves nothing on its own: it says which pack does, and how to verify that. */

const FONTS = join(import.meta.dirname, 'fonts');
const MARGIN = 56;
const INK = '#14171f';
const MUTED = '#5b6472';
const LINE = '#d9dde3';

type Pdf = PDFDocument;

const timeText = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

function begin(title: string, madeAt: Date): Pdf {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    font: join(FONTS, 'DejaVuSans.ttf'),
    info: { Title: title, Creator: 'Sayso', CreationDate: madeAt },
    lang: 'en',
    displayTitle: true,
  });
  pdf.registerFont('regular', join(FONTS, 'DejaVuSans.ttf'));
  pdf.registerFont('bold', join(FONTS, 'DejaVuSans-Bold.ttf'));
  pdf.font('bold').fontSize(20).fillColor(INK).text(title);
  pdf.moveDown(0.6);
  return pdf;
}

function heading(pdf: Pdf, text: string): void {
  // A heading does not stand at the foot of a page, away from what it is over.
  if (pdf.y > pdf.page.height - MARGIN - 120) pdf.addPage();
  pdf.moveDown(0.8);
  pdf
    .moveTo(MARGIN, pdf.y)
    .lineTo(pdf.page.width - MARGIN, pdf.y)
    .lineWidth(0.5)
    .stroke(LINE);
  pdf.moveDown(0.6);
  pdf.font('bold').fontSize(12).fillColor(INK).text(text, MARGIN);
  pdf.moveDown(0.3);
}

function paragraph(pdf: Pdf, text: string): void {
  pdf.font('regular').fontSize(9).fillColor(INK).text(text, MARGIN, pdf.y, { lineGap: 2 });
  pdf.moveDown(0.3);
}

const NAME_WIDTH = 118;

/** A fact in two columns, over page breaks. */
function fact(pdf: Pdf, name: string, value: string | null): void {
  if (value === null || value === '') return;
  const width = pdf.page.width - 2 * MARGIN - NAME_WIDTH;
  pdf.font('regular').fontSize(9);
  const height = Math.min(pdf.heightOfString(value, { width, lineGap: 1.5 }), 200);
  if (pdf.y + height > pdf.page.height - MARGIN) pdf.addPage();
  const top = pdf.y;
  pdf.fillColor(MUTED).text(name, MARGIN, top, { width: NAME_WIDTH - 10 });
  pdf.fillColor(INK).text(value, MARGIN + NAME_WIDTH, top, { width, lineGap: 1.5 });
  pdf.moveDown(0.25);
  pdf.x = MARGIN;
}

function finish(pdf: Pdf, footer: string): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    pdf.switchToPage(page);
    // Outside of the margin, or it would begin another page.
    pdf.page.margins.bottom = 0;
    pdf
      .font('regular')
      .fontSize(7.5)
      .fillColor(MUTED)
      .text(`${footer} · ${page + 1}/${count}`, MARGIN, pdf.page.height - 36, { lineBreak: false });
  }
  pdf.end();
}

function howToVerify(pdf: Pdf, services: Services, pack: string): void {
  const { appUrl } = services.config;
  heading(pdf, 'How to verify this');
  paragraph(
    pdf,
    `This document is for reading. Only the proof pack (${pack}) can be verified. It contains the same records, exactly as they were hashed and signed. Download ${appUrl}${VERIFIER_PATH} and run: node verify.mjs ${pack}. The verifier needs no network and names the first record that was altered, added or removed.`,
  );
  fact(pdf, 'Public key', `${signerOf(services.keyring).key.kid} (Ed25519, JWK thumbprint)`);
  fact(pdf, 'Published at', `${appUrl}${EVIDENCE_KEYS_PATH}`);
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
      `${list.name}: ${onOff(list.previous)} → ${list.cleared ? 'never chosen' : list.declined ? 'declined' : onOff(list.subscribed)}`,
  );
  if (paused_until !== undefined) lines.push(`Paused until ${timeText(paused_until)}`);
  else if (global_unsubscribe) lines.push('Unsubscribed from all');
  return lines.length > 0 ? lines.join('\n') : events.map((event) => event.replaceAll('_', ' ')).join(', ');
}

/** What the customer asked to stop, and was off already. */
function alreadyOffText({ shown: { already_off: asked } }: Content): string | null {
  if (asked === undefined) return null;
  const lists = asked.lists.map(({ name, list_id: id, deleted }) =>
    deleted ? `${name || id} (no longer existed)` : name,
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
      `“${list.name}”${list.description === '' ? '' : ` – ${list.description}`} (default: ${list.default_state ? 'on' : 'off'})`,
  );
  return [page.join(', '), ...lists].filter((line) => line !== '').join('\n');
}

function deliveryText(delivery: RecordPart['deliveries'][number]): string {
  const receiver = delivery.account ?? delivery.tool ?? delivery.action_type;
  const confirmed = delivery.confirmed_at === null ? null : `confirmed ${timeText(delivery.confirmed_at)}`;
  const ended = delivery.finished_at === null ? null : `${delivery.status} ${timeText(delivery.finished_at)}`;
  return [`${receiver}, “${delivery.action}”`, ended ?? delivery.status, confirmed]
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
    .map(({ purpose, lawful_basis: basis }) => `${purpose}: ${basis === null ? 'not stated' : BASES[basis]}`)
    .join('\n');
}

/** The second of two steps: here, or as an imported file says. */
function confirmedAt(record: RecordPart, { requested, occurred_at: at }: Content): string {
  if (requested !== undefined) return `${timeText(at)}, by a button behind a link in an email`;
  return record.receipt.iso_27560.pii_processing
    .flatMap(({ purpose, double_opt_in_at: there }) =>
      there === null ? [] : [`${purpose}: ${timeText(there)}, as the imported file says`],
    )
    .join('\n');
}

/** The first of two steps: somebody asked, and the choice waited for a click in an email. */
function requestFacts(pdf: Pdf, record: RecordPart, texts: TextIndex): void {
  const { requested } = contentOf(record);
  if (requested === undefined) return;
  fact(pdf, 'Requested', timeText(requested.at));
  fact(pdf, 'Request: how', COLLECTION_METHODS[requested.source]);
  fact(pdf, 'Request: shown', shownText(requested));
  fact(pdf, 'Request: words', wordsShown(texts, requested, new Date(requested.at)));
  fact(pdf, 'Words of the email', wordsOfEmail(texts, contentOf(record).shown));
  fact(pdf, 'Request: language', requested.language);
  fact(pdf, 'Request: IP', requested.ip);
  fact(pdf, 'Request: browser', record.person?.requested_user_agent ?? null);
}

/** Where an imported choice comes from. */
function importFacts(pdf: Pdf, from: Content['shown']['imported'], details?: ImportedDetails): void {
  if (from === undefined) return;
  const tool = from.tool === null ? '' : `, exported from ${from.tool}`;
  fact(pdf, 'Imported file', `${from.file_name}${tool}, row ${from.rows.join(', ')}`);
  fact(pdf, 'SHA-256 of the file', from.file_sha256);
  fact(pdf, 'Signed up', from.consent_at === undefined ? null : timeText(from.consent_at));
  fact(pdf, 'IP of the sign-up', details?.consent_ip ?? null);
  fact(pdf, 'Source', details?.source ?? null);
  const since = from.suppressed_at === undefined ? '' : ` ${timeText(from.suppressed_at)}`;
  fact(pdf, 'State in the file', `${from.suppression ?? ''}${since}`.trim());
  fact(pdf, 'Reason in the file', details?.reason ?? null);
}

function recordSection(pdf: Pdf, record: RecordPart, texts: TextIndex): void {
  const content = contentOf(record);
  heading(pdf, `Record ${content.sequence} · ${timeText(content.occurred_at)}`);
  fact(pdf, 'Who', record.person?.email ?? 'Erased: no one can tell who it was');
  requestFacts(pdf, record, texts);
  fact(pdf, 'Confirmed', confirmedAt(record, content));
  fact(pdf, 'Confirmed from IP', record.person?.confirmed_ip ?? null);
  const { undone } = content.shown;
  fact(pdf, 'How', undone === undefined ? COLLECTION_METHODS[content.source] : UNDONE[undone.kind]);
  fact(pdf, 'Records undone', undone === undefined ? null : undone.sequences.join(', '));
  fact(pdf, 'Identified by', AUTHORITIES[content.authority]);
  fact(pdf, 'What changed', changesOf(content));
  fact(pdf, 'Already unsubscribed', alreadyOffText(content));
  fact(pdf, 'Legal basis', basesOf(record));
  importFacts(pdf, content.shown.imported, record.person?.imported);
  fact(pdf, 'What was shown', shownText(content));
  const listNames = content.lists.map(({ name }) => name).join(', ');
  fact(pdf, 'Words of the page', wordsShown(texts, content, new Date(content.occurred_at), listNames));
  fact(pdf, 'Language', content.language);
  fact(pdf, 'IP, anonymized', content.ip);
  fact(pdf, 'Browser', record.person?.user_agent ?? null);
  fact(pdf, 'Reason given', record.reason);
  fact(pdf, 'Sent to', record.deliveries.map(deliveryText).join('\n'));
  fact(pdf, 'Record ID', content.id);
  fact(pdf, 'Hash', record.hash);
  fact(pdf, 'Hash before', record.previous_hash);
  fact(
    pdf,
    'Signed in',
    record.signed === null ? 'Not in a daily signed head yet' : `Head ${record.signed.head}`,
  );
}

/** A customer's records, to read and print. @throws AppError `not_found` */
export async function customerPdf(services: Services, siteId: string, customerId: string): Promise<Download> {
  const { site, records, texts } = await customerProof(services, siteId, customerId);
  const madeAt = services.clock.now();
  const pdf = begin('Proof of choices', madeAt);
  const last = records.at(-1);
  fact(pdf, 'Customer', last?.person?.email ?? customerId);
  fact(pdf, 'Customer ID', customerId);
  fact(pdf, 'Site', `${site.name}, ${site.url}`);
  fact(pdf, 'Responsible', site.operator.legal_name);
  fact(pdf, 'Records', String(records.length));
  fact(pdf, 'Created', timeText(madeAt.toISOString()));
  for (const record of records) recordSection(pdf, record, texts);
  howToVerify(pdf, services, `proof-${customerId}.json`);
  finish(pdf, `Proof of choices · ${site.name} · ${customerId}`);
  return { fileName: `proof-${customerId}.pdf`, content: pdf };
}

/** Figures, heads and keys of a site. */
export async function sitePdf(services: Services, siteId: string): Promise<Download> {
  const site = await requireSite(services, services.database.global, siteId);
  const { counts, head } = await services.database.readSite(siteId, async (db) => ({
    counts: await countRecords(db, await countedAtLastCheck(db)),
    head: await lastHead(db),
  }));
  const madeAt = services.clock.now();
  const pdf = begin('Proof of choices: summary', madeAt);
  fact(pdf, 'Site', `${site.name}, ${site.url}`);
  fact(pdf, 'Responsible', site.operator.legal_name);
  fact(pdf, 'Records', String(counts.records));
  fact(pdf, 'Customers', String(counts.customers));
  fact(pdf, 'First record', counts.first === null ? null : timeText(counts.first.toISOString()));
  fact(pdf, 'Last record', counts.last === null ? null : timeText(counts.last.toISOString()));
  fact(pdf, 'Created', timeText(madeAt.toISOString()));
  heading(pdf, 'Last signed head');
  if (head === undefined) paragraph(pdf, 'The first one will be signed tonight.');
  else {
    fact(pdf, 'Number', String(head.number));
    fact(pdf, 'Signed', timeText(head.signed_at.toISOString()));
    fact(pdf, 'Key', head.kid);
    fact(pdf, 'Statement', head.statement);
    fact(pdf, 'Signature', head.signature.toString('base64url'));
  }
  howToVerify(pdf, services, 'proof-pack.json');
  finish(pdf, `Proof of choices · ${site.name}`);
  return { fileName: 'proof-summary.pdf', content: pdf };
}
