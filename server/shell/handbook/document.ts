import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '#server/platform/html.ts';
import { type Handbook, HANDBOOK_PATH, type Page, type Part } from './handbook.ts';

const DIST = join(import.meta.dirname, '../../../dist/handbook');

/** Loads only from this server; no inline script or style. */
export const HANDBOOK_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** URLs of the assets built by `npm run build`. */
export interface Assets {
  scripts: string[];
  styles: string[];
  /** The font's Latin letters. */
  fonts: string[];
  /** Its further letters of the product's languages. */
  extendedFonts: string[];
}

export function readAssets(): Assets {
  const file = join(DIST, 'manifest.json');
  if (!existsSync(file)) return { scripts: [], styles: [], fonts: [], extendedFonts: [] };
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { file: string }>;
  const files = [...new Set(Object.values(manifest).map((entry) => entry.file))];
  const ending = (end: string) =>
    files.filter((one) => one.endsWith(end)).map((one) => `${HANDBOOK_PATH}/${one}`);
  const fontsOf = (letters: string) =>
    ending('.woff2').filter((url) => url.includes(`inter-${letters}-wght`));
  return {
    scripts: ending('.js'),
    styles: ending('.css'),
    fonts: fontsOf('latin'),
    extendedFonts: fontsOf('latin-ext'),
  };
}

/** One of the font's files, for documents without the handbook's styles. */
export function fontFaceOf(family: string, [url]: readonly string[]): string {
  if (url === undefined) return '';
  return `@font-face { font-family: '${family}'; font-weight: 100 900; font-display: swap; src: url('${url}') format('woff2'); }`;
}

/** The HTML of a page. */
export function handbookDocument(handbook: Handbook, page: Page, assets: Assets): string {
  const index = handbook.pages.indexOf(page);
  const title = page === handbook.cover ? 'Sayso handbook' : `${page.title} · Sayso handbook`;
  const body = `
<h1>${escapeHtml(page.title)}</h1>
${page.html}
${page === handbook.cover ? coverOf(handbook.parts) : ''}
<p class="source"><a href="${page.markdownUrl}">View as Markdown</a></p>
${neighboursOf(index < 0 ? undefined : handbook.pages[index - 1], index < 0 ? undefined : handbook.pages[index + 1])}`;
  return frame({ title, description: page.summary, body, aside: onThisPage(page), handbook, page, assets });
}

/** The 404 page of the handbook. */
export function notFoundDocument(handbook: Handbook, assets: Assets): string {
  const body = `
<h1>This page isn’t in the handbook</h1>
<p>The link may be old. Choose a page from the contents, or search for it.</p>
<p><a href="${HANDBOOK_PATH}">Go to the first page</a></p>`;
  return frame({
    title: 'Not found · Sayso handbook',
    description: '',
    body,
    aside: '',
    handbook,
    page: null,
    assets,
  });
}

/** A page in the handbook's look without its contents. @param part what stands beside the product's name */
export function plainDocument(part: string, body: string, assets: Assets): string {
  return `${headOf({ title: `${part} · Sayso`, assets })}
<body>
<header class="top">${brandOf('/dashboard', part)}
<ul class="top-links"><li><a href="${HANDBOOK_PATH}">Handbook</a></li><li><a href="/dashboard">Open Sayso</a></li></ul>
</header>
<main id="content" class="plain"><article>${body}</article></main>
</body>
</html>
`;
}

function brandOf(href: string, part: string): string {
  return `<a class="brand" href="${href}">${MARK}<span>Sayso <span class="brand-part">${part}</span></span></a>`;
}

interface Head {
  title: string;
  assets: Assets;
  more?: string;
}

function headOf({ title, assets, more = '' }: Head): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${HANDBOOK_PATH}/icon.svg" type="image/svg+xml">
${assets.styles.map((url) => `<link rel="stylesheet" href="${url}">`).join('\n')}
${assets.scripts.map((url) => `<script src="${url}"></script>`).join('\n')}
${more}</head>`;
}

interface Frame {
  title: string;
  description: string;
  body: string;
  aside: string;
  handbook: Handbook;
  page: Page | null;
  assets: Assets;
}

function frame({ title, description, body, aside, handbook, page, assets }: Frame): string {
  const contents = contentsOf(handbook, page);
  const more = `<meta name="description" content="${escapeHtml(description)}">
${page === null ? '' : `<link rel="alternate" href="${page.markdownUrl}" type="text/markdown" title="Markdown">\n`}`;
  return `${headOf({ title, assets, more })}
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
${brandOf(HANDBOOK_PATH, 'handbook')}
${SEARCH}
<ul class="top-links"><li><a href="${HANDBOOK_PATH}/api/">API reference</a></li><li><a href="/dashboard">Open Sayso</a></li></ul>
</header>
<details class="menu"><summary>Contents</summary><nav aria-label="All pages">${contents}</nav></details>
<div class="columns">
<nav class="side" aria-label="Contents">${contents}</nav>
<main id="content" tabindex="-1"><article>${body}</article></main>
${aside}
</div>
</body>
</html>
`;
}

export const MARK = `<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect class="mark-ground" width="32" height="32" rx="8"/><path class="mark-bubble" d="M8 10.5A2.5 2.5 0 0 1 10.5 8h11a2.5 2.5 0 0 1 2.5 2.5v8a2.5 2.5 0 0 1-2.5 2.5H16l-5 4v-4h-.5A2.5 2.5 0 0 1 8 18.5z"/><path class="mark-tick" d="m12.3 14.5 2.6 2.6 4.9-5"/></svg>`;

/** Hidden until the search script has loaded. */
const SEARCH = `<div class="search" role="search" data-index="${HANDBOOK_PATH}/search.json" hidden>
<input type="search" id="search" role="combobox" aria-label="Search the handbook" placeholder="Search" autocomplete="off" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list">
<kbd aria-hidden="true">/</kbd>
<ul id="search-results" role="listbox" aria-label="Search results" hidden></ul>
<p id="search-status" role="status"></p>
</div>`;

function contentsOf({ cover, parts }: Handbook, current: Page | null): string {
  const entry = (page: Page) =>
    `<li><a href="${page.url}"${page === current ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`;
  const lists = parts.map(
    ({ title, pages }) => `<p class="part">${escapeHtml(title)}</p><ul>${pages.map(entry).join('')}</ul>`,
  );
  return `<ul>${entry(cover)}</ul>${lists.join('')}`;
}

/** Only for pages with several sections. */
function onThisPage({ sections }: Page): string {
  const headings = sections.flatMap(({ heading }) => (heading?.depth === 2 ? [heading] : []));
  if (headings.length < 2) return '';
  const entries = headings.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="here" aria-label="On this page"><p class="part">On this page</p><ul>${entries.join('')}</ul></nav>`;
}

function coverOf(parts: Part[]): string {
  return parts
    .map(({ title, pages }) => {
      const cards = pages.map(
        (page) =>
          `<li><a href="${page.url}">${escapeHtml(page.title)}</a><span>${escapeHtml(page.summary)}</span></li>`,
      );
      return `<h2>${escapeHtml(title)}</h2><ul class="cards">${cards.join('')}</ul>`;
    })
    .join('');
}

function neighboursOf(before: Page | undefined, after: Page | undefined): string {
  const link = (page: Page | undefined, word: string, rel: string) =>
    page === undefined
      ? ''
      : `<a class="${rel}" rel="${rel}" href="${page.url}"><span>${word}</span>${escapeHtml(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">${link(before, 'Previous', 'prev')}${link(after, 'Next', 'next')}</nav>`;
}
