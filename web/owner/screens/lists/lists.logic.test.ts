import { describe, expect, test } from 'vitest';
import { LIST_DEFAULTS } from '#contract/lists.ts';
import { changedFieldsOf, formFieldOf, inOrder, listFieldsOf, listFormOf } from './lists.logic.ts';

const weekly = {
  ...LIST_DEFAULTS,
  name: 'Weekly news',
  description: 'Every Friday',
  subscription_default_state: true,
  translations: [{ language: 'de' as const, name: 'Wochenbrief', description: '' }],
};

describe('the form of a list', () => {
  test('reads a list and writes it back unchanged', () => {
    expect(listFieldsOf(listFormOf(weekly))).toEqual(weekly);
  });

  test('does not send a language without texts', () => {
    const form = listFormOf(weekly);
    form.translations.de = { name: ' ', description: '' };
    expect(listFieldsOf(form).translations).toEqual([]);
  });

  test('sends a description without a name, so that the missing name is reported', () => {
    const form = listFormOf();
    form.translations.fr.description = 'Chaque vendredi';
    expect(listFieldsOf(form).translations).toEqual([
      { language: 'fr', name: '', description: 'Chaque vendredi' },
    ]);
  });

  test('shows an error about the second translation on that language’s field', () => {
    const form = listFormOf(weekly);
    form.translations.pl.description = 'Co piątek';
    const sent = listFieldsOf(form);
    const at = (field: string) => formFieldOf({ code: 'invalid_field', message: '', field }, sent);
    expect(at('translations.1.name')).toBe('translations.pl.name');
    expect(at('translations.0.description')).toBe('translations.de.description');
    expect(at('name')).toBe('name');
    expect(at('translations.7.name')).toBeNull();
    expect(at('something_else')).toBeNull();
  });
});

test('lists follow the ids; one that is not named comes last', () => {
  const lists = [{ id: 'new' }, { id: 'a' }, { id: 'b' }];
  expect(inOrder(lists, ['b', 'a']).map((one) => one.id)).toEqual(['b', 'a', 'new']);
});

test('only what was changed of a list is sent', () => {
  const start = { name: 'Weekly', ...LIST_DEFAULTS };
  expect(changedFieldsOf(start, { ...start })).toEqual({});
  expect(changedFieldsOf(start, { ...start, description: 'Each Friday' })).toEqual({
    description: 'Each Friday',
  });
});
