import { emailKey } from '#contract/email-key.ts';
import type { Language } from '#contract/fields.ts';
import type { Operator } from '#contract/operator.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import { findSite, operatorOf } from '#server/accounts/sites/sites.ts';
import { findComplaint, markComplaint, openComplaint } from '#server/audience/complaints/complaints.ts';
import { dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { type CustomerRow, findCustomer, findCustomerByEmail } from '#server/audience/customers/customers.ts';
import { clearBounce, recordBounce } from '#server/audience/customers/email-bounces.ts';
import { findList, listLists } from '#server/audience/lists/lists.ts';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import { choiceContextOf } from '#server/choices/choices/choice-context.ts';
import { findPageForLinks, type ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { storeEmailText } from '#server/pages/shown-texts/shown-texts.ts';
import { headerText, type Mail, MailError } from '#server/platform/mail.ts';
import { newId } from '#server/platform/ids.ts';
import { type Job, queueTask } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { findPending, hasLeftAgain } from '#server/visit/pending-changes/pending-changes.sql.ts';
import { changeOfPending } from '#server/visit/pending-changes/pending-changes.ts';
import { dayText, inLanguage, listText, maskEmail, NEUTRAL_PAGE } from '#web/page/view.ts';
import { CUSTOMER_MAILS, type CustomerMail, openCustomerMail } from './customer-mails.ts';
import { lastLanguageOf } from './customer-mails.sql.ts';
import { MAIL_TEXTS, type MailTexts, type MailWords } from './customer-mails.texts.ts';
import { renderCustomerMail, senderOf, textOfMail } from './mail-layout.ts';
import { withNoticeLimit } from './mail-limits.ts';
import {
  sealDataLink,
  sealEmailUndo,
  sealPendingLink,
  sealRestore,
  sealResubscribeUndo,
} from './mailed-links.ts';

/** Mails that one process sends at the same time; a mail server takes at most 20 seconds for one. */
const CONCURRENCY = 4;

export const CUSTOMER_MAIL_WORKER = queueTask(CUSTOMER_MAILS, CONCURRENCY, sendCustomerMail);

/** What goes out: to whom, in which words, with which link. */
interface Message {
  to: string;
  /** The customer who owns the mailbox; null if the address is unproven, or no longer theirs. */
  customerId: string | null;
  words: MailWords;
  /** Below the site's address, with its slash; null: there is nothing to open. */
  path: string | null;
}

/** Lead to a page that answers nothing while the site's pages are taken down. */
const INVITATIONS = new Set<CustomerMail['kind']>([
  'personal_link',
  'fresh_link',
  'confirm_change',
  'left_by_old_email',
]);

interface Setting {
  siteId: string;
  served: ServedPage | null;
  /** The sender's name as the mail shows it. */
  name: string;
  operator: Operator | null;
  language: Language;
  texts: MailTexts;
}

/**
 * Writes one mail and sends it. A job that runs twice sends the same mail twice, under the same message id.
 * @throws when the mail server is away: the queue tries again
 */
export async function sendCustomerMail(services: Services, job: Job): Promise<void> {
  const mail = openCustomerMail(services, job.site_id, job.sealed ?? '');
  if (mail === null) {
    services.log.warn(
      { job: job.id },
      'an email to a customer was encrypted with a key that no longer exists; it is not sent',
    );
    return;
  }
  const site = await findSite(services, job.site_id);
  if (site === null || (site.taken_down !== null && INVITATIONS.has(mail.kind))) return;
  const served = await findPageForLinks(services, site.id, mail.pageId);
  const language = await languageOf(services, site.id, mail, served);
  const name = headerText(site.sender_name || (served?.page.name ?? site.name));
  const operator = await operatorOf(services, site.id);
  const texts = MAIL_TEXTS[language];
  const setting = { siteId: site.id, served, name, operator, language, texts };
  const message = await renderMessage(services, setting, mail);
  if (message === null) return;
  const page = served?.page ?? NEUTRAL_PAGE;
  const written: Mail = {
    id: job.id,
    to: message.to,
    ...senderOf(site, name),
    subject: message.words.subject,
    // RFC 3834: no out-of-office reply comes back.
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...renderCustomerMail({
      language,
      sender: { name, attrs: page.attrs, operator },
      texts,
      words: message.words,
      link: message.path === null ? null : `${site.url}${inLanguage({ page, language }, message.path)}`,
    }),
  };
  const outgoing = { mail: written, siteId: site.id, customerId: message.customerId };
  if (mail.kind === 'resubscribed') {
    // It may have waited, and they may have left again meanwhile.
    if (job.round === WAITED && (await hasLeftSince(services, site.id, mail))) return;
    const customer = { siteId: site.id, customerId: mail.customerId };
    const isSent = await withNoticeLimit(
      services,
      customer,
      async () => void (await send(services, outgoing)),
    );
    if (!isSent) await tellLater(services, job, mail);
    return;
  }
  const isAccepted = await send(services, outgoing);
  if (mail.kind !== 'complaint_received' || !isAccepted) return;
  await services.database.inSite(site.id, (db) =>
    markComplaint(db, mail.complaintId, 'acknowledged_at', services.clock.now()),
  );
}

const LATER_MS = 3600_000;
/** The round of a notice that waited for the day's limit. */
const WAITED = 1;

type Returned = Extract<CustomerMail, { kind: 'resubscribed' }>;

const hasLeftSince = ({ database }: Services, siteId: string, returned: Returned) =>
  database.readSite(siteId, (site) => hasLeftAgain(site, returned));

/** Nobody is subscribed again without being told; beyond the day's limit only of what they haven't left again. */
async function tellLater(
  services: Services,
  { site_id: siteId, sealed }: Job,
  returned: Returned,
): Promise<void> {
  if (sealed === undefined || (await hasLeftSince(services, siteId, returned))) return;
  const startAfter = new Date(services.clock.now().getTime() + LATER_MS);
  await services.database.inSite(siteId, async (site) => {
    await services.queue.enqueue(site, CUSTOMER_MAILS, [{ id: newId(), round: WAITED, sealed, startAfter }]);
  });
}

/** The language that was asked for or last used, where the page speaks it. */
async function languageOf(
  services: Services,
  siteId: string,
  mail: CustomerMail,
  served: ServedPage | null,
): Promise<Language> {
  const wanted =
    mail.language ??
    ('customerId' in mail
      ? await services.database.readSite(siteId, (site) => lastLanguageOf(site, mail.customerId))
      : null);
  if (served === null) return wanted ?? 'en';
  const { languages } = served.page;
  const speaks = wanted !== null && [languages.default, ...languages.active_languages].includes(wanted);
  return speaks ? wanted : languages.default;
}

/** null if there is no recipient. */
async function renderMessage(
  services: Services,
  setting: Setting,
  mail: CustomerMail,
): Promise<Message | null> {
  if (mail.kind === 'personal_link') return personalLink(services, setting, mail);
  const { siteId, texts, name } = setting;
  const customer = await services.database.readSite(siteId, (site) => findCustomer(site, mail.customerId));
  if (customer === undefined || customer.email === null) return null;
  const pageId = setting.served?.id ?? null;
  switch (mail.kind) {
    case 'email_changed': {
      const { customerId, sequence, oldEmail, newEmail } = mail;
      const link = sealEmailUndo(services, siteId, { customerId, pageId, sequence, oldEmail });
      const words = texts.emailChanged(name, maskEmail(newEmail));
      return { to: oldEmail, customerId: null, words, path: `/undo/${link}` };
    }
    case 'data_download':
    case 'data_erasure': {
      const kind = mail.kind === 'data_download' ? 'download' : 'erasure';
      const link = sealDataLink(services, siteId, { kind, customerId: customer.id, pageId });
      const words = kind === 'download' ? texts.dataDownload(name) : texts.dataErasure(name);
      return { to: customer.email, customerId: customer.id, words, path: `/data/${link}` };
    }
    case 'complaint_received':
    case 'complaint_answered': {
      const words = await complaintWords(services, setting, mail);
      return words && { to: customer.email, customerId: customer.id, words, path: null };
    }
    case 'fresh_link':
      return linkToPage(services, setting, customer);
    case 'left_by_old_email':
      return leftByOldEmail(services, setting, customer, mail);
    case 'confirm_change':
      return confirmChange(services, setting, customer, mail);
    case 'resubscribed': {
      const { customerId, choiceId, everything } = mail;
      const lists = everything ? [] : await namesOf(services, setting, mail.listIds);
      const link = sealResubscribeUndo(services, siteId, { customerId, pageId, choiceId });
      const words = texts.resubscribed(name, lists);
      return { to: customer.email, customerId: customer.id, words, path: `/resubscribed/${link}` };
    }
    default:
      // Queued by a version with other kinds of mail.
      return null;
  }
}

/** Creates an unknown customer if the page allows it, and sends nothing if it does not. */
async function personalLink(
  services: Services,
  setting: Setting,
  mail: Extract<CustomerMail, { kind: 'personal_link' }>,
): Promise<Message | null> {
  const { siteId, served } = setting;
  if (served === null) return null;
  const find = () =>
    services.database.readSite(siteId, (site) => findCustomerByEmail(site, emailKey(mail.email)));
  const make = () => {
    const { host, ip, userAgent } = mail.askedBy;
    const visit = { siteId, host, ip: ip ?? '', userAgent, language: mail.language };
    const how = { source: 'page', authority: 'open', saveId: null } as const;
    return addCustomer(services, siteId, mail.email, choiceContextOf(services, visit, served, how));
  };
  const known = await find();
  const customer = known ?? (served.allowCustomerCreate ? ((await make()) ?? (await find())) : undefined);
  if (customer === undefined) return null;
  return linkToPage(services, setting, customer);
}

function linkToPage(
  services: Services,
  { siteId, served, texts, name }: Setting,
  customer: CustomerRow,
): Message | null {
  if (served === null || customer.email === null) return null;
  const challenge = challengeOf(services, siteId, customer, 'manage', null);
  const path = `/${served.customPath}?challenge=${challenge}`;
  return { to: customer.email, customerId: customer.id, words: texts.personalLink(name), path };
}

function challengeOf(
  { keyring, clock }: Services,
  siteId: string,
  { id, link_generation: generation }: CustomerRow,
  purpose: 'manage' | 'leave',
  listId: string | null,
): string {
  const issuedOn = dayOf(clock.now());
  return makeChallenge(keyring, { siteId, customerId: id, issuedOn, generation, purpose, listId });
}

/**
 * The receipt never quotes the complaint: anyone who types an address can complain, and must not send that inbox a text of
 * their own. null: erased since.
 */
async function complaintWords(
  services: Services,
  { siteId, name, language, texts }: Setting,
  { kind, complaintId }: Extract<CustomerMail, { complaintId: string }>,
): Promise<MailWords | null> {
  const row = await services.database.readSite(siteId, (site) => findComplaint(site, complaintId));
  if (row === undefined || row.outcome === 'erased') return null;
  const received = dayText(language, row.received_at.toISOString());
  if (kind === 'complaint_received') {
    return texts.complaintReceived(name, { received, due: dayText(language, row.due_at.toISOString()) });
  }
  const answer = openComplaint(services, row, row.answer_sealed);
  if (row.outcome === null || answer === null) return null;
  return texts.complaintAnswered(name, { received, outcome: row.outcome, answer });
}

/** Lists what the customer unsubscribed from, with a link to restore it. */
async function leftByOldEmail(
  services: Services,
  { siteId, served, language, texts, name }: Setting,
  { id: customerId, email }: CustomerRow,
  { sequence, listId }: Extract<CustomerMail, { kind: 'left_by_old_email' }>,
): Promise<Message | null> {
  const list = listId === null ? null : await findList(services, siteId, listId);
  if (listId !== null && list === null) return null;
  const words = texts.leftByOldEmail(name, list === null ? null : headerText(listText(list, language).name));
  const link = sealRestore(services, siteId, { customerId, pageId: served?.id ?? null, sequence });
  return { to: email ?? '', customerId, words, path: `/restore/${link}` };
}

/** In the mail's language, without lists that have since been deleted. */
async function namesOf(
  services: Services,
  { siteId, language }: Setting,
  listIds: readonly string[],
): Promise<string[]> {
  const lists = await listLists(services, siteId);
  return lists
    .filter(({ id }) => listIds.includes(id))
    .map((list) => headerText(listText(list, language).name));
}

/** null if it has since been replaced, cancelled or confirmed. */
async function confirmChange(
  services: Services,
  setting: Setting,
  customer: CustomerRow,
  { pendingKind, pendingId }: Extract<CustomerMail, { kind: 'confirm_change' }>,
): Promise<Message | null> {
  const { siteId, texts, name } = setting;
  const pageId = setting.served?.id ?? null;
  const found = await services.database.readSite(siteId, async (site) => {
    const row = await findPending(site, customer.id, pendingKind);
    if (row?.id !== pendingId) return null;
    const opened = await changeOfPending(services, site, row);
    return opened && { expiresAt: row.expires_at, wish: opened.wish };
  });
  if (found === null) return null;
  const { wish: change, expiresAt } = found;
  const link = { kind: pendingKind, customerId: customer.id, pageId, pendingId, expiresAt };
  const pathFor = async (words: MailWords) => {
    const emailText = await storeText(services, setting, pendingKind, words);
    return `/confirm/${sealPendingLink(services, siteId, { ...link, emailText })}`;
  };
  if (change.kind === 'email_change') {
    const words = texts.confirmEmail(name, maskEmail(customer.email ?? ''));
    const path = await pathFor(texts.confirmEmail(name, NO_ONE));
    return { to: change.email, customerId: null, words, path };
  }
  const lists = change.everything ? [] : await namesOf(services, setting, change.listIds);
  const words = texts[change.kind === 'subscribe' ? 'confirmSubscribe' : 'confirmResubscribe'](name, lists);
  return { to: customer.email ?? '', customerId: customer.id, words, path: await pathFor(words) };
}

/** What stands for an email in a text that is stored for good. */
const NO_ONE = '…';

/** @returns its hash, for the link: a resent email may say it in another language, and the link knows which one it was in */
function storeText(
  services: Services,
  { siteId, name, operator, language, texts }: Setting,
  kind: PendingKind,
  words: MailWords,
): Promise<Buffer> {
  const said = textOfMail({ language, sender: { name, operator }, texts, words });
  return storeEmailText(services, siteId, { asks_for: kind, ...said });
}

interface Outgoing {
  mail: Mail;
  siteId: string;
  customerId: string | null;
}

/** @returns whether the mail server accepted it; it may reject the address for good */
async function send(services: Services, { mail, siteId, customerId }: Outgoing): Promise<boolean> {
  try {
    await services.mailer.send(mail);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const isBounce = error.kind === 'address_refused' || error.kind === 'refused';
    if (isBounce && customerId !== null && error.reply !== null) {
      await recordBounce(services, siteId, { customerId, address: mail.to, reply: error.reply });
    }
    if (error.kind !== 'address_refused') throw error;
    services.log.warn(
      { mail: mail.id, err: error },
      'the mail server permanently rejected an email to a customer',
    );
    return false;
  }
  if (customerId !== null) await clearBounce(services, siteId, customerId);
  return true;
}
