import { describe, expect, test } from 'vitest';
import { dropAt, formFieldOf, inOrder, listFieldsOf, listFormOf, moveTo } from './lists.logic.ts';

const weekly = {
  name: 'Weekly news',
  description: 'Every Friday',
  subscription_default_state: true,
  translations: [{ language: 'de' as const, name: 'Wochenbrief', description: '' }],
};

describe('the form of a list', () => {
  test('a list comes back from its form unchanged', () => {
    expect(listFieldsOf(listFormOf(weekly))).toEqual(weekly);
  });

  test('a language without words is not sent', () => {
    const form = listFormOf(weekly);
    form.translations.de = { name: ' ', description: '' };
    expect(listFieldsOf(form).translations).toEqual([]);
  });

  test('a description without a name is sent, so that the missing name is told', () => {
    const form = listFormOf();
    form.translations.fr.description = 'Chaque vendredi';
    expect(listFieldsOf(form).translations).toEqual([{ language: 'fr', name: '', description: 'Chaque vendredi' }]);
  });

  test("an error about the second translation lands on that language's field", () => {
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

describe('the order of lists', () => {
  test('one step up and down', () => {
    expect(moveTo(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b']);
    expect(moveTo(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
  });

  test('the first cannot go higher, the last not lower', () => {
    expect(moveTo(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
    expect(moveTo(['a', 'b'], 1, 2)).toEqual(['a', 'b']);
  });

  test('a drop before and after a target, also of several', () => {
    expect(dropAt(['a', 'b', 'c', 'd'], new Set(['d']), 'a', 'before')).toEqual(['d', 'a', 'b', 'c']);
    expect(dropAt(['a', 'b', 'c', 'd'], new Set(['a', 'c']), 'd', 'after')).toEqual(['b', 'd', 'a', 'c']);
    expect(dropAt(['a', 'b'], new Set(['a']), 'a', 'after')).toEqual(['a', 'b']);
  });

  test('lists follow the ids; one that is not named comes last', () => {
    expect(inOrder([{ id: 'new' }, { id: 'a' }, { id: 'b' }], ['b', 'a']).map((one) => one.id)).toEqual(['b', 'a', 'new']);
  });
});
