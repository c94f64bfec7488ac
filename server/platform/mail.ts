import { createTransport } from 'nodemailer';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './database.ts';
import { newId } from './ids.ts';

export interface Mail {
  to: string;
  subject: string;
  html: string;
  text: string;
  headers?: Record<string, string>;
  /** Who the mail is from, in words, in place of the name in `MAIL_FROM`; the address stays. */
  fromName?: string;
  /** Where replies go, in place of the address in `MAIL_FROM`. */
  replyTo?: string;
  /** The same for every try of one mail, so that mailboxes show it once: an id, without `<`, `@` and host. */
  id?: string;
  attachments?: readonly Attachment[];
}

export interface Attachment {
  name: string;
  /** Media type. */
  type: string;
  content: string;
}

/** What a mail server said. */
export interface MailReply {
  status: number;
  text: string;
}

/**
 * address_refused: this address will never take a mail. refused: this mail was not taken. sender_refused: no mail of this
 * sender is. away: try again.
 */
export type MailFailure = 'address_refused' | 'refused' | 'sender_refused' | 'away';

/** Names no address: it may be logged. */
export class MailError extends Error {
  readonly kind: MailFailure;
  /** Out of the reach of logs, since mail servers repeat the address. */
  readonly #reply: MailReply | null;

  constructor(kind: MailFailure, message: string, reply: MailReply | null) {
    super(message);
    this.kind = kind;
    this.#reply = reply;
  }

  /** null where no mail server answered. */
  get reply(): MailReply | null {
    return this.#reply;
  }
}

export interface Mailer {
  /**
   * Resolves when the mail server took the mail, or when it was kept.
   * @returns what the mail server said; null where none is set
   * @throws MailError
   */
  send(mail: Mail): Promise<MailReply | null>;
}

const MAX_HEADER_LENGTH = 200;

/** One line, without characters that hide or turn text. */
export function oneLine(value: string): string {
  return value
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** A value that stays inside its header. */
export function headerText(value: string): string {
  return oneLine(value).slice(0, MAX_HEADER_LENGTH);
}

/** The address in `Name <address>` or in a bare address. */
function addressOf(mailbox: string): string {
  return /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim();
}

/** The address that every mail comes from, whatever name it carries. */
export function sendingAddress({ mailFrom }: Pick<Config, 'mailFrom'>): string {
  return addressOf(mailFrom);
}

/** As a mail program would show the sender. */
function senderOf(config: Config, { fromName }: Mail): string {
  return fromName === undefined
    ? config.mailFrom
    : `"${headerText(fromName).replace(/["\\]/g, '\\$&')}" <${addressOf(config.mailFrom)}>`;
}

interface LibraryError {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/** What the library says names the address, which belongs in no log: its codes are kept alone. */
function failureOf({ code, command, response, responseCode }: LibraryError): MailError {
  const status = responseCode ?? 0;
  const reply = responseCode === undefined ? null : { status, text: response ?? '' };
  if (status >= 500 && code === 'EENVELOPE' && command === 'RCPT TO') {
    return new MailError(
      'address_refused',
      `The mail server refuses the address for good (${status}).`,
      reply,
    );
  }
  if (status >= 500 && code === 'EENVELOPE' && command === 'MAIL FROM') {
    return new MailError('sender_refused', `The mail server refuses the sender (${status}).`, reply);
  }
  if (status >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')) {
    return new MailError('refused', `The mail server refuses the mail (${status}).`, reply);
  }
  const why = [code ?? 'no code', responseCode].filter((part) => part !== undefined).join(' ');
  return new MailError('away', `The mail server did not take the mail (${why}).`, reply);
}

function replyOf(response: string): MailReply {
  return { status: Number(/^\d{3}/.exec(response)?.[0] ?? 250), text: response };
}

/** Without `SMTP_URL` mails are kept in the database and shown at `/dev/outbox`. */
export function createMailer(config: Config, database: Database, clock: Clock): Mailer {
  if (config.smtpUrl === '') {
    return {
      async send(mail) {
        await database.global.db
          .insertInto('outbox_emails')
          .values({
            id: newId(),
            recipient: mail.to,
            sender: senderOf(config, mail),
            subject: headerText(mail.subject),
            html: mail.html,
            plain: mail.text,
            attachments: JSON.stringify(mail.attachments ?? []),
            created_at: clock.now(),
          })
          .execute();
        return null;
      },
    };
  }
  const address = addressOf(config.mailFrom);
  const transport = createTransport(config.smtpUrl, {
    connectionTimeout: 10_000,
    socketTimeout: 20_000,
  } as object);
  return {
    async send({ to, subject, html, text, headers, fromName, replyTo, id, attachments = [] }) {
      try {
        const sent = await transport.sendMail({
          from: fromName === undefined ? config.mailFrom : { name: headerText(fromName), address },
          // As an object: a plain text would be read as a list of addresses.
          to: { name: '', address: to },
          ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
          // What cannot be delivered later is returned to the envelope's sender (RFC 5321, section 4.4).
          ...(config.bounceAddress === '' ? {} : { envelope: { from: config.bounceAddress, to: [to] } }),
          subject: headerText(subject),
          html,
          text,
          ...(headers === undefined ? {} : { headers }),
          ...(id === undefined ? {} : { messageId: `<${id}@${address.split('@').at(-1) ?? 'localhost'}>` }),
          attachments: attachments.map(({ name, type, content }) => ({
            filename: name,
            contentType: type,
            content,
          })),
        });
        return replyOf(sent.response);
      } catch (error) {
        throw failureOf(error as LibraryError);
      }
    },
  };
}
