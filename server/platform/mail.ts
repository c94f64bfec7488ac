import { createTransport } from 'nodemailer';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database, GlobalDb } from './database.ts';
import { newId } from './ids.ts';
import { addressOf, nameOf } from './mailbox.ts';
import { storable } from './storable.ts';

export interface Mail {
  to: string;
  subject: string;
  /** Absent: the mail is plain text. */
  html?: string;
  text: string;
  headers?: Record<string, string>;
  /** The sender's name, instead of that in `MAIL_FROM`; the address is always that of the setting. */
  fromName?: string;
  /** Where replies go, instead of the address in `MAIL_FROM`. */
  replyTo?: string;
  /** The same for every attempt, so that mailboxes show the mail once: an id, without `<`, `@` and host. */
  id?: string;
  attachments?: readonly Attachment[];
}

export interface Attachment {
  name: string;
  /** Media type. */
  type: string;
  content: string;
}

/** The reply of a mail server. */
export interface MailReply {
  status: number;
  text: string;
}

/**
 * address_refused: the address permanently rejects mail. refused: this mail was rejected. sender_refused: the sender is
 * rejected. away: retry.
 */
export type MailFailure = 'address_refused' | 'refused' | 'sender_refused' | 'away';

/** Contains no address, so it may be logged. */
export class MailError extends Error {
  readonly kind: MailFailure;
  /** Kept out of logs, because mail servers repeat the address. */
  readonly #reply: MailReply | null;

  constructor(kind: MailFailure, message: string, reply: MailReply | null) {
    super(message);
    this.kind = kind;
    this.#reply = reply;
  }

  /** null if no mail server replied. */
  get reply(): MailReply | null {
    return this.#reply;
  }
}

export interface Mailer {
  /**
   * Resolves when the mail server has accepted the mail, or when it was stored.
   * @returns the mail server's reply; null if none is configured
   * @throws MailError
   */
  send(mail: Mail): Promise<MailReply | null>;
}

const MAX_HEADER_LENGTH = 200;

/** A single line, without invisible or bidirectional control characters. */
export function oneLine(value: string): string {
  return value
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** A value that cannot inject headers. */
export function headerText(value: string): string {
  return oneLine(value).slice(0, MAX_HEADER_LENGTH);
}

/** The From address of every mail, whatever its name. */
export function sendingAddress({ mailFrom }: Pick<Config, 'mailFrom'>): string {
  return addressOf(mailFrom);
}

/** The sender as a mail client shows it. */
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

/** The library's message contains the address, which must not be logged, so only its codes are kept. */
function failureOf({ code, command, response, responseCode }: LibraryError): MailError {
  const status = responseCode ?? 0;
  const reply = responseCode === undefined ? null : { status, text: storable(response ?? '') };
  if (status >= 500 && code === 'EENVELOPE' && command === 'RCPT TO') {
    return new MailError(
      'address_refused',
      `The mail server rejected the recipient permanently (${status}).`,
      reply,
    );
  }
  if (status >= 500 && code === 'EENVELOPE' && command === 'MAIL FROM') {
    return new MailError('sender_refused', `The mail server rejected the sender (${status}).`, reply);
  }
  if (status >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')) {
    return new MailError('refused', `The mail server rejected the email (${status}).`, reply);
  }
  const why = [code ?? 'no code', responseCode].filter((part) => part !== undefined).join(' ');
  return new MailError('away', `The mail server didn't accept the email (${why}).`, reply);
}

function replyOf(response: string): MailReply {
  return { status: Number(/^\d{3}/.exec(response)?.[0] ?? 250), text: storable(response) };
}

/** Without `SMTP_URL`, mails are stored in the database and shown at `/dev/outbox`. */
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
            html: mail.html ?? '',
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
          // Objects, because a string would be parsed as a list of addresses.
          from: { name: headerText(fromName ?? nameOf(config.mailFrom)), address },
          to: { name: '', address: to },
          ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
          // Bounces go to the envelope sender (RFC 5321, section 4.4).
          ...(config.bounceAddress === '' ? {} : { envelope: { from: config.bounceAddress, to: [to] } }),
          subject: headerText(subject),
          ...(html === undefined ? {} : { html }),
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

/**
 * Deletes emails of the outbox.
 * @returns whether there may be more
 */
export async function deleteOldOutboxEmails(global: GlobalDb, before: Date, limit: number): Promise<boolean> {
  const { numDeletedRows } = await global.db
    .deleteFrom('outbox_emails')
    .where('id', 'in', (eb) =>
      eb.selectFrom('outbox_emails').select('id').where('created_at', '<', before).limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows === BigInt(limit);
}
