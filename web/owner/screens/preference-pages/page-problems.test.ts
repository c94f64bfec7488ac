import { expect, test } from 'vitest';
import { formFieldOf, pageProblems, questionsLeft, settingOf } from './page-problems.ts';
import { emptyPage } from './pages.logic.ts';

const good = { ...emptyPage(), name: 'News', custom_path: 'news' };

test('a page with a name and a path has no problem', () => {
  expect(pageProblems(good)).toEqual({});
});

test('an untouched new page lacks its name and its path', () => {
  expect(pageProblems(emptyPage())).toEqual({ name: 'name', custom_path: 'path_empty' });
});

test('a question stays until it is answered, also with the default', () => {
  expect(questionsLeft(good, [])).toEqual(['sign_up', 'confirm']);
  expect(questionsLeft(good, ['confirm'])).toEqual(['sign_up']);
  expect(questionsLeft({ ...good, allow_customer_create: true }, ['confirm'])).toEqual([]);
  expect(pageProblems(good, ['sign_up', 'confirm'])).toEqual({ sign_up: 'sign_up', confirm: 'confirm' });
});

test('an answer is a change of its setting', () => {
  expect(settingOf('sign_up')).toBe('allow_customer_create');
  expect(settingOf('confirm')).toBe('confirm_changes');
  expect(settingOf('name')).toBe('name');
});

test('half a color, a plain http image and a reserved path are reported beside their fields', () => {
  const form = { ...good, custom_path: 'login', logo: 'http://example.com/l.png' };
  form.attrs = { ...form.attrs, primary_color: '#12' };
  expect(pageProblems(form)).toEqual({
    custom_path: 'path_reserved',
    logo: 'image',
    primary_color: 'colour',
  });
});

test('a site that may frame the page has to be an origin; blank lines are still being typed', () => {
  const withOrigins = (...embed_origins: string[]) => pageProblems({ ...good, embed_origins });
  expect(withOrigins(' https://shop.example ', '')).toEqual({});
  expect(withOrigins('https://shop.example', 'shop.example')).toEqual({ embed_origins: 'origin' });
  expect(withOrigins('https://shop.example/page')).toEqual({ embed_origins: 'origin' });
  expect(withOrigins(...Array.from({ length: 21 }, (_, n) => `https://${n}.example`))).toEqual({
    embed_origins: 'origins',
  });
});

test.each([
  ['invalid_field', 'attrs.primary_color', 'primary_color'],
  ['path_taken', undefined, 'custom_path'],
  ['reserved_name', 'custom_path', 'custom_path'],
  ['invalid_field', 'embed_origins.3', 'embed_origins'],
  ['invalid_field', 'lists.0.name', null],
] as const)('%s about %s belongs to %s', (code, field, expected) => {
  expect(formFieldOf({ code, message: '', ...(field ? { field } : {}) })).toBe(expected);
});
