import type { FieldError } from '#contract/errors.ts';
import { LANGUAGES, type Language } from '#contract/fields.ts';
import type { List, ListFields } from '#contract/lists.ts';

export const MAX_NAME = 100;
/** Spec section 9. */
export const MAX_DESCRIPTION = 255;

export interface Words {
  name: string;
  description: string;
}

/** What the editor holds: a row of words for each language, empty where there is no translation. */
export interface ListForm extends Words {
  subscription_default_state: boolean;
  translations: Record<Language, Words>;
}

export type ListFormField = 'name' | 'description' | 'subscription_default_state' | `translations.${Language}.${keyof Words}`;

type Writable = Omit<List, 'id' | 'show_order'>;

export function listFormOf(list?: Writable): ListForm {
  const words = (language: Language): Words => {
    const found = list?.translations.find((one) => one.language === language);
    return { name: found?.name ?? '', description: found?.description ?? '' };
  };
  return {
    name: list?.name ?? '',
    description: list?.description ?? '',
    subscription_default_state: list?.subscription_default_state ?? false,
    translations: Object.fromEntries(LANGUAGES.map((language) => [language, words(language)])) as Record<Language, Words>,
  };
}

export function listFieldsOf(form: ListForm): ListFields {
  const translations = LANGUAGES.flatMap((language) => {
    const name = form.translations[language].name.trim();
    const description = form.translations[language].description.trim();
    return name === '' && description === '' ? [] : [{ language, name, description }];
  });
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    subscription_default_state: form.subscription_default_state,
    translations,
  };
}

/** The API counts translations by position in the request; the form knows them by language. */
export function formFieldOf(error: FieldError, sent: ListFields): ListFormField | null {
  const [first, index, part] = (error.field ?? '').split('.');
  if (first === 'name' || first === 'description' || first === 'subscription_default_state') return first;
  if (first !== 'translations') return null;
  const language = sent.translations[Number(index)]?.language;
  if (!language) return null;
  return `translations.${language}.${part === 'description' ? 'description' : 'name'}`;
}

/** Moves what is at `from` so that it ends at `to`; positions outside the array change nothing. */
export function moveTo<T>(all: readonly T[], from: number, to: number): T[] {
  const moved = all[from];
  if (moved === undefined || to < 0 || to >= all.length) return [...all];
  const rest = all.filter((_, index) => index !== from);
  return [...rest.slice(0, to), moved, ...rest.slice(to)];
}

/** Puts the moved keys, in their present order, before or after the target. */
export function dropAt(
  keys: readonly string[],
  moved: ReadonlySet<string>,
  target: string,
  position: 'before' | 'after',
): string[] {
  if (moved.has(target)) return [...keys];
  const rest = keys.filter((key) => !moved.has(key));
  const at = rest.indexOf(target) + (position === 'after' ? 1 : 0);
  return [...rest.slice(0, at), ...keys.filter((key) => moved.has(key)), ...rest.slice(at)];
}

export function inOrder<T extends { id: string }>(lists: readonly T[], ids: readonly string[]): T[] {
  const position = new Map(ids.map((id, index) => [id, index]));
  return lists.toSorted((a, b) => (position.get(a.id) ?? ids.length) - (position.get(b.id) ?? ids.length));
}
