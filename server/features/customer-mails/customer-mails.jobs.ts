import { emailKey } from '#contract/email-key.ts';
import type { Language } from '#contract/fields.ts';
import { makeChallenge } from '#server/features/customers/challenge.ts';
import { addCustomer } from '#server/features/customers/customers.ts';
import {
  type CustomerRow,
  findCustomer,
  findCustomerByEmail,
} from '#server/features/customers/customers.sql.ts';
import { circumstancesOf } from '#server/features/customers/public-customers.ts';
import { getList } from '#server/features/lists/lists.ts';
import { findPageForLinks, type ServedPage } from '#server/features/preference-pages/public-pages.ts';
import { findSite } from '#server/features/sites/sites.ts';
import { AppError } from '#server/platform/errors.ts';
import { headerText, type Mail, MailError } from '#server/platform/mail.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { inLanguage, listText, maskEmail, NEUTRAL_PAGE } from '#web/page/view.ts';
import { type CustomerMail, openCustomerMail } from './customer-mails.ts';
import { lastLanguageOf } from './customer-mails.sql.ts';
import { MAIL_TEXTS, type MailTexts, type MailWords } from './customer-mails.texts.ts';
import { drawCustomerMail } from './mail-look.ts';
import { sealDataLink, sealEmailUndo } from './mailed-links.ts';

/** Mails in hand at once in one process; a mail server holds one for 20 seconds at most. */
const CONCURRENCY = 4;

export async function startCustomerMails(services: Services): Promise<void> {
  await services.queue.work('customer-mails', CONCURRENCY, (job) => sendCustomerMail(services, job));
}

/** What goes out: to whom, in which words, with which link. */
interface Letter {
  to: string;
  words: MailWords;
  /** Below the site's address, with its slash. */
  path: string;
}

interface Setting {
  siteId: string;
  served: ServedPage | null;
  /** As the mail names the sender. */
  name: string;
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
      'a mail to a customer was sealed with a key that is gone; it is not sent',
    );
    return;
  }
  const site = await findSite(services, job.site_id);
  if (site === null) return;
  const served = await findPageForLinks(services, site.id, mail.pageId);
  const language = await languageOf(services, site.id, mail, served);
  const name = headerText(served?.page.name ?? site.name);
  const setting = { siteId: site.id, served, name, language, texts: MAIL_TEXTS[language] };
  const letter = await letterOf(services, setting, mail);
  if (letter === null) return;
  const page = served?.page ?? NEUTRAL_PAGE;
  await send(services, {
    id: job.id,
    to: letter.to,
    fromName: name,
    subject: letter.words.subject,
    // RFC 3834: no out-of-office reply comes back.
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...drawCustomerMail({
      language,
      sender: { name, attrs: page.attrs },
      greeting: setting.texts.greeting,
      words: letter.words,
      link: `${site.url}${inLanguage({ page, language }, letter.path)}`,
    }),
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

/** null where there is nobody to write to. */
async function letterOf(services: Services, setting: Setting, mail: CustomerMail): Promise<Letter | null> {
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
      return { to: oldEmail, words, path: `/undo/${link}` };
    }
    case 'data_download':
    case 'data_erasure': {
      const kind = mail.kind === 'data_download' ? 'download' : 'erasure';
      const link = sealDataLink(services, siteId, { kind, customerId: customer.id, pageId });
      const words = kind === 'download' ? texts.dataDownload(name) : texts.dataErasure(name);
      return { to: customer.email, words, path: `/data/${link}` };
    }
    case 'proposal':
      return proposal(services, setting, customer, mail.listId);
  }
}

/** Whoever is not known is made where the page allows it, and hears nothing elsewhere. */
async function personalLink(
  services: Services,
  { siteId, served, texts, name }: Setting,
  mail: Extract<CustomerMail, { kind: 'personal_link' }>,
): Promise<Letter | null> {
  if (served === null) return null;
  const find = () =>
    services.database.readSite(siteId, (site) => findCustomerByEmail(site, emailKey(mail.email)));
  const make = () => {
    const { host, ip, userAgent } = mail.askedBy;
    const visit = { siteId, host, ip: ip ?? '', userAgent, language: mail.language };
    const how = { source: 'page', authority: 'open', saveId: null } as const;
    return addCustomer(services, siteId, mail.email, circumstancesOf(services, visit, served, how));
  };
  const known = await find();
  const customer = known ?? (served.allowCustomerCreate ? ((await make()) ?? (await find())) : undefined);
  if (customer === undefined || customer.email === null) return null;
  const challenge = challengeOf(services, siteId, customer, 'manage', null);
  const path = `/${served.customPath}?challenge=${challenge}`;
  return { to: customer.email, words: texts.personalLink(name), path };
}

function challengeOf(
  { keyring }: Services,
  siteId: string,
  { id, consent_epoch }: CustomerRow,
  purpose: 'manage' | 'leave',
  listId: string | null,
): string {
  return makeChallenge(keyring, { siteId, customerId: id, epoch: consent_epoch, purpose, listId });
}

async function proposal(
  services: Services,
  { siteId, language, texts, name }: Setting,
  customer: CustomerRow,
  listId: string | null,
): Promise<Letter | null> {
  const list = listId === null ? null : await findList(services, siteId, listId);
  if (list === undefined) return null;
  const words = texts.proposal(name, list === null ? null : headerText(listText(list, language).name));
  const path = `/u/${challengeOf(services, siteId, customer, 'leave', listId)}`;
  return { to: customer.email ?? '', words, path };
}

async function findList(services: Services, siteId: string, listId: string) {
  try {
    return await getList(services, siteId, listId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function send(services: Services, mail: Mail): Promise<void> {
  try {
    await services.mailer.send(mail);
  } catch (error) {
    if (!(error instanceof MailError) || error.kind !== 'address_refused') throw error;
    services.log.warn(
      { mail: mail.id, err: error },
      'the mail server refuses the address of a customer for good',
    );
  }
}
