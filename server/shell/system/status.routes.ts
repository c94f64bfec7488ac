import { randomBytes } from 'node:crypto';
import { type Language, LANGUAGES } from '#contract/fields.ts';
import { appHost } from '#server/platform/config.ts';
import { acceptedLanguages } from '#server/platform/http/accept-language.ts';
import type { Http } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { CUSTOMER_MAILS } from '#server/visit/customer-mails/customer-mails.ts';
import { chooseLanguage } from '#web/page/view.ts';
import type { Health } from './health.routes.ts';
import type { MetricsReading } from './metrics.ts';
import { STATUS_TEXTS, type StatusTexts } from './status.texts.ts';

/** A queue this far behind is reported. */
const DELAYED_AFTER_SECONDS = 300;

/** Readable on a phone, in the device's colour scheme. */
const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 40rem; }
dl { display: grid; grid-template-columns: 1fr auto; gap: 0.75rem 1rem; }
dt, dd { margin: 0; }
dd { text-align: end; }
.trouble { font-weight: 700; }
.trouble::before { content: '⚠ '; }
`;

interface Part {
  name: string;
  /** null: it works. */
  trouble: string | null;
}

function partsOf(texts: StatusTexts, { isDatabaseUp, queueDelays }: MetricsReading, isFull: boolean): Part[] {
  const queue = (name: string): string | null => {
    if (!isDatabaseUp) return texts.unknown;
    const seconds = queueDelays.get(name) ?? 0;
    return seconds < DELAYED_AFTER_SECONDS ? null : texts.delayed(Math.floor(seconds / 60));
  };
  return [
    { name: texts.pages, trouble: isDatabaseUp ? null : texts.notWorking },
    { name: texts.saving, trouble: isDatabaseUp && !isFull ? null : texts.notWorking },
    { name: texts.tools, trouble: queue('deliveries') },
    { name: texts.emails, trouble: queue(CUSTOMER_MAILS.name) },
  ];
}

/** Contains only our own texts, nothing from a request or a row. */
function documentOf(language: Language, texts: StatusTexts, parts: readonly Part[], nonce: string): string {
  const isWell = parts.every(({ trouble }) => trouble === null);
  const rows = parts.map(
    ({ name, trouble }) =>
      `<dt>${name}</dt><dd${trouble === null ? '' : ' class="trouble"'}>${trouble ?? texts.working}</dd>`,
  );
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sayso: ${texts.title}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>${texts.title}</h1>
<p>${isWell ? texts.allWell : texts.someTrouble}</p>
<dl>${rows.join('')}</dl>
</main>
</body>
</html>
`;
}

/** Public status: whether the service works, without any figures. */
export function statusRoutes(http: Http, services: Services, { metrics }: Health): void {
  const constraints = { host: appHost(services.config) };
  http.get('/status', { schema: { hide: true }, constraints }, async (request, reply) => {
    const preferred = acceptedLanguages(request.headers['accept-language']);
    const language = chooseLanguage({ default: 'en', active_languages: [...LANGUAGES] }, preferred);
    const texts = STATUS_TEXTS[language];
    const parts = partsOf(texts, await metrics.look(), services.database.storage.isFull);
    const nonce = randomBytes(16).toString('base64');
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('vary', 'accept-language')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
      .serializer(String)
      .send(documentOf(language, texts, parts, nonce));
  });
}
