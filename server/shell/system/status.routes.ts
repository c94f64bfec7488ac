import { randomBytes } from 'node:crypto';
import { type Language, LANGUAGES } from '#contract/fields.ts';
import { appHost } from '#server/platform/config.ts';
import { acceptedLanguages } from '#server/platform/http/accept-language.ts';
import type { Http } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { type Assets, fontFaceOf, MARK, readAssets } from '#server/shell/handbook/document.ts';
import { CUSTOMER_MAILS } from '#server/visit/customer-mails/customer-mails.ts';
import { chooseLanguage } from '#web/page/view.ts';
import type { Health } from './health.routes.ts';
import type { MetricsReading } from './metrics.ts';
import { STATUS_TEXTS, type StatusTexts } from './status.texts.ts';

/** A queue this far behind is reported. */
const DELAYED_AFTER_SECONDS = 300;

/** Readable on a phone, in the device's colour scheme. */
const STYLE = `
:root {
  color-scheme: light dark;
  font: 1rem/1.5 'Inter Variable', 'Inter Variable Extended', system-ui, sans-serif;
}
body { margin: 0 auto; padding: 2rem 1rem; max-width: 40rem; }
.top { display: flex; align-items: center; justify-content: space-between; gap: 1rem; }
.brand { display: flex; align-items: center; gap: 0.625rem; font-weight: 600; }
a { color: light-dark(#0b6b83, #56c3dc); text-underline-offset: 0.2em; }
.brand { color: inherit; text-decoration: none; }
a:focus-visible { outline: 2px solid; outline-offset: 4px; border-radius: 2px; }
.mark-ground { fill: light-dark(#0b6b83, #56c3dc); }
.mark-bubble { fill: light-dark(#ffffff, #06262e); }
.mark-tick {
  fill: none; stroke: light-dark(#0b6b83, #56c3dc); stroke-width: 2.2;
  stroke-linecap: round; stroke-linejoin: round;
}
h1 { margin: 1.5rem 0 0.5rem; font-size: 1.75rem; line-height: 1.2; }
dl { display: grid; grid-template-columns: 1fr auto; gap: 0.75rem 1rem; }
dt, dd { margin: 0; }
dd { text-align: end; }
.not-set-up, .checked { color: light-dark(#55615f, #a5b0b2); }
.checked { margin: 2rem 0 0; font-size: 0.875rem; }
.trouble { font-weight: 700; }
.trouble::before { content: '⚠ '; }
`;

interface Part {
  name: string;
  /** null: it works. */
  trouble: string | null;
  isSetUp?: boolean;
}

interface Condition extends MetricsReading {
  isFull: boolean;
  sendsEmail: boolean;
}

function partsOf(texts: StatusTexts, { isDatabaseUp, queueDelays, isFull, sendsEmail }: Condition): Part[] {
  const queue = (name: string): string | null => {
    if (!isDatabaseUp) return texts.unknown;
    const seconds = queueDelays.get(name) ?? 0;
    return seconds < DELAYED_AFTER_SECONDS ? null : texts.delayed(Math.floor(seconds / 60));
  };
  return [
    { name: texts.pages, trouble: isDatabaseUp ? null : texts.notWorking },
    { name: texts.saving, trouble: isDatabaseUp && !isFull ? null : texts.notWorking },
    { name: texts.tools, trouble: queue('deliveries') },
    // Without a mail server the queue still runs, and no one gets an email.
    sendsEmail
      ? { name: texts.emails, trouble: queue(CUSTOMER_MAILS.name) }
      : { name: texts.emails, trouble: null, isSetUp: false },
  ];
}

function rowOf(texts: StatusTexts, { name, trouble, isSetUp = true }: Part): string {
  const looks = trouble !== null ? ' class="trouble"' : isSetUp ? '' : ' class="not-set-up"';
  return `<dt>${name}</dt><dd${looks}>${trouble ?? (isSetUp ? texts.working : texts.notSetUp)}</dd>`;
}

function summaryOf(texts: StatusTexts, parts: readonly Part[]): string {
  if (parts.some(({ trouble }) => trouble !== null)) return texts.someTrouble;
  return parts.some(({ isSetUp }) => isSetUp === false) ? texts.wellAsSetUp : texts.allWell;
}

function timeOf(language: Language, time: Date): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `<time datetime="${time.toISOString()}">${format.format(time)} UTC</time>`;
}

interface StatusPage {
  language: Language;
  texts: StatusTexts;
  parts: readonly Part[];
  checkedAt: Date;
  fonts: string;
  nonce: string;
}

/** Its two parts are families of their own, so that a browser loads the second only for letters that need it. */
function fontsOf({ fonts, extendedFonts }: Assets): string {
  return [fontFaceOf('Inter Variable', fonts), fontFaceOf('Inter Variable Extended', extendedFonts)].join(
    '\n',
  );
}

/** Contains only our own texts, nothing from a request or a row. */
function documentOf({ language, texts, parts, checkedAt, fonts, nonce }: StatusPage): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sayso: ${texts.title}</title>
<style nonce="${nonce}">${fonts}${STYLE}</style>
</head>
<body>
<header class="top"><a class="brand" href="/">${MARK}Sayso</a><a href="/">${texts.open}</a></header>
<main>
<h1>${texts.title}</h1>
<p>${summaryOf(texts, parts)}</p>
<dl>${parts.map((part) => rowOf(texts, part)).join('')}</dl>
<p class="checked">${texts.checked(timeOf(language, checkedAt))}</p>
</main>
</body>
</html>
`;
}

/** Public status: whether the service works, without any figures. */
export function statusRoutes(http: Http, services: Services, { metrics }: Health): void {
  const constraints = { host: appHost(services.config) };
  const fonts = fontsOf(readAssets());
  http.get('/status', { schema: { hide: true }, constraints }, async (request, reply) => {
    const preferred = acceptedLanguages(request.headers['accept-language']);
    const language = chooseLanguage({ default: 'en', active_languages: [...LANGUAGES] }, preferred);
    const texts = STATUS_TEXTS[language];
    const parts = partsOf(texts, {
      ...(await metrics.look()),
      isFull: services.database.storage.isFull,
      sendsEmail: services.config.smtpUrl !== '',
    });
    const nonce = randomBytes(16).toString('base64');
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('vary', 'accept-language')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
      .serializer(String)
      .send(documentOf({ language, texts, parts, checkedAt: services.clock.now(), fonts, nonce }));
  });
}
