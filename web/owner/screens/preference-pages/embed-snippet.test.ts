import { expect, test } from 'vitest';
import { embedSnippet, frameHeight } from './embed-snippet.ts';
import { emptyPage, type FormList, originsOf } from './pages.logic.ts';

test('the snippet is a frame with a title and the script of the site’s own host', () => {
  expect(embedSnippet({ url: 'https://acme.example/news', title: 'Preferences – Acme', height: 600 })).toBe(
    '<iframe src="https://acme.example/news" title="Preferences – Acme" width="100%" height="600" style="border:0" data-preference-page></iframe>\n' +
      '<script src="https://acme.example/embed.js" async></script>',
  );
});

test('a name cannot break out of the snippet', () => {
  const snippet = embedSnippet({ url: 'https://a.example/x', title: `"><script>&`, height: 1 });
  expect(snippet).toContain('title="&quot;&gt;&lt;script&gt;&amp;"');
});

test('a frame has room for every list, within reason', () => {
  const list = { name: 'News' } as FormList;
  const height = (count: number) =>
    frameHeight({ ...emptyPage(), lists: Array.from({ length: count }, () => list) });
  expect(height(3)).toBeGreaterThan(height(2));
  expect(height(50)).toBe(2000);
});

test('blank lines are not read as origins', () => {
  expect(originsOf({ embed_origins: [' https://a.example ', '', ' '] })).toEqual(['https://a.example']);
});
