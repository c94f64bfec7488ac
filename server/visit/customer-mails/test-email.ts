import { emailKey } from '#contract/email-key.ts';
import type { TestEmail } from '#contract/sites.ts';
import { accountLanguage } from '#server/accounts/mails/mail-document.ts';
import { findSite, operatorOf } from '#server/accounts/sites/sites.ts';
import { accountOf } from '#server/accounts/users/find-account.ts';
import { findPageForLinks } from '#server/pages/preference-pages/public-pages.ts';
import { notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { headerText, type Mail, MailError, oneLine, sendingAddress } from '#server/platform/mail.ts';
import type { Services } from '#server/platform/services.ts';
import { NEUTRAL_PAGE } from '#web/page/view.ts';
import { MAIL_TEXTS } from './customer-mails.texts.ts';
import { renderCustomerMail, senderOf } from './mail-layout.ts';

const TEST_EMAILS: Limit = { name: 'test-email', points: 10, perSeconds: 3600 };

const MESSAGES: Record<TestEmail['outcome'], (email: string) => string> = {
  accepted: (email) =>
    `The mail server accepted the test email to ${email}. If it doesn't arrive, check your spam folder and the mail server's log.`,
  kept: (email) =>
    `The test email to ${email} wasn't sent: this server has no mail server. Set SMTP_URL and MAIL_FROM.`,
  address_refused: (email) => `The mail server rejected ${email}, so nothing was sent. Check its reply.`,
  refused: () => 'The mail server rejected the message, so nothing was sent. Check its reply.',
  sender_refused: () =>
    'The mail server rejected the sender, so nothing was sent. Check MAIL_FROM and BOUNCE_ADDRESS.',
  away: () =>
    "We couldn't reach the mail server, or it didn't accept the email, so nothing was sent. Check SMTP_URL and try again.",
};

type Outcome = Pick<TestEmail, 'outcome' | 'reply'>;

async function outcomeOf(services: Services, mail: Mail): Promise<Outcome> {
  try {
    const reply = await services.mailer.send(mail);
    return reply === null ? { outcome: 'kept', reply } : { outcome: 'accepted', reply };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { outcome: error.kind, reply: error.reply };
  }
}

/**
 * Sends a member a sample of the site's customer emails, and returns the mail server's reply.
 * @throws AppError `rate_limited`
 */
export async function sendTestEmail(services: Services, siteId: string, userId: string): Promise<TestEmail> {
  const [site, user, served, operator] = await Promise.all([
    findSite(services, siteId),
    accountOf(services.database.global, userId),
    findPageForLinks(services, siteId, null),
    operatorOf(services, siteId),
  ]);
  if (site === null) throw notFound('This site');
  if (user === undefined) throw notFound('This account');
  const { email } = user;
  await services.limits.use(TEST_EMAILS, emailKey(email));
  const language = accountLanguage(user.attrs['language']);
  const texts = MAIL_TEXTS[language];
  const name = headerText(site.sender_name || (served?.page.name ?? site.name));
  const words = texts.test(name);
  const sent = await outcomeOf(services, {
    id: newId(),
    to: email,
    ...senderOf(site, name),
    subject: words.subject,
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...renderCustomerMail({
      language,
      sender: { name, attrs: (served?.page ?? NEUTRAL_PAGE).attrs, operator },
      texts,
      words,
      link: `${services.config.appUrl}/site-settings`,
    }),
  });
  return {
    email,
    from: `${name} <${sendingAddress(services.config)}>`,
    reply_to: site.reply_to,
    outcome: sent.outcome,
    reply: sent.reply && { status: sent.reply.status, text: oneLine(sent.reply.text).slice(0, 500) },
    message: MESSAGES[sent.outcome](email),
  };
}
