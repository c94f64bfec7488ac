import { renderToString } from 'react-dom/server';
import { EMBED_MESSAGE } from '#contract/embed-messages.ts';
import { cssProperties, paletteOf } from './colour.ts';
import { escapeHtml, escapeJson } from './escape.ts';
import { isLanding, LandingPage } from './LandingPage.tsx';
import { localService } from './local-service.ts';
import { textsOf } from './locales.ts';
import * as parts from './parts.ts';
import { PreferencePage } from './PreferencePage.tsx';
import type { Texts } from './texts.ts';
import type { PageView } from './view.ts';

export type PageAssets = {
  /** Address of the script. */
  script: string;
  /** The style sheet itself, or its address. */
  style: string;
};

// Before the first paint: visitors known only to this browser see the loader instead of the form.
const START_SCRIPT =
  "try{var d=document.documentElement,s=history.state;if(d.dataset.known||(s&&s.challenge)||localStorage.getItem('challenge')||localStorage.getItem('email'))d.dataset.starting=''}catch(e){}";

// A challenge stored in this browser takes precedence over the linked address, which must not flash up.
const PREFERRED_SCRIPT =
  "try{var s=history.state;if((s&&s.challenge)||localStorage.getItem('challenge'))document.documentElement.dataset.starting='preferred'}catch(e){}";

// A message has no script of its own; in a frame it still answers the page around it, which takes silence for a refusal.
const FRAMED_SCRIPT = `addEventListener('message',function(e){if(parent!==self&&e.source===parent&&e.data&&e.data.type==='${EMBED_MESSAGE.hello}')parent.postMessage({type:'${EMBED_MESSAGE.height}',height:document.body.scrollHeight},e.origin)})`;

/** Removes list translations in other languages. */
function forBrowser(view: PageView): PageView {
  const lists = view.page.lists.map((list) => ({
    ...list,
    translations: list.translations.filter(({ language }) => language === view.language),
  }));
  return { ...view, page: { ...view.page, lists } };
}

/** Whether the server used an address alone, over which a challenge stored in the browser takes precedence. */
function goesByAddress({ step, query, notice, page }: PageView): boolean {
  if (query.challenge !== null || query.email === null || notice !== null) return false;
  return step === 'form' ? page.attrs.enhanced_security : step === 'preferences' || step === 'not-found';
}

/** Texts of the pages that have no script, and that no other page can come to. */
const WITHOUT_SCRIPT = /^(?:report\.(?!title$)|taken_down\.)/;

const forScript = (texts: Texts) =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => !WITHOUT_SCRIPT.test(key)));

function isInteractive(view: PageView): boolean {
  return view.step === 'form' || view.step === 'preferences' || goesByAddress(view);
}

function styleTag(style: string, nonce: string): string {
  return /^(?:\/|https?:)/.test(style)
    ? `<link rel="stylesheet" href="${escapeHtml(style)}">`
    : `<style nonce="${nonce}">${style}</style>`;
}

function colourTag({ page }: PageView, nonce: string): string {
  const rules = Object.entries(cssProperties(paletteOf(page.attrs))).map((entry) => entry.join(':'));
  return `<style nonce="${nonce}">:root{color-scheme:only light;${rules.join(';')}}</style>`;
}

/** The script looks people up automatically, except where the page asks for proof and shows the form. */
function mayStart({ step, page }: PageView): boolean {
  return step !== 'form' || !page.attrs.enhanced_security;
}

function startTag(view: PageView, nonce: string): string {
  if (goesByAddress(view)) return `<script nonce="${nonce}">${PREFERRED_SCRIPT}</script>`;
  return view.step === 'form' && !view.notice && mayStart(view)
    ? `<script nonce="${nonce}">${START_SCRIPT}</script>`
    : '';
}

/** Only pages can be framed, and landings of links never. */
function framedTag(view: PageView, nonce: string): string {
  if (view.custom_path === '' || view.step === 'link-void' || isLanding(view)) return '';
  return `<script nonce="${nonce}">${FRAMED_SCRIPT}</script>`;
}

/** The whole HTML document of a view; everything in it is escaped. */
export function renderDocument(view: PageView, assets: PageAssets, nonce: string): string {
  const texts = textsOf(view.language);
  const shipped = forBrowser(view);
  const isKnown = mayStart(view) && (view.query.challenge !== null || view.query.email !== null);
  const { favicon } = view.page;
  const safeNonce = escapeHtml(nonce);
  const script = isInteractive(view)
    ? `<script type="application/json" id="page-view">${escapeJson({ view: shipped, texts: forScript(texts) })}</script>` +
      `<script type="module" src="${escapeHtml(assets.script)}" nonce="${safeNonce}"></script>`
    : framedTag(view, safeNonce);
  const isWaiting = view.step === 'preferences' && !view.customer;
  return [
    `<!doctype html><html lang="${view.language}"${isKnown ? ' data-known' : ''}><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width,initial-scale=1">`,
    `<title>${escapeHtml(texts['document.title'])}</title>`,
    `<meta name="robots" content="noindex,nofollow"><meta name="referrer" content="no-referrer">`,
    `<meta name="color-scheme" content="only light"><meta name="format-detection" content="telephone=no">`,
    favicon ? `<link rel="icon" href="${escapeHtml(favicon)}">` : `<link rel="icon" href="data:,">`,
    styleTag(assets.style, safeNonce),
    colourTag(view, safeNonce),
    startTag(view, safeNonce),
    isWaiting ? '<noscript><meta http-equiv="refresh" content="0;url=/404"></noscript>' : '',
    `</head><body><div id="page">`,
    renderToString(
      isLanding(view) ? (
        <LandingPage view={shipped} texts={texts} />
      ) : (
        <PreferencePage view={shipped} texts={texts} service={localService} parts={parts} />
      ),
    ),
    `</div>`,
    script,
    `</body></html>`,
  ].join('');
}
