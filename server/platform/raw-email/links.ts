import { unescapeHtml } from './entities.ts';

/** Why nobody sees a link. */
export type HiddenBy = 'display' | 'size' | 'colour' | 'empty';

export interface EmailLink {
  /** As it stands there, without the escapes of HTML. */
  href: string;
  /** What can be read of it. */
  text: string;
  /** Words that may not be seen: hidden text, and the alternative texts of its images. */
  unseen: string;
  /** Only an image stands for it, which email apps may not load. */
  isImageOnly: boolean;
  hiddenBy: HiddenBy | null;
}

type Colour = readonly [red: number, green: number, blue: number];

/** What holds for the content of an element. */
interface Look {
  tag: string;
  hiddenBy: 'display' | 'size' | null;
  /** Can be larger again inside. */
  isTiny: boolean;
  background: Colour | null;
  /** null: cannot be told. */
  colour: Colour | null;
}

const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);
/** Their content is not shown as text. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'noembed', 'noframes', 'iframe']);
/** Opening one ends an open one of these: their end tags are often left out. */
const ENDS: Record<string, readonly string[]> = {
  p: ['p'],
  div: ['p'],
  table: ['p'],
  ul: ['p'],
  li: ['li', 'p'],
  td: ['td', 'th', 'p'],
  th: ['td', 'th', 'p'],
  tr: ['td', 'th', 'tr', 'p'],
  a: ['a'],
};
/** Deeper elements are read as though they stood at this depth. */
const MAX_DEPTH = 200;
const MAX_LINKS = 2000;
/** An email that Gmail shows whole has a tenth of that. */
const MAX_TAGS = 40_000;
const MAX_TAG = 20_000;
const WHITE: Colour = [255, 255, 255];
/** Less contrast than this cannot be made out. */
const SAME_COLOUR = 1.15;

const NAMED: Record<string, Colour> = {
  white: WHITE,
  black: [0, 0, 0],
  red: [255, 0, 0],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  silver: [192, 192, 192],
  whitesmoke: [245, 245, 245],
  snow: [255, 250, 250],
};

function colourOf(value: string | undefined): Colour | null {
  const text = value?.trim().toLowerCase() ?? '';
  const named = NAMED[text];
  if (named) return named;
  const [, short] = /^#([\da-f]{3})$/.exec(text) ?? [];
  const long = short === undefined ? /^#?([\da-f]{6})$/.exec(text)?.[1] : short.replaceAll(/./g, '$&$&');
  if (long !== undefined) {
    const at = (start: number) => Number.parseInt(long.slice(start, start + 2), 16);
    return [at(0), at(2), at(4)];
  }
  const [, red, green, blue] = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text) ?? [];
  return red === undefined ? null : [Number(red), Number(green), Number(blue)];
}

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function isSameColour(one: Colour, other: Colour): boolean {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05) < SAME_COLOUR;
}

/** A number of pixels, or of an em; null for anything else. */
function length(value: string | undefined): number | null {
  const [, number, unit] =
    /^(\d{1,6}(?:\.\d{1,6})?)(px|pt|em|rem|%)?$/.exec(value?.trim().toLowerCase() ?? '') ?? [];
  if (number === undefined) return null;
  if (unit === '%') return (Number(number) * 16) / 100;
  return unit === 'em' || unit === 'rem' ? Number(number) * 16 : Number(number);
}

function styleOf(text: string | undefined): Map<string, string> {
  const style = new Map<string, string>();
  for (const declaration of text?.split(';') ?? []) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const value = declaration
      .slice(colon + 1)
      .replace(/!\s{0,9}important/i, '')
      .trim()
      .toLowerCase();
    style.set(declaration.slice(0, colon).trim().toLowerCase(), value);
  }
  return style;
}

