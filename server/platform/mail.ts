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
  /** The same for every try of one mail, so that mailboxes show it once: an id, without `<`, `@` and host. */
  id?: string;
}

export interface Mailer {
  /** Resolves when the mail server took the mail, or when it was kept. */
  send(mail: Mail): Promise<void>;
}

const MAX_HEADER_LENGTH = 200;

/** A value that stays inside its header: one line, without characters that hide or turn text. */
export function headerText(value: string): string {
  return value
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, MAX_HEADER_LENGTH);
}

/** The address in `Name <address>` or in a bare address. */
function addressOf(mailbox: string): string {
  return /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim();
}

/** As a mail program would show the sender. */
function senderOf(config: Config, { fromName }: Mail): string {
  return fromName === undefined
    ? config.mailFrom
    : `"${headerText(fromName).replace(/["\\]/g, '\\$&')}" <${addressOf(config.mailFrom)}>`;
}

/** Without `SMTP_URL` mails are kept in the database and shown at `/dev/outbox`. */
export function createMailer(config: Config, database: Database, clock: Clock): Mailer {
  if (config.smtpUrl === '') {
    return {
      async send(mail) {
        await database.global.db
          .insertInto('kept_mails')
          .values({
            id: newId(),
            recipient: mail.to,
            sender: senderOf(config, mail),
            subject: headerText(mail.subject),
            html: mail.html,
            plain: mail.text,
            created_at: clock.now(),
          })
          .execute();
      },
    };
  }
  const address = addressOf(config.mailFrom);
  const transport = createTransport(config.smtpUrl, {
    connectionTimeout: 10_000,
    socketTimeout: 20_000,
  } as object);
  return {
    async send({ to, subject, html, text, headers, fromName, id }) {
      await transport.sendMail({
        from: fromName === undefined ? config.mailFrom : { name: headerText(fromName), address },
        // As an object: a plain text would be read as a list of addresses.
        to: { name: '', address: to },
        subject: headerText(subject),
        html,
        text,
        ...(headers === undefined ? {} : { headers }),
        ...(id === undefined ? {} : { messageId: `<${id}@${address.split('@').at(-1) ?? 'localhost'}>` }),
      });
    },
  };
}
