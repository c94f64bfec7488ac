import { appHost } from '#server/platform/config.ts';
import { notFound } from '#server/platform/errors.ts';
import { escapeHtml } from '#server/platform/html.ts';
import type { Http } from '#server/platform/http/server.ts';
import { isId } from '#server/platform/ids.ts';
import type { Attachment } from '#server/platform/mail.ts';
import type { Services } from '#server/platform/services.ts';

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

function documentOf(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>${escapeHtml(title)}</title><body style="font-family:system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;line-height:1.5">${body}</body></html>`;
}

function linksTo(attachments: readonly Attachment[]): string {
  return attachments
    .map(({ name, type, content }) => {
      const address = `data:${type};base64,${Buffer.from(content, 'utf8').toString('base64')}`;
      return ` · <a download="${escapeHtml(name)}" href="${escapeHtml(address)}">${escapeHtml(name)}</a>`;
    })
    .join('');
}

/** Mails use style attributes, as mail clients require. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const OUTBOX_PATH = '/dev/outbox';

/** Off behind a proxy, where every visitor seems local, and for a public host name, which is no trial. */
export function showsOutbox({ appUrl, smtpUrl, production }: Services['config']): boolean {
  const isTrial = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(appUrl).hostname);
  return smtpUrl === '' && !production && isTrial;
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
    const rows = mails.map(
      (mail) =>
        `<li><a href="/dev/outbox/${mail.id}">${escapeHtml(mail.subject)}</a><br><small>${escapeHtml(mail.recipient)} · ${mail.created_at.toISOString()}${linksTo(mail.attachments)}</small></li>`,
    );
    const list =
      rows.length === 0
        ? '<p>No emails yet. Set SMTP_URL to send real emails.</p>'
        : `<ul>${rows.join('')}</ul>`;
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', MAIL_POLICY)
      .serializer(String)
      .send(documentOf('Outbox', `<h1>Outbox</h1>${list}`));
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
