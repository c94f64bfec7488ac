import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONNECTORS } from '#server/connectors/index.ts';
import { type Handbook, PICTURES, readHandbook } from './handbook.ts';
import { renderMarkdown } from './markdown.ts';

const FOLDER = join(PICTURES, '..');

let handbook: Handbook;

beforeAll(() => {
  handbook = readHandbook();
});

const hrefsOf = (html: string) => [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);

describe('the handbook', () => {
  it('lists every file of its folder in its contents, and has one page for each email tool', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.md'));
    const names = handbook.pages.map(({ name }) => name);
    expect(files.filter((file) => !names.includes(file.replace('.md', '')))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(CONNECTORS.map(({ id }) => id)));
    expect(new Set(names).size).toBe(names.length);
    const notes = readdirSync(join(FOLDER, 'tools')).map((file) => file.replace('.md', ''));
    expect(notes.filter((id) => !CONNECTORS.some((connector) => connector.id === id))).toEqual([]);
  });

  it('begins every page with what it is about', () => {
    for (const { name, title, summary } of handbook.pages) {
      expect(title, name).not.toBe('');
      expect(summary.length, name).toBeGreaterThan(30);
    }
  });

  it('has no link that leads nowhere', () => {
    const anchors = new Set(
      handbook.pages.flatMap(({ url, sections }) => [
        url,
        ...sections.flatMap(({ heading }) => (heading === null ? [] : [`${url}#${heading.id}`])),
      ]),
    );
    const elsewhere = (href: string) => /^https?:/.test(href) || href === '/docs/api/';
    for (const { name, url, html } of handbook.pages) {
      const hrefs = hrefsOf(html).map((href) => (href.startsWith('#') ? `${url}${href}` : href));
      expect(
        hrefs.filter((href) => !elsewhere(href) && !anchors.has(href)),
        name,
      ).toEqual([]);
    }
  });

  it('has small pictures with alternative text, of the stated size, all of them used', async () => {
    const used = handbook.pages.flatMap(({ html }) => [...html.matchAll(/<img [^>]*>/g)].map(([tag]) => tag));
    for (const tag of used) expect(tag).toMatch(/ alt="[^"]{15,}" width="\d+" height="\d+"/);
    const kept = readdirSync(PICTURES);
    expect(kept.filter((file) => !used.some((tag) => tag.includes(`/docs/pictures/${file}`)))).toEqual([]);
    const sizes = JSON.parse(readFileSync(join(FOLDER, 'pictures.json'), 'utf8')) as Record<string, object>;
    for (const file of kept) {
      const { width, height } = await sharp(join(PICTURES, file)).metadata();
      expect(sizes[file], file).toEqual({ width, height });
      expect(statSync(join(PICTURES, file)).size, file).toBeLessThan(60_000);
    }
  });

  it('says of each tool what its connector says', () => {
    for (const connector of CONNECTORS) {
      const page = handbook.pages.find(({ name }) => name === connector.id);
      const words = page?.sections.map(({ heading, text }) => `${heading?.text} ${text}`).join(' ') ?? '';
      const says = Object.values(connector.actions).map((capability) =>
        capability.can ? (capability.irreversible ?? capability.note ?? '') : capability.reason,
      );
      for (const sentence of [...says, ...connector.credentials.map(({ help }) => help)]) {
        expect(words, connector.name).toContain(sentence.replaceAll(/\s+/g, ' ').trim());
      }
    }
  });

  it('states how many calls a tool gets in which time', () => {
    const textOf = (id: string) =>
      handbook.pages
        .find(({ name }) => name === id)
        ?.sections.map(({ text }) => text)
        .join(' ');
    expect(textOf('brevo')).toContain('36,000 calls an hour');
    expect(textOf('hubspot')).toMatch(/calls in \d+ seconds/);
  });

  it('names every scope that must be switched on in an app of Brevo', () => {
    const brevo = CONNECTORS.find(({ id }) => id === 'brevo');
    const page = handbook.pages.find(({ name }) => name === 'brevo');
    expect(brevo?.oauth?.scopes.length).toBeGreaterThan(0);
    for (const scope of brevo?.oauth?.scopes ?? []) expect(page?.html).toContain(`<code>${scope}</code>`);
  });

  it('describes every setting that exists', () => {
    const settings = handbook.pages.find(({ name }) => name === 'settings')?.html ?? '';
    for (const name of ['APP_URL', 'SECRET_KEY', 'WEB_CONCURRENCY', 'METRICS_TOKEN']) {
      expect(settings).toContain(name);
    }
  });

  it('can be searched by every heading', () => {
    const headings = handbook.pages.flatMap(({ sections }) =>
      sections.flatMap(({ heading }) => heading ?? []),
    );
    expect(handbook.search.filter(({ heading }) => heading !== '')).toHaveLength(headings.length);
  });

  it('has every hand-written file of its contents', () => {
    for (const { name } of handbook.pages) {
      const isTool = CONNECTORS.some(({ id }) => id === name);
      expect(existsSync(join(FOLDER, `${name}.md`)), name).toBe(!isTool);
    }
  });
});

describe('Markdown', () => {
  const addresses = {
    page(file: string) {
      if (file !== 'lists.md') throw new Error(`There is no page "${file}"`);
      return '/docs/lists';
    },
    picture: () => ({ url: '/docs/pictures/one.webp', width: 10, height: 20 }),
  };
  const render = (markdown: string) => renderMarkdown(`# Title\n\n${markdown}`, addresses);

  it('gives each heading an anchor of its own', () => {
    const { html, sections } = render('## The same\n\none\n\n## The same\n\n### “Others”, too\n');
    expect(html).toContain('<h2 id="the-same"><a href="#the-same">The same</a></h2>');
    expect(sections.map(({ heading }) => heading?.id)).toEqual([
      undefined,
      'the-same',
      'the-same-2',
      'others-too',
    ]);
  });

  it('links from page to page, and rejects a link to a missing page', () => {
    expect(render('[x](lists.md#order)').html).toContain('<a href="/docs/lists#order">x</a>');
    expect(() => render('[x](gone.md)')).toThrow('There is no page "gone.md"');
  });

  it('escapes the contents of code, links and pictures', () => {
    const { html } = render('```js a<b.mjs\n<script>&\n```\n\n![a "b"](pictures/one.webp)\n\n`<i>`');
    expect(html).toContain('a&#60;b.mjs');
    expect(html).toContain('&#60;script&#62;&#38;');
    expect(html).toContain('alt="a &#34;b&#34;"');
    expect(html).toContain('<code>&lt;i&gt;</code>');
  });

  it('keeps all words for the search, those of tables and code among them', () => {
    const { sections } = render(
      'One *two* `three`\n\n- four\n\n| five | six |\n|---|---|\n| seven | [eight](lists.md) |\n\n```sh\nnine\n```\n',
    );
    expect(sections[0]?.text).toBe('One two three four five six seven eight nine');
  });

  it('requires an h1', () => {
    expect(() => renderMarkdown('No heading', addresses)).toThrow('heading of the first degree');
  });
});
