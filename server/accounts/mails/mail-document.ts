import { type Language, LANGUAGES } from '#contract/fields.ts';
import { escapeHtml } from '#server/platform/html.ts';

/** The language of a mail to an account: the account's, or English if it is unknown. */
export function accountLanguage(said: unknown): Language {
  return LANGUAGES.find((one) => one === said) ?? 'en';
}

/** Precedes the URL of a mail's button, for those who cannot click it. */
export const LINK_HINTS: Record<Language, string> = {
  en: 'If the button doesn’t work, copy this link into your browser:',
  es: 'Si el botón no funciona, copie este enlace en su navegador:',
  de: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie diesen Link in Ihren Browser:',
  fr: 'Si le bouton ne fonctionne pas, copiez ce lien dans votre navigateur :',
  it: 'Se il pulsante non funziona, copiare questo link nel browser:',
  sl: 'Če gumb ne deluje, kopirajte to povezavo v brskalnik:',
  ro: 'Dacă butonul nu funcționează, copiați acest link în browser:',
  pl: 'Jeśli przycisk nie działa, skopiuj ten link do przeglądarki:',
};

/** The colours of the owner app, for mail clients, which support neither its tokens nor `light-dark()`. */
const LIGHT = {
  canvas: '#fbfbfa',
  surface: '#ffffff',
  line: '#e4e7e6',
  ink: '#16201f',
  muted: '#55615f',
  accent: '#0b6b83',
  onAccent: '#ffffff',
};

/** Styles for dark mode and phones. Clients that strip them show the light mail. */
const STYLE = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.canvas{background:#101314!important}
.panel{background:#171b1d!important;border-color:#2a3135!important;color:#edf1f1!important}
.muted{color:#a5b0b2!important}
.button{background:#56c3dc!important;color:#06262e!important}
.link{color:#56c3dc!important}
.facts th,.facts td{border-color:#2a3135!important}}
@media (max-width:36rem){
.facts th,.facts td{display:block!important;width:auto!important;padding-inline:0!important}
.facts th{padding-bottom:0!important}
.facts td{border-top:0!important;padding-top:0!important}}`;

const CELL = `padding:8px 0;border-top:1px solid ${LIGHT.line};text-align:start;vertical-align:top`;

function factsTable(facts: readonly (readonly [name: string, value: string])[]): string {
  if (facts.length === 0) return '';
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th scope="row" class="muted" style="${CELL};padding-inline-end:16px;width:30%;color:${LIGHT.muted};font-weight:400">${escapeHtml(name)}</th><td style="${CELL};overflow-wrap:anywhere">${escapeHtml(value)}</td></tr>`,
  );
  return `<table class="facts" style="width:100%;border-collapse:collapse;margin:0 0 24px;font-size:14px;line-height:20px"><tbody>${rows.join('')}</tbody></table>`;
}

/**
 * The layout of all mails to accounts, as text and HTML with the same words. It loads nothing.
 * @param input.facts a table of names and values, between the lines and the button
 * @param input.footnote may be empty
 */
export function mailDocument(input: {
  language: Language;
  lines: readonly string[];
  facts?: readonly (readonly [name: string, value: string])[];
  button: { text: string; link: string };
  footnote: string;
}): { text: string; html: string } {
  const { language, lines, facts = [], button, footnote } = input;
  const url = escapeHtml(button.link);
  const paragraphs = lines.map((line) => `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`).join('');
  const small = `margin:0 0 12px;color:${LIGHT.muted};font-size:14px;line-height:20px`;
  const note = footnote === '' ? '' : `<p class="muted" style="${small}">${escapeHtml(footnote)}</p>`;
  const pressed = `display:inline-block;padding:10px 20px;border-radius:8px;background:${LIGHT.accent};color:${LIGHT.onAccent};font-weight:600;text-align:center;text-decoration:none`;
  const panel = `max-width:560px;margin:0 auto;padding:28px 24px 16px;background:${LIGHT.surface};border:1px solid ${LIGHT.line};border-radius:8px;color:${LIGHT.ink};font:16px/24px system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;overflow-wrap:anywhere`;
  return {
    text: [
      ...lines,
      facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
      `${button.text}:\n${button.link}`,
      footnote,
      '-- \nSayso',
    ]
      .filter((line) => line !== '')
      .join('\n\n'),
    html:
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
      `<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>Sayso</title><style>${STYLE}</style></head>` +
      `<body class="canvas" style="margin:0;padding:24px 12px;background:${LIGHT.canvas}"><div class="panel" style="${panel}">` +
      `<p style="margin:0 0 20px;font-size:18px;font-weight:700">Sayso</p>` +
      `${paragraphs}${factsTable(facts)}<p style="margin:24px 0"><a class="button" href="${url}" style="${pressed}">${escapeHtml(button.text)}</a></p>${note}` +
      `<p class="muted" style="${small}">${escapeHtml(LINK_HINTS[language])}<br><a class="link" href="${url}" style="color:${LIGHT.accent}">${url}</a></p>` +
      `</div></body></html>`,
  };
}
