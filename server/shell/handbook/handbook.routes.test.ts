import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HandbookSection } from '#contract/handbook.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readHandbook } from './handbook.ts';

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${product.url}${path}`, { headers, redirect: 'manual' });

const { pages } = readHandbook();

describe('200', () => {
  it.each(pages.map(({ url, title }) => [url, title]))('%s is readable', async (url, title) => {
    const answer = await get(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await answer.text();
    expect(html).toContain('<html lang="en">');
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    expect(html.match(/aria-current="page"/g)).toHaveLength(2);
    expect(html).toContain(title.replaceAll('&', '&amp;'));
  });

  it('allows nothing but files of this server, and has neither script nor inline style', async () => {
    const answer = await get('/docs');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await answer.text();
    expect(html).not.toMatch(/<style|<script>|\son\w+=|style="/);
    const [script] = /<script src="([^"]+)"><\/script>/.exec(html)?.slice(1) ?? [];
    expect((await get(script ?? '')).headers.get('content-type')).toContain('javascript');
  });

  it('has pictures, an icon, and an index of every page', async () => {
    const picture = await get('/docs/pictures/lists.webp');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect((await get('/docs/icon.svg')).headers.get('content-type')).toBe('image/svg+xml');
    const index = (await (await get('/docs/search.json')).json()) as HandbookSection[];
    expect(new Set(index.map(({ page }) => page))).toEqual(new Set(pages.map(({ title }) => title)));
  });
});

describe('for language models', () => {
  it('every page exists as Markdown, generated parts included', async () => {
    for (const { markdownUrl, title } of pages) {
      const answer = await get(markdownUrl);
      expect([markdownUrl, answer.status, answer.headers.get('content-type')]).toEqual([
        markdownUrl,
        200,
        'text/markdown; charset=utf-8',
      ]);
      const text = await answer.text();
      expect(text.startsWith('# '), title).toBe(true);
      expect(text, title).not.toContain('<!--');
    }
  });

  it('the index as Markdown lists every page, also at /docs.md', async () => {
    const answer = await fetch(`${product.url}/docs.md`);
    expect([answer.url, answer.status]).toEqual([`${product.url}/docs/index.md`, 200]);
    const text = await answer.text();
    for (const { title, name } of pages.slice(1)) expect(text).toContain(`- [${title}](${name}.md): `);
  });

  it('links in Markdown pages lead to Markdown pages', async () => {
    const links = pages.flatMap(({ markdown, markdownUrl }) =>
      [...markdown.matchAll(/\]\(([\w-]+\.md)/g)].map(
        ([, file = '']) => new URL(file, `http://x${markdownUrl}`),
      ),
    );
    expect(links.length).toBeGreaterThan(50);
    const known = new Set(pages.map(({ markdownUrl }) => markdownUrl));
    expect(links.map(({ pathname }) => pathname).filter((path) => !known.has(path))).toEqual([]);
  });

  it('llms.txt names every page and the OpenAPI document, with full URLs', async () => {
    const answer = await get('/llms.txt');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await answer.text();
    expect(text).toMatch(/^# Sayso\n\n> \S/);
    for (const { title, markdownUrl } of pages.slice(1))
      expect(text).toContain(`- [${title}](${product.url}${markdownUrl}): `);
    expect(text).toContain(`${product.url}/api/openapi.json`);
  });

  it('a page links to its Markdown', async () => {
    const html = await (await get('/docs/lists')).text();
    expect(html).toContain('<link rel="alternate" href="/docs/lists.md" type="text/markdown"');
    expect(html).toContain('<a href="/docs/lists.md">View as Markdown</a>');
  });
});

describe('304', () => {
  it('is the answer to a browser that already has the page', async () => {
    const etag = (await get('/docs/lists')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    const again = await get('/docs/lists', { 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get('/docs/lists', { 'if-none-match': 'W/"other"' })).status).toBe(200);
  });
});

describe('another host', () => {
  it('redirects to the app, for pages and for the reference', async () => {
    const headers = { host: 'acme.localhost' };
    for (const path of ['/docs', '/docs/lists', '/docs/api', '/docs/search.json']) {
      const answer = await product.http.inject({ method: 'GET', url: path, headers });
      expect([path, answer.statusCode, answer.headers['location']]).toEqual([
        path,
        302,
        `${product.url}${path}`,
      ]);
    }
  });
});

describe('404', () => {
  it('is a page of the handbook, with its contents', async () => {
    const answer = await get('/docs/nothing-of-the-kind');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('href="/docs/lists"');
    expect((await get('/docs/pictures/none.webp')).status).toBe(404);
    expect((await get('/docs/pictures/..%2fcontents.json')).status).not.toBe(200);
  });
});
