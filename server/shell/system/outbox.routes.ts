import { appHost } from '#server/platform/config.ts';
import { notFound } from '#server/platform/errors.ts';
import { escapeHtml } from '#server/platform/html.ts';
import type { Http } from '#server/platform/http/server.ts';
import { isId } from '#server/platform/ids.ts';
import { isLocalName } from '#server/platform/local-names.ts';
import type { Attachment } from '#server/platform/mail.ts';
import type { Services } from '#server/platform/services.ts';
import { HANDBOOK_POLICY, plainDocument, readAssets } from '#server/shell/handbook/document.ts';

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

function linksTo(attachments: readonly Attachment[]): string {
  return attachments
    .map(({ name, type, content }) => {
      const address = `data:${type};base64,${Buffer.from(content, 'utf8').toString('base64')}`;
      return ` <a download="${escapeHtml(name)}" href="${escapeHtml(address)}">${escapeHtml(name)}</a>`;
    })
    .join('');
}

const TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

interface Listed {
  id: string;
  recipient: string;
  subject: string;
  attachments: Attachment[];
  created_at: Date;
}

function rowOf({ id, recipient, subject, attachments, created_at }: Listed): string {
  const time = `<time datetime="${created_at.toISOString()}">${TIME.format(created_at)} UTC</time>`;
  return `<li><a class="subject" href="${OUTBOX_PATH}/${id}">${escapeHtml(subject)}</a><p>To ${escapeHtml(recipient)} · ${time}${linksTo(attachments)}</p></li>`;
}

function listOf(mails: readonly Listed[]): string {
  const lead =
    '<p>Emails stay here while no mail server is set. Set <code>SMTP_URL</code> to send them. See <a href="/docs/emails">emails</a>.</p>';
  const rows =
    mails.length === 0
      ? '<p class="empty">No emails yet. Ask for a personal link or a new password, and the email appears here.</p>'
      : `<ul class="outbox">${mails.map(rowOf).join('')}</ul>`;
  return `<h1>Outbox</h1>${lead}${rows}`;
}

/** Mails use style attributes, as mail clients require. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const OUTBOX_PATH = '/dev/outbox';

/** Off behind a proxy, where every visitor seems local, and for a public host name, which is no trial. */
export function showsOutbox({ appUrl, smtpUrl, production }: Services['config']): boolean {
  return smtpUrl === '' && !production && isLocalName(new URL(appUrl).hostname);
}

/**
 * The mails stored because no mail server is set. They contain links that open accounts, so they are shown only to this
 * machine, only under a local name, and never in production.
 */
export function outboxRoutes(http: Http, { config, database }: Services): void {
  if (!showsOutbox(config)) return;

  const host = appHost(config);
  http.addHook('onRequest', async ({ url, socket, headers }) => {
    if (!url.startsWith('/dev/')) return;
    // Any DNS name can point to this machine (DNS rebinding), and forwarded hosts are ignored.
    const isForeign = headers.host?.toLowerCase() !== host;
    if (isForeign || !LOOPBACK.test(socket.remoteAddress ?? '127.0.0.1')) throw notFound('This page');
  });

  http.get(OUTBOX_PATH, { schema: { hide: true } }, async (_request, reply) => {
    const mails = await database.global.db
      .selectFrom('outbox_emails')
      .select(['id', 'recipient', 'subject', 'attachments', 'created_at'])
      .orderBy('created_at', 'desc')
      .limit(100)
      .execute();
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', HANDBOOK_POLICY)
      .serializer(String)
      .send(plainDocument('outbox', listOf(mails), readAssets()));
  });

  http.get<{ Params: { id: string } }>(
    '/dev/outbox/:id',
    { schema: { hide: true } },
    async (request, reply) => {
      const { id } = request.params;
      const mail = isId(id)
        ? await database.global.db
            .selectFrom('outbox_emails')
            .selectAll()
            .where('id', '=', id)
            .executeTakeFirst()
        : undefined;
      if (mail === undefined) throw notFound('This email');
      return reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('content-security-policy', MAIL_POLICY)
        .serializer(String)
        .send(mail.html);
    },
  );
}
