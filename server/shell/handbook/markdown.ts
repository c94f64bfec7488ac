import { Lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { escapeHtml } from '#server/platform/html.ts';

export interface Heading {
  depth: number;
  id: string;
  text: string;
}

/** The plain text under one heading. */
export interface Section {
  heading: Heading | null;
  text: string;
}

export interface Rendered {
  /** Of the level-1 heading, which is not part of the body. */
  title: string;
  /** The first paragraph as plain text. */
  summary: string;
  html: string;
  sections: Section[];
}

export interface PictureSize {
  width: number;
  height: number;
}

/** Resolves references of a page to URLs. */
export interface Addresses {
  /** @param file as it is written, such as `lists.md` */
  page(file: string): string;
  /** @param file as it is written, such as `pictures/lists.webp` */
  picture(file: string): PictureSize & { url: string };
}

/** @throws if the handbook has no such page or picture */
export function renderMarkdown(markdown: string, addresses: Addresses): Rendered {
  const headings = new Map<Token, Heading>();
  const tokens: Token[] = Lexer.lex(markdown);
  const title = tokens.find((token) => token.type === 'heading' && token['depth'] === 1);
  if (title === undefined) throw new Error('A page of the handbook needs a heading of the first degree.');
  const body = tokens.filter((token) => token !== title);
  nameHeadings(body, headings);
  return {
    title: wordsOf(title),
    summary: wordsOf(body.find(({ type }) => type === 'paragraph')),
    html: Parser.parse(body, { renderer: new HandbookRenderer(addresses, headings) }),
    sections: sectionsOf(body, headings),
  };
}

/** Every heading gets an anchor made of its words, numbered if they repeat. */
function nameHeadings(tokens: Token[], headings: Map<Token, Heading>): void {
  const taken = new Map<string, number>();
  for (const token of tokens.filter(({ type }) => type === 'heading')) {
    const text = wordsOf(token);
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '');
    const count = (taken.get(slug) ?? 0) + 1;
    taken.set(slug, count);
    headings.set(token, {
      depth: (token as Tokens.Heading).depth,
      id: count === 1 ? slug : `${slug}-${count}`,
      text,
    });
  }
}

function sectionsOf(tokens: Token[], headings: Map<Token, Heading>): Section[] {
  const sections: Section[] = [{ heading: null, text: '' }];
  for (const token of tokens) {
    const heading = headings.get(token);
    if (heading !== undefined) sections.push({ heading, text: '' });
    const section = sections.at(-1);
    if (heading === undefined && section !== undefined) {
      section.text = `${section.text} ${wordsOf(token)}`.replaceAll(/\s+/g, ' ').trim();
    }
  }
  return sections;
}

function wordsOf(token: Token | undefined): string {
  if (token === undefined || token.type === 'html') return '';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows]
      .flatMap((cells) => cells.map((cell) => cell.tokens.map(wordsOf).join('')))
      .join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(wordsOf).join(' ');
  if (token.type === 'image') return '';
  if ('tokens' in token && token.tokens !== undefined) {
    return token.tokens
      .map(wordsOf)
      .join(token.type === 'list_item' || token.type === 'blockquote' ? ' ' : '');
  }
  return 'text' in token ? String(token.text) : ' ';
}

/** The HTML of a page, with anchors; wide content scrolls in place, by keyboard too. */
class HandbookRenderer extends Renderer {
  readonly #addresses: Addresses;
  readonly #headings: ReadonlyMap<Token, Heading>;

  constructor(addresses: Addresses, headings: ReadonlyMap<Token, Heading>) {
    super();
    this.#addresses = addresses;
    this.#headings = headings;
  }

  override heading(token: Tokens.Heading): string {
    const id = this.#headings.get(token)?.id ?? '';
    const words = this.parser.parseInline(token.tokens);
    return `<h${token.depth} id="${id}"><a href="#${id}">${words}</a></h${token.depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const [, file, anchor = ''] = /^([\w-]+\.md)(#.*)?$/.exec(href) ?? [];
    const url = file === undefined ? href : `${this.#addresses.page(file)}${anchor}`;
    const rel = /^https?:/.test(href) ? ' rel="noreferrer"' : '';
    return `<a href="${escapeHtml(url)}"${rel}>${this.parser.parseInline(tokens)}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const { url, width, height } = this.#addresses.picture(href);
    return `<img src="${escapeHtml(url)}" alt="${escapeHtml(text)}" width="${width}" height="${height}" loading="lazy" decoding="async">`;
  }

  override code({ text, lang = '' }: Tokens.Code): string {
    const [language = '', file = ''] = lang.split(' ');
    const name = file === '' ? '' : `<p class="code-name">${escapeHtml(file)}</p>`;
    return `<div class="code">${name}<pre tabindex="0"><code class="language-${escapeHtml(language)}">${escapeHtml(text)}</code></pre></div>\n`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" tabindex="0">${super.table(token)}</div>\n`;
  }
}
