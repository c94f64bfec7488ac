import type { EvidenceMessage } from '#contract/action-tests.ts';
import { COMPLAINT_OUTCOMES } from '#contract/complaints.ts';
import { type Language, LANGUAGES } from '#contract/fields.ts';
import { pageAttrs } from '#contract/preference-pages.ts';
import { ROLES } from '#contract/roles.ts';
import { passwordMail } from '#server/accounts/accounts/accounts.mails.ts';
import { domainMail } from '#server/accounts/domains/domains.mails.ts';
import type { DomainNews } from '#server/accounts/domains/domains.ts';
import { invitationMail } from '#server/accounts/members/members.mails.ts';
import {
  type Notice,
  NOTICE_KINDS,
  type NoticeKind,
  noticeMail,
} from '#server/accounts/users/account-notices.mails.ts';
import { lateMail } from '#server/delivery/late-notices/late-notices.mails.ts';
import { evidenceMailboxMail } from '#server/accounts/accounts/evidence-mailbox.mails.ts';
import { anchorMail } from '#server/audience/evidence-heads/anchor-messages.ts';
import { EVIDENCE_KEYS_PATH } from '#contract/proof.ts';
import { evidenceMail } from '#server/delivery/sending/evidence-mail.ts';
import type { Attachment } from '#server/platform/mail.ts';
import { ownerNoticeMail, type OwnerNotice } from '#server/tools/health/owner-notices.mails.ts';
import {
  MAIL_TEXTS,
  type MailTexts,
  type MailWords,
} from '#server/visit/customer-mails/customer-mails.texts.ts';
import type { CustomerMail } from '#server/visit/customer-mails/customer-mails.ts';
import { complaintMail } from '#server/visit/complaint-notices/complaint-notices.mails.ts';
import { takeDownMail } from '#server/accounts/take-downs/take-downs.mails.ts';
import { renderCustomerMail } from '#server/visit/customer-mails/mail-layout.ts';
import { dayText } from '#web/page/view.ts';

/*
 * Every mail that the product sends, written by its own writer about the demo world's shop. A new writer, kind or sender
 * of mails without an entry here fails `mails.test.ts`, or does not compile.
 */

export interface WrittenMail {
  subject: string;
  html: string;
  text: string;
  attachments?: readonly Attachment[];
}

export interface MailState {
  /** Unique; names its pictures. */
  name: string;
  /** The function of the product that writes it. */
  writer: string;
  /** Those that it is written in. */
  languages: readonly Language[];
  write(language: Language): WrittenMail;
}

/** Files that hand mails to the mail server, each with the writers whose mails it sends. */
export const SENDERS: Record<string, readonly string[]> = {
  'server/accounts/users/account-notices.ts': ['noticeMail'],
  'server/accounts/accounts/account-passwords.ts': ['passwordMail'],
  'server/visit/customer-mails/customer-mails.jobs.ts': ['renderCustomerMail'],
  'server/visit/customer-mails/test-email.ts': ['renderCustomerMail'],
  'server/delivery/late-notices/late-notices.ts': ['lateMail'],
  'server/delivery/sending/outbound-message.ts': ['evidenceMail'],
  'server/accounts/accounts/evidence-mailbox.ts': ['evidenceMailboxMail'],
  'server/accounts/accounts/record-mailboxes.ts': ['evidenceMailboxMail'],
  'server/audience/evidence-heads/anchor-messages.ts': ['anchorMail'],
  'server/tools/health/notify-owners.ts': ['ownerNoticeMail'],
  'server/visit/complaint-notices/complaint-notices.ts': ['complaintMail'],
  'server/accounts/domains/domains.ts': ['domainMail'],
  'server/accounts/take-downs/take-downs.ts': ['takeDownMail'],
  // Plain text alone, in English, to the operator.
  'server/accounts/abuse-reports/abuse-reports.jobs.ts': [],
  'server/accounts/members/invitations.ts': ['invitationMail'],
  // What those who call it write.
  'server/accounts/organizations/notify-responsible.ts': [],
  // It counts them.
  'server/product.ts': [],
};

const APP = 'https://app.sayso.example';
const SITE = 'https://acme.sayso.example';
/** As long as the real ones are. */
const TOKEN = 'p4xHq1Zt7oVb2LkY9sDgW3uJmNcR8eTaFi5xQvB6yKw';
const SEALED = `${TOKEN}${TOKEN}${TOKEN}`;
const SHOP = 'Acme Outdoor';
const HOST = 'preferences.acme-outdoor.example';

const COLOURS = pageAttrs.parse({
  primary_color: '#1F6F5C',
  text_color: '#1D2B27',
  background_color: '#F4F7F4',
});

