import { asciiLabel, isSameAddress, visible } from './email-key.ts';

/** Spec section 5: text, @, text, dot, text, no spaces. What the public form asks for. */
export const SIMPLE_EMAIL = /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/;

/**
 * The stricter pattern (spec section 4): what mail servers take (RFC 5321, 6531). Dots may stand anywhere before the @,
 * as Japanese carriers have them. No text matches a part of it in two ways, so it takes linear time.
 */
export const STRICT_EMAIL =
  /^(?:[^\s\p{Cc}"(),:;<>@[\\\]]+|"(?:[^\p{Cc}"<>\\]|\\[^\p{Cc}<>])+")@(?:(?![.-]|.*(?:[.-]\.|\.-|[.-]$))(?=.+\.)[^\s\0-,/:-@[-^`{-\x9f]+|\[[\w:.]+\])$/u;

/** Quotes and brackets of texts, characters without a meaning, and what is left of a letter that couldn't be decoded. */
const FROM_TEXTS = /(?![\0-\x7f\u200c\u200d])[\p{C}\p{Zl}\p{Zp}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\ufffd]/u;

/** RFC 5321, section 4.5.3.1, and RFC 1035, section 2.3.4. */
const MOST_OCTETS = 254;
const MOST_OCTETS_OF_LOCAL_PART = 64;
const MOST_OCTETS_OF_LABEL = 63;

/** Longer texts are not looked at. */
const LONGEST_TEXT = 1000;

/** Is this an address that can receive mail, as `readEmail` gives it? */
export function isEmail(text: string): boolean {
  return readEmail(text) === text;
}

/**
 * The address in a text: without invisible characters, full-width forms, curly apostrophes, `mailto:`, `Name <…>`, quotes
 * that change nothing and one `.`, `;`, `,` or straight quote at the end.
 * @returns in NFC, otherwise as it was typed; null if no mail server could take it, or if there may be two
 */
export function readEmail(text: string): string | null {
  return text.length > LONGEST_TEXT ? null : readWrapped(text, 4);
}

function readWrapped(text: string, layers: number): string | null {
  const address = withKeyboardForms(withoutStrayJoiners(visible(text.normalize('NFC'))));
  const at = address.lastIndexOf('@');
  if (isReceivable(address, at)) return withoutNeedlessQuotes(address.slice(0, at)) + address.slice(at);
  const inner = unwrapped(address);
  return inner === null || layers === 0 ? null : readWrapped(inner, layers - 1);
}

/** A text for where no person may be named: instead of each word with an address stands `…`. */
export function withoutAddresses(text: string): string {
  return text.replaceAll(/\S+/g, (word) => (/.@./.test(word) ? '…' : word));
}

/** Quotes and backslashes stay where they matter (RFC 5321, section 4.1.2). */
function withoutNeedlessQuotes(local: string): string {
  if (!local.startsWith('"')) return local;
  const content = local.slice(1, -1).replace(/\\(.)/g, '$1');
  return /^[^\s"(),:;<>@[\\\]]+$/.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

/** A joiner is part of a word after an Arabic letter or a mark (Persian, Hindi); elsewhere it can't be seen. */
function withoutStrayJoiners(text: string): string {
  return text.replace(/([\p{M}\p{sc=Arab}][\u200c\u200d](?=\p{L}))|[\u200c\u200d]/gu, '$1').normalize('NFC');
}

/** As a keyboard for addresses types it: no full-width forms, no apostrophe that a phone or a spreadsheet made curly. */
function withKeyboardForms(text: string): string {
  const half = text
    .replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll('\u2019', "'");
  const at = half.lastIndexOf('@') + 1;
  return half.slice(0, at) + half.slice(at).replace(/[。｡]/g, '.');
}

function isReceivable(address: string, at: number): boolean {
  if (FROM_TEXTS.test(address)) return false;
  if (!STRICT_EMAIL.test(address) || !STRICT_EMAIL.test(address.normalize('NFKC'))) return false;
  const domain = asciiDomain(address.slice(at + 1));
  if (domain === null) return false;
  const local = new TextEncoder().encode(address.slice(0, at)).length;
  return local <= MOST_OCTETS_OF_LOCAL_PART && local + 1 + domain.length <= MOST_OCTETS;
}

/** As the DNS has it; null if neither the DNS nor the IP can have it. */
function asciiDomain(domain: string): string | null {
  if (domain.startsWith('[')) return isIpLiteral(domain) ? domain : null;
  const labels = domain.normalize('NFKC').split('.').map(asciiLabel);
  return labels.every((label) => label !== null && label.length <= MOST_OCTETS_OF_LABEL)
    ? labels.join('.')
    : null;
}

function isIpLiteral(literal: string): boolean {
  const host = literal.startsWith('[IPv6:') ? literal.replace('IPv6:', '') : literal.slice(1, -1);
  const url = `http://${host}`;
  // URLs also read short and octal forms of IPv4.
  return URL.canParse(url) && (host.startsWith('[') || new URL(url).hostname === host);
}

/** A name, which has brackets of its own only in quotes, and what is in the last brackets. */
const NAMED = /^([^<>]*|".*"[^"<>]*)<([^<>]+)>$/s;

/** Straight, curly, low and pointed ones. */
const QUOTED = /^["'\u2018\u201a\u201c-\u201e\xab\xbb](.+)["'\u2018\u201c\u201d\xab\xbb]$/s;
/** One separator of a list, the full stop of a sentence, or the quote that ends an attribute. */
const WITH_END = /^(.*[^.,;])[.,;'"]$/s;

function unwrapped(text: string): string | null {
  if (/^mailto:/i.test(text)) return ofMailto(text.slice('mailto:'.length));
  const [, name, named] = NAMED.exec(text) ?? [];
  if (name !== undefined && named !== undefined) return isNameOf(name, named) ? named : null;
  return (QUOTED.exec(text) ?? WITH_END.exec(text))?.[1] ?? null;
}

/** A name that is itself another address leaves open which of the two is meant. */
function isNameOf(name: string, address: string): boolean {
  return !name.includes('@') || isSameAddress(readEmail(name) ?? '', address);
}

function ofMailto(link: string): string | null {
  const [address = ''] = link.split('?');
  try {
    return decodeURIComponent(address);
  } catch {
    return null;
  }
}
