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
}

export interface Mailer {
  /** Resolves when the mail server took the mail, or when it was kept. */
  send(mail: Mail): Promise<void>;
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
            sender: config.mailFrom,
            subject: mail.subject,
            html: mail.html,
            plain: mail.text,
            created_at: clock.now(),
          })
          .execute();
      },
    };
  }
  const transport = createTransport(config.smtpUrl, {
    connectionTimeout: 10_000,
    socketTimeout: 20_000,
  } as object);
  return {
    async send(mail) {
      await transport.sendMail({ from: config.mailFrom, ...mail });
    },
  };
}