const OPERATOR = {
  legal_name: 'Acme Outdoor GmbH',
  postal_address: 'Bergstraße 7\n6020 Innsbruck\nAustria',
  privacy_url: 'https://acme-outdoor.example/privacy',
  imprint_url: 'https://acme-outdoor.example/imprint',
};

type CustomerMailKind = CustomerMail['kind'];

const COMPLAINED_AT = '2026-11-20T09:14:00.000Z';

const ANSWER =
  'We passed your email on to our repair partner when you booked a workshop. That wasn’t covered by what you agreed to.\n\nThe partner has deleted it, and we no longer pass emails on.';

/** The words and the path of each kind; two where a kind has two texts. */
const CUSTOMER_MAILS: Record<
  CustomerMailKind,
  readonly { name: string; path: string; words: (texts: MailTexts, language: Language) => MailWords }[]
> = {
  personal_link: [
    {
      name: 'personal link',
      path: `/preferences?challenge=${TOKEN}`,
      words: (texts) => texts.personalLink(SHOP),
    },
  ],
  // In the words of a personal link.
  fresh_link: [],
  email_changed: [
    {
      name: 'address changed',
      path: `/undo/${SEALED}`,
      words: (texts) => texts.emailChanged(SHOP, 'n•••@example.com'),
    },
  ],
  data_download: [
    { name: 'own data, copy', path: `/data/${SEALED}`, words: (texts) => texts.dataDownload(SHOP) },
  ],
  data_erasure: [
    { name: 'own data, erasure', path: `/data/${SEALED}`, words: (texts) => texts.dataErasure(SHOP) },
  ],
  complaint_received: [
    {
      name: 'complaint, received',
      path: '',
      words: (texts, language) =>
        texts.complaintReceived(SHOP, {
          received: dayText(language, COMPLAINED_AT),
          due: dayText(language, '2026-12-20T09:14:00.000Z'),
        }),
    },
  ],
  complaint_answered: COMPLAINT_OUTCOMES.map((outcome) => ({
    name: `complaint, answered, ${outcome.replaceAll('_', ' ')}`,
    path: '',
    words: (texts: MailTexts, language: Language) =>
      texts.complaintAnswered(SHOP, { received: dayText(language, COMPLAINED_AT), outcome, answer: ANSWER }),
  })),
  confirm_change: [
    {
      name: 'please confirm, coming back to a list',
      path: `/confirm/${SEALED}`,
      words: (texts) => texts.confirmResubscribe(SHOP, ['Trail notes', 'Repair workshops']),
    },
    {
      name: 'please confirm, coming back',
      path: `/confirm/${SEALED}`,
      words: (texts) => texts.confirmResubscribe(SHOP, []),
    },
    {
      name: 'please confirm, double opt-in',
      path: `/confirm/${SEALED}`,
      words: (texts) => texts.confirmSubscribe(SHOP, ['Trail notes', 'Repair workshops']),
    },
    {
      name: 'please confirm, new address',
      path: `/confirm/${SEALED}`,
      words: (texts) => texts.confirmEmail(SHOP, 'n•••@example.com'),
    },
  ],
  resubscribed: [
    {
      name: 'subscribed again, one list',
      path: `/resubscribed/${SEALED}`,
      words: (texts) => texts.resubscribed(SHOP, ['Trail notes']),
    },
    {
      name: 'subscribed again, everything',
      path: `/resubscribed/${SEALED}`,
      words: (texts) => texts.resubscribed(SHOP, []),
    },
  ],
  left_by_old_email: [
    {
      name: 'left by an old email, one list',
      path: `/restore/${SEALED}`,
      words: (texts) => texts.leftByOldEmail(SHOP, 'Trail notes'),
    },
    {
      name: 'left by an old email, everything',
      path: `/restore/${SEALED}`,
      words: (texts) => texts.leftByOldEmail(SHOP, null),
    },
  ],
};

const TEST_EMAIL = {
  name: 'test, to a member',
  path: '/site-settings',
  words: (texts: MailTexts) => texts.test(SHOP),
};

const customerMails = [...Object.values(CUSTOMER_MAILS).flat(), TEST_EMAIL].map(
  ({ name, path, words }): MailState => ({
    name: `customer, ${name}`,
    writer: 'renderCustomerMail',
    languages: LANGUAGES,
    write(language) {
      const texts = MAIL_TEXTS[language];
      const said = words(texts, language);
      const sender = { name: SHOP, attrs: COLOURS, operator: OPERATOR };
      const link = path === '' ? null : `${SITE}${path}`;
      return {
        subject: said.subject,
        ...renderCustomerMail({ language, sender, texts, words: said, link }),
      };
    },
  }),
);

