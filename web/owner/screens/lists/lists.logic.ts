import type { FieldError } from '#contract/errors.ts';
import { LANGUAGES, type Language } from '#contract/fields.ts';
import { LIST_DEFAULTS, LIST_FIELDS, type ListFields, listFieldsIn } from '#contract/lists.ts';

export const MAX_NAME = 100;
/** Spec section 9. */
export const MAX_DESCRIPTION = 255;

export interface Words {
  name: string;
  description: string;
}

/** What the editor holds: a row of words for each language, empty where there is no translation. */
export interface ListForm extends Omit<ListFields, 'translations'> {
  translations: Record<Language, Words>;
}

type PlainField = Exclude<keyof ListFields, 'translations'>;

export type ListFormField = PlainField | `translations.${Language}.${keyof Words}`;

export function listFormOf(list: ListFields = { name: '', ...LIST_DEFAULTS }): ListForm {
  const words = (language: Language): Words => {
    const found = list.translations.find((one) => one.language === language);
    return { name: found?.name ?? '', description: found?.description ?? '' };
  };
  return {
    ...listFieldsIn(list),
    translations: Object.fromEntries(LANGUAGES.map((language) => [language, words(language)])) as Record<
      Language,
      Words
    >,
  };
}

export function isTranslated({ name, description }: Words): boolean {
  return name.trim() !== '' || description.trim() !== '';
}

export function listFieldsOf(form: ListForm): ListFields {
  const translations = LANGUAGES.flatMap((language) => {
    const words = form.translations[language];
    return isTranslated(words)
      ? [{ language, name: words.name.trim(), description: words.description.trim() }]
      : [];
  });
  return { ...form, name: form.name.trim(), description: form.description.trim(), translations };
}

/** What was changed of a list: the rest stays as it is by now. */
export function changedFieldsOf(start: ListFields, now: ListFields): Partial<ListFields> {
  const changed = LIST_FIELDS.filter((field) => JSON.stringify(start[field]) !== JSON.stringify(now[field]));
  return Object.fromEntries(changed.map((field) => [field, now[field]]));
}

const PLAIN_FIELDS = LIST_FIELDS.filter((field): field is PlainField => field !== 'translations');

/** The API counts translations by position in the request; the form knows them by language. */
export function formFieldOf(error: FieldError, sent: ListFields): ListFormField | null {
  const [first, index, part] = (error.field ?? '').split('.');
  const plain = PLAIN_FIELDS.find((field) => field === first);
  if (plain !== undefined) return plain;
  if (first !== 'translations') return null;
  const language = sent.translations[Number(index)]?.language;
  if (!language) return null;
  return `translations.${language}.${part === 'description' ? 'description' : 'name'}`;
}

export function inOrder<T extends { id: string }>(lists: readonly T[], ids: readonly string[]): T[] {
  const position = new Map(ids.map((id, index) => [id, index]));
  return lists.toSorted((a, b) => (position.get(a.id) ?? ids.length) - (position.get(b.id) ?? ids.length));
}
