import { describe, expect, it } from 'vitest';
import type { HandbookSection } from '#contract/handbook.ts';
import { createSearch, excerptOf } from './search.logic.ts';

const section = (page: string, heading: string, text: string): HandbookSection => ({
  url: `/docs/${page}#${heading}`.toLowerCase(),
  part: 'Get started',
  page,
  heading,
  text,
});

const search = createSearch([
  section('Lists', '', 'A list is one kind of mail.'),
  section('Lists', 'Order', 'Drag a list, or move it by keyboard.'),
  section('Webhooks', 'Signature', 'Each webhook is signed with a secret.'),
  section('Webhooks', '', 'What we send.'),
  section('Actions', 'Webhook', 'An action may send a webhook to an address.'),
]);

const found = (typed: string) => search(typed, 5).map(({ page, heading }) => `${page}/${heading}`);

describe('a search', () => {
  it('finds beginnings of words, in any case, with accents or without', () => {
    expect(found('WEBH')).toEqual(['Webhooks/', 'Actions/Webhook', 'Webhooks/Signature']);
    expect(found('ordér')).toEqual(['Lists/Order']);
  });

  it('requires every word', () => {
    expect(found('webhook secret')).toEqual(['Webhooks/Signature']);
    expect(found('webhook nothing-of-the-kind')).toEqual([]);
  });

  it('puts the beginning of a page with that title first, before parts with the words in their heading', () => {
    expect(found('lists')[0]).toBe('Lists/');
    expect(found('webhook')[0]).toBe('Webhooks/');
  });

  it('finds nothing for an empty query, and no more than requested', () => {
    expect(found('  ')).toEqual([]);
    expect(search('a', 2)).toHaveLength(2);
  });
});

describe('an excerpt', () => {
  const long = `${'Before it comes a lot. '.repeat(10)}Here the pelican stands. ${'After it more. '.repeat(10)}`;

  it('is cut around the word, between words', () => {
    const excerpt = excerptOf(long, 'pelican');
    expect(excerpt).toContain('the pelican stands');
    expect(excerpt).toMatch(/^….*…$/);
    expect(excerpt.length).toBeLessThan(130);
  });

  it('starts at the beginning where the word is only in the title, and is the text itself when that is short', () => {
    expect(excerptOf(long, 'elsewhere')).toMatch(/^Before it/);
    expect(excerptOf('Short.', 'elsewhere')).toBe('Short.');
  });
});