const invitations = ROLES.map((role): MailState => ({
  name: `invitation, ${role}`,
  writer: 'invitationMail',
  languages: LANGUAGES,
  write: (language) =>
    invitationMail({
      organization: SHOP,
      inviter: 'Nora Lindqvist',
      role,
      days: 7,
      link: `${APP}/accept-invitation?token=${TOKEN}`,
      language,
    }),
}));

const DOMAIN_NEWS: Record<NonNullable<DomainNews>, string> = {
  verified: 'domain, ready',
  losing: 'domain, record missing',
  lapsed: 'domain, no longer used',
};

const domains = (Object.keys(DOMAIN_NEWS) as NonNullable<DomainNews>[]).map((news): MailState => ({
  name: DOMAIN_NEWS[news],
  writer: 'domainMail',
  languages: LANGUAGES,
  write: (language) =>
    domainMail({
      news,
      host: HOST,
      lostAt: new Date('2026-11-29T09:00:00Z'),
      link: news === 'verified' ? `https://${HOST}` : `${APP}/site-settings`,
      language,
    }),
}));

const ID = '019ab1f2-5c1e-7a51-b02d-6f0f5a3d9e10';
const HASH = '9f2c6d0b41e85a7730bd1c44f6ae02d85b19c7e3f0a1d26478e5c3b9a0f1d2e3';

const RECORD: EvidenceMessage['data'] = {
  id: ID,
  customer_id: '019a8d10-77aa-7c31-8f52-2b7e4c1f0d35',
  sequence: 4,
  source: 'page',
  events: ['unsubscribed'],
  lists: [{ list_id: ID, name: 'Trail notes', subscribed: false, previous: true }],
  global_unsubscribe: false,
  paused_until: null,
  reason: 'too_many',
  requested: null,
  shown: {
    page_id: ID,
    page_version: 3,
    template_id: 'default_preference_page',
    url: `${SITE}/preferences`,
    lists: ['Trail notes', 'New arrivals', 'Repair workshops'].map((name) => ({
      list_id: ID,
      name,
      description: '',
      default_state: false,
    })),
  },
  language: 'en',
  authority: 'proven',
  email: 'vera.halvorsen@example.com',
  ip: '198.51.100.0',
  confirmed_ip: null,
  imported: null,
  user_agent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148',
  occurred_at: '2026-11-20T09:14:22.000Z',
  hash: HASH,
  previous_hash: HASH.toUpperCase().toLowerCase().split('').toReversed().join(''),
};

const evidence = [false, true].map((isTest): MailState => ({
  name: isTest ? 'evidence, test' : 'evidence',
  writer: 'evidenceMail',
  languages: ['en'],
  write() {
    const message: EvidenceMessage = {
      type: 'evidence',
      timestamp: RECORD.occurred_at,
      data: { ...(isTest ? { test: true } : {}), ...RECORD },
    };
    return evidenceMail({
      to: 'records@acme-outdoor.example',
      siteName: SHOP,
      message,
      json: JSON.stringify(message),
      signature: {
        'webhook-id': ID,
        'webhook-timestamp': '1795166062',
        'webhook-signature': `v1,${TOKEN}=`,
      },
      link: `${APP}/deliveries`,
      stop: `${APP}/confirm?token=${SEALED.slice(0, 104)}`,
    });
  },
}));

const anchor: MailState = {
  name: 'signed evidence',
  writer: 'anchorMail',
  languages: ['en'],
  write: () =>
    anchorMail(
      { siteName: SHOP, last: 214, json: '{}', keysUrl: `${APP}${EVIDENCE_KEYS_PATH}` },
      { choices: `${APP}/evidence`, stop: `${APP}/confirm?token=${SEALED.slice(0, 104)}` },
    ),
};

const owners: MailState[] = [
  {
    name: 'password, new one',
    writer: 'passwordMail',
    languages: LANGUAGES,
    write: (language) =>
      passwordMail({
        username: 'acme',
        link: `${APP}/reset-password?token=${TOKEN}`,
        minutes: 30,
        language,
      }),
  },
];

/** What is particular to a notice, for those that name an address or a device. */
const NOTICES: Record<NoticeKind, Partial<Notice>> = {
  password_changed: { link: `${APP}/reset-password` },
  new_device: { device: { browser: 'firefox', system: 'linux' } },
  confirm_email: { email: 'nora@bakery.example', link: `${APP}/confirm?token=${TOKEN}` },
  email_changed: { email: 'nora@bakery.example', link: `${APP}/confirm?token=${TOKEN}` },
  link_google: { email: 'nora@bakery.example', link: `${APP}/confirm?token=${TOKEN}` },
  google_linked: { email: 'nora@bakery.example' },
  google_unlinked: { email: 'nora@bakery.example' },
  second_factor_added: { factor: 'Nora’s phone' },
  second_factor_removed: { factor: null },
  recovery_codes_created: {},
  recovery_code_used: { left: 9 },
  passkey_blocked: { factor: 'Nora’s phone' },
  second_factor_guessed: { link: `${APP}/reset-password` },
};