function hides(
  attributes: ReadonlyMap<string, string>,
  style: ReadonlyMap<string, string>,
): Look['hiddenBy'] {
  const isGone =
    attributes.has('hidden') ||
    style.get('display') === 'none' ||
    /^(?:hidden|collapse)$/.test(style.get('visibility') ?? '');
  if (isGone || (style.get('opacity') !== undefined && Number(style.get('opacity')) === 0)) return 'display';
  const isCut = /^(?:hidden|clip)$/.test(style.get('overflow') ?? '');
  const extents = ['height', 'max-height', 'width', 'max-width'].map((name) => length(style.get(name)));
  return isCut && extents.some((extent) => extent !== null && extent <= 1) ? 'size' : null;
}

const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.slice(0, MAX_TAG).matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, unescapeHtml(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

/** Where the tag that begins at `start` ends: at the next ">" outside quotes. */
function endOfTag(html: string, start: number): number {
  let quote = '';
  const last = Math.min(html.length, start + MAX_TAG);
  for (let at = start; at < last; at++) {
    const letter = html.charAt(at);
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (letter === '>') return at;
    else if ((letter === '"' || letter === "'") && html[at - 1] === '=') quote = letter;
  }
  return html.indexOf('>', start);
}

interface OpenLink {
  href: string;
  text: string[];
  unseen: string[];
  hasImage: boolean;
  hiddenBy: HiddenBy | null;
}

function closed(link: OpenLink): EmailLink {
  const text = link.text.join(' ').replaceAll(/\s+/g, ' ').trim();
  const unseen = link.unseen.join(' ').replaceAll(/\s+/g, ' ').trim();
  const isSeen = text !== '' || link.hasImage;
  return {
    href: link.href,
    text,
    unseen,
    isImageOnly: text === '' && link.hasImage,
    hiddenBy: isSeen ? null : (link.hiddenBy ?? 'empty'),
  };
}

/** Reads the links of an HTML body, in one pass. Style sheets are not applied: they may hide what this takes for seen. */
class LinkReader {
  readonly links: EmailLink[] = [];
  readonly #stack: Look[] = [{ tag: '', hiddenBy: null, isTiny: false, background: WHITE, colour: null }];
  /** How many elements of a name are open. */
  readonly #open = new Map<string, number>();
  #link: OpenLink | null = null;

  open(tag: string, attributes: ReadonlyMap<string, string>): void {
    const isEndedBy = ENDS[tag];
    while (isEndedBy?.includes(this.#look().tag)) this.#pop();
    const outer = this.#look();
    const style = styleOf(attributes.get('style'));
    const background =
      style.get('background-color') ??
      style.get('background')?.split(/\s+(?![^(]*\))/)[0] ??
      attributes.get('bgcolor');
    const ownColour = style.get('color') ?? (tag === 'font' ? attributes.get('color') : undefined);
    const fontSize = length(style.get('font-size'));
    const look: Look = {
      tag,
      isTiny: fontSize === null ? outer.isTiny : fontSize <= 2,
      hiddenBy: outer.hiddenBy ?? hides(attributes, style),
      // An image or a gradient: nobody can tell.
      background:
        background === undefined || background === 'transparent' ? outer.background : colourOf(background),
      // Links have a colour of their own unless it is set on them or inside of them.
      colour: ownColour === undefined ? (tag === 'a' ? null : outer.colour) : colourOf(ownColour),
    };
    if (tag === 'img') this.#image(look, attributes, style);
    if (!VOID.has(tag) && this.#stack.length < MAX_DEPTH) {
      this.#stack.push(look);
      this.#open.set(tag, (this.#open.get(tag) ?? 0) + 1);
    }
    const href = attributes.get('href');
    if (tag === 'a' && href !== undefined && this.links.length < MAX_LINKS) {
      this.#end();
      this.#link = { href: href.trim(), text: [], unseen: [], hasImage: false, hiddenBy: null };
    }
  }

  close(tag: string): void {
    const isOpen = (this.#open.get(tag) ?? 0) > 0;
    while (isOpen && this.#pop() !== tag);
    if (tag === 'a') this.#end();
  }

  text(raw: string): void {
    if (this.#link === null || raw.trim() === '') return;
    const text = unescapeHtml(raw);
    if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)) return;
    const { hiddenBy, isTiny, colour, background } = this.#look();
    const isLost = colour !== null && background !== null && isSameColour(colour, background);
    const why = hiddenBy ?? (isTiny ? 'size' : isLost ? 'colour' : null);
    if (why === null) this.#link.text.push(text);
    else {
      this.#link.unseen.push(text);
      this.#link.hiddenBy ??= why;
    }
  }

  end(): EmailLink[] {
    this.#end();
    return this.links;
  }

  #image(
    { hiddenBy }: Look,
    attributes: ReadonlyMap<string, string>,
    style: ReadonlyMap<string, string>,
  ): void {
    if (this.#link === null) return;
    const extents = [
      length(attributes.get('width')) ?? length(style.get('width')),
      length(attributes.get('height')) ?? length(style.get('height')),
    ];
    const isTiny = extents.some((extent) => extent !== null && extent <= 2);
    this.#link.unseen.push(attributes.get('alt') ?? '');
    if (hiddenBy !== null || isTiny) {
      this.#link.hiddenBy ??= hiddenBy ?? 'size';
      return;
    }
    this.#link.hasImage = true;
  }

  #look(): Look {
    return this.#stack.at(-1) as Look;
  }

  #pop(): string {
    const { tag } = this.#stack.length > 1 ? (this.#stack.pop() as Look) : this.#look();
    this.#open.set(tag, (this.#open.get(tag) ?? 1) - 1);
    if (tag === 'a') this.#end();
    return tag;
  }

  #end(): void {
    if (this.#link !== null) this.links.push(closed(this.#link));
    this.#link = null;
  }
}

/** The links of an HTML body, with what can be seen of them. Takes any text, in linear time. */
export function linksOfHtml(html: string): EmailLink[] {
  const reader = new LinkReader();
  let at = 0;
  for (let tags = 0; tags < MAX_TAGS && at < html.length; tags++) {
    const start = html.indexOf('<', at);
    if (start < 0) break;
    reader.text(html.slice(at, start));
    if (html.startsWith('<!--', start)) {
      const end = html.indexOf('-->', start + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const [, slash, name] = /^<(\/?)([a-z][a-z\d:-]{0,40})/i.exec(html.slice(start, start + 50)) ?? [];
    if (name === undefined) {
      const isMarkup = html[start + 1] === '!' || html[start + 1] === '?' || html[start + 1] === '/';
      const end = isMarkup ? html.indexOf('>', start) : start;
      at = end < 0 ? html.length : end + 1;
      continue;
    }
    const tag = name.toLowerCase();
    const end = endOfTag(html, start);
    if (end < 0) break;
    at = end + 1;
    if (slash === '/') {
      reader.close(tag);
      continue;
    }
    const inner = html.slice(start + 1 + name.length, end);
    reader.open(tag, attributesOf(inner));
    if (RAW.has(tag)) at = endOfRaw(html, tag, at);
  }
  if (at < html.length) reader.text(html.slice(at));
  return reader.end();
}

function endOfRaw(html: string, tag: string, from: number): number {
  const close = new RegExp(`</${tag}`, 'gi');
  close.lastIndex = from;
  const found = close.exec(html);
  return found === null ? html.length : found.index;
}

/** The links of a plain text body, each with the words around it. */
export function linksOfText(text: string): EmailLink[] {
  const lines = text.split(/\r?\n/);
  const links: EmailLink[] = [];
  for (const [number, line] of lines.entries()) {
    for (const [url] of line.matchAll(/https?:\/\/[^\s<>"]{1,4000}/gi)) {
      if (links.length >= MAX_LINKS) return links;
      const before = lines.slice(Math.max(0, number - 2), number + 1).map((one) => one.slice(0, 500));
      const words = before.join(' ').trim();
      links.push({
        href: url.replace(/[).,;\]]{1,9}$/, ''),
        ...{ text: words, unseen: '', isImageOnly: false, hiddenBy: null },
      });
    }
  }
  return links;
}
