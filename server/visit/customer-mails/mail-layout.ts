import type { Language } from '#contract/fields.ts';
import type { Operator } from '#contract/operator.ts';
import type { PageAttrs } from '#contract/preference-pages.ts';
import type { Site } from '#contract/sites.ts';
import { LINK_HINTS } from '#server/accounts/mails/mail-document.ts';
import { escapeHtml } from '#server/platform/html.ts';
import type { Mail } from '#server/platform/mail.ts';
import { paletteOf } from '#web/page/colour.ts';
import type { MailTexts, MailWords } from './customer-mails.texts.ts';

type FootTexts = Pick<MailTexts, 'privacy' | 'imprint'>;

/** The sender of a mail. Names are shown as text only. */
export interface MailSender {
  name: string;
  attrs: Pick<PageAttrs, 'primary_color' | 'text_color' | 'background_color'>;
  operator: Operator | null;
}

/** The From and Reply-To of a site's mails. */
export function senderOf(
  { reply_to: replyTo }: Pick<Site, 'reply_to'>,
  name: string,
): Pick<Mail, 'fromName' | 'replyTo'> {
  return { fromName: name, ...(replyTo === '' ? {} : { replyTo }) };
}

/** The imprint: lines of text, and labelled links. */
function footOf(operator: Operator | null, texts: FootTexts): { lines: string[]; links: [string, string][] } {
  if (operator === null) return { lines: [], links: [] };
  const { legal_name: name, postal_address: address, privacy_url: privacy, imprint_url: imprint } = operator;
  const links: [string, string][] = [
    [texts.privacy, privacy],
    [texts.imprint, imprint],
  ];
  return {
    lines: [name, ...address.split('\n')].map((line) => line.trim()).filter((line) => line !== ''),
    links: links.filter(([, link]) => link !== ''),
  };
}

/** All that a mail says, in the order in which it is read, but without its link. */
export function textOfMail(input: {
  language: Language;
  sender: Pick<MailSender, 'name' | 'operator'>;
  texts: FootTexts & Pick<MailTexts, 'greeting'>;
  words: MailWords;
}) {
  const { language, sender, texts, words } = input;
  return {
    language,
    from: sender.name,
    subject: words.subject,
    greeting: texts.greeting,
    lines: words.lines,
    button: words.button,
    note: words.note,
    link_hint: LINK_HINTS[language],
    foot: footOf(sender.operator, texts),
  };
}

/**
 * A mail to a customer in the colours of their page, as text and HTML with the same words. It loads nothing: no
 * images, no fonts, no tracking.
 */
export function renderCustomerMail(input: {
  language: Language;
  sender: MailSender;
  texts: FootTexts & Pick<MailTexts, 'greeting'>;
  words: MailWords;
  /** null: the words have no button. */
  link: string | null;
}): { text: string; html: string } {
  const { language, sender, texts, words, link } = input;
  const { greeting } = texts;
  const foot = footOf(sender.operator, texts);
  const { bg, surface, text, muted, line, primary, edge, accent, ...palette } = paletteOf(sender.attrs);
  const paragraphs = [greeting, ...words.lines]
    .map((one) => `<p style="margin:0 0 16px">${escapeHtml(one).replaceAll('\n', '<br>')}</p>`)
    .join('');
  const small = `margin:0 0 12px;color:${muted};font-size:14px`;
  const button = `display:inline-block;padding:12px 22px;border-radius:10px;border:1px solid ${edge};background:${primary};color:${palette['on-primary']};font-weight:600;text-align:center;text-decoration:none`;
  const panel = `max-width:560px;margin:0 auto;padding:28px 24px;background:${surface};border:1px solid ${line};border-radius:12px;color:${text};font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;overflow-wrap:anywhere`;
  const url = escapeHtml(link ?? '');
  const hasButton = words.button !== null && link !== null;
  return {
    text: [
      greeting,
      ...words.lines,
      ...(hasButton ? [`${words.button}:\n${link}`] : []),
      words.note,
      ['-- ', sender.name, ...foot.lines, ...foot.links.map(([text, to]) => `${text}: ${to}`)].join('\n'),
    ].join('\n\n'),
    html:
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
      `<meta name="color-scheme" content="light only"><title>${escapeHtml(words.subject)}</title></head>` +
      `<body style="margin:0;padding:24px 12px;background:${bg}"><div style="${panel}">` +
      `<p style="margin:0 0 20px;font-size:20px;font-weight:700;line-height:1.25">${escapeHtml(sender.name)}</p>` +
      paragraphs +
      (hasButton
        ? `<p style="margin:24px 0"><a href="${url}" style="${button}">${escapeHtml(words.button ?? '')}</a></p>`
        : '') +
      `<p style="${small}">${escapeHtml(words.note)}</p>` +
      (hasButton
        ? `<p style="${small}">${escapeHtml(LINK_HINTS[language])}<br><a href="${url}" style="color:${accent}">${url}</a></p>`
        : '') +
      `</div>${footHtml(foot, muted)}</body></html>`,
  };
}

function footHtml({ lines, links }: ReturnType<typeof footOf>, colour: string): string {
  const linked = links
    .map(([text, to]) => `<a href="${escapeHtml(to)}" style="color:${colour}">${escapeHtml(text)}</a>`)
    .join(' &middot; ');
  const all = [...lines.map(escapeHtml), ...(linked === '' ? [] : [linked])];
  if (all.length === 0) return '';
  const style = `max-width:560px;margin:16px auto 0;padding:0 24px;color:${colour};font:13px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;overflow-wrap:anywhere`;
  return `<div style="${style}">${all.join('<br>')}</div>`;
}