for (const kind of NOTICE_KINDS) {
  owners.push({
    name: `account, ${kind.replace('_', ' ')}`,
    writer: 'noticeMail',
    languages: LANGUAGES,
    write: (language) =>
      noticeMail({
        kind,
        username: 'acme',
        language,
        at: new Date('2026-11-22T15:40:00Z'),
        link: `${APP}/account-settings?section=security`,
        ...NOTICES[kind],
      }),
  });
}

for (const kind of ['receive_evidence', 'receive_records'] as const) {
  owners.push({
    name: `${kind === 'receive_evidence' ? 'signed evidence' : 'evidence'}, asking its mailbox`,
    writer: 'evidenceMailboxMail',
    languages: LANGUAGES,
    write: (language) =>
      evidenceMailboxMail({ of: kind, site: SHOP, link: `${APP}/confirm?token=${TOKEN}`, days: 7, language }),
  });
}

const OWNERS_NEWS: Record<string, { notice: OwnerNotice; path: string }> = {
  'action, switched off': {
    notice: { kind: 'action_off', name: 'Send unsubscribes to the shop', why: 'failing' },
    path: '/actions',
  },
  'action, receiver gone': {
    notice: { kind: 'action_off', name: 'Send unsubscribes to the shop', why: 'gone' },
    path: '/actions',
  },
  'action, target gone': {
    notice: { kind: 'target_gone', name: 'Add subscribers to Weekly', tool: 'Mailchimp' },
    path: '/actions',
  },
  'integration, credentials refused': {
    notice: {
      kind: 'tool_trouble',
      integrationId: 'mailchimp',
      name: 'Mailchimp',
      why: 'key',
      detail: 'Mailchimp rejected the API key (401). It may be disabled, or the account closed.',
    },
    path: '/integrations/mailchimp?connect=true',
  },
  'integration, login ended': {
    notice: {
      kind: 'tool_trouble',
      integrationId: 'kit',
      name: 'Kit',
      why: 'credentials',
      detail: '',
    },
    path: '/integrations/kit?connect=true',
  },
  'integration, switched off': {
    notice: {
      kind: 'tool_trouble',
      integrationId: 'mailchimp',
      name: 'Mailchimp',
      why: 'failing',
      detail: 'Mailchimp answered 503.',
    },
    path: '/integrations/mailchimp',
  },
};

const ownersNews = Object.entries(OWNERS_NEWS).map(([name, { notice, path }]): MailState => ({
  name,
  writer: 'ownerNoticeMail',
  languages: LANGUAGES,
  write: (language) => ownerNoticeMail({ notice, site: 'Acme Outdoor', link: `${APP}${path}`, language }),
}));

const complaints = (['received', 'due'] as const).map((kind): MailState => ({
  name: `complaint, to its owners, ${kind}`,
  writer: 'complaintMail',
  languages: LANGUAGES,
  write: (language) =>
    complaintMail({
      kind,
      site: 'Acme Outdoor',
      receivedAt: new Date('2026-11-20T09:14:00Z'),
      dueAt: new Date('2026-12-20T09:14:00Z'),
      link: `${APP}/complaints/${ID}`,
      language,
    }),
}));

const takeDowns = ['Pretends to be a bank.', null].map((reason): MailState => ({
  name: reason === null ? 'pages put back' : 'pages taken down',
  writer: 'takeDownMail',
  languages: LANGUAGES,
  write: (language) => takeDownMail({ site: 'Acme Outdoor', reason, link: APP, language }),
}));

const lateNotice: MailState = {
  name: 'choices that a tool has not confirmed',
  writer: 'lateMail',
  languages: LANGUAGES,
  write: (language) =>
    lateMail({
      tool: 'Brevo',
      site: 'Acme Outdoor',
      choices: 1204,
      since: new Date('2026-11-20T09:14:00Z'),
      why: ['unavailable', 'not_shown'],
      link: `${APP}/deliveries?unconfirmed=true`,
      language,
    }),
};

/** Every mail, in every kind of its words. */
export const MAIL_STATES: readonly MailState[] = [
  ...owners,
  ...ownersNews,
  lateNotice,
  ...complaints,
  ...takeDowns,
  ...invitations,
  ...domains,
  ...evidence,
  anchor,
  ...customerMails,
];
