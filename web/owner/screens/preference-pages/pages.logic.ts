import { LANGUAGES, type Language } from '#contract/fields.ts';
import { type ListFields, listFieldsIn, type ShownList } from '#contract/lists.ts';
import type { DraftContent, PageContent } from '#contract/page-drafts.ts';
import {
  customPath,
  pageAttrs,
  RESERVED_PATHS,
  suggestedPath,
  type PageAttrs,
  type PageListInput,
  type PreferencePage,
  type PreferencePageFields,
} from '#contract/preference-pages.ts';
import { moveTo } from '#web/ui/order.ts';

/** A list in the form: saved ones have an `id`, unsaved ones a `createId` (spec section 3). */
export type FormList = Omit<ShownList, 'id'> & { id?: string; createId?: string };

export interface PageForm {
  name: string;
  custom_path: string;
  allow_customer_create: boolean;
  favicon: string;
  logo: string;
  active_languages: Language[];
  /** As typed, one to a line. */
  embed_origins: string[];
  attrs: PageAttrs;
  lists: FormList[];
}

type PageValues = Partial<Omit<PageForm, 'attrs' | 'lists'>> & {
  attrs?: Partial<PageAttrs>;
  lists?: FormList[];
};

/** The operations of the owner's form (spec section 3). `key` is a list's id or createId. */
export type PageOperation =
  | { type: 'set'; values: PageValues }
  | { type: 'add'; list: FormList }
  | { type: 'upsert'; list: FormList }
  | { type: 'edit'; key: string; values: Partial<ListFields> }
  | { type: 'remove'; key: string }
  | { type: 'move'; key: string; by: number }
  | { type: 'reorder'; keys: readonly string[] }
  | { type: 'clear' }
  /** What an earlier operation made of `before`, without what was changed since. */
  | { type: 'take_back'; before: PageForm; made: PageForm };

export function emptyPage(): PageForm {
  return {
    name: '',
    custom_path: '',
    allow_customer_create: false,
    favicon: '',
    logo: '',
    active_languages: [],
    embed_origins: [],
    attrs: pageAttrs.parse({}),
    lists: [],
  };
}

/** A site's first page: named like the site, with all of its lists, in all the languages that each of them has. */
export function firstPage(site: { name: string }, lists: readonly FormList[]): PageForm {
  const isEverywhere = (language: Language) =>
    lists.length > 0 && lists.every((list) => isTranslated(list, language));
  return withValues(emptyPage(), {
    name: site.name,
    custom_path: suggestedPath(site.name),
    lists: [...lists],
    active_languages: LANGUAGES.filter(isEverywhere),
  });
}

function isTranslated({ translations }: FormList, language: Language): boolean {
  return translations.some((one) => one.language === language);
}

/** The languages that the page lacks and its lists have, with the names of these lists. */
export function missingLanguages({
  attrs,
  active_languages,
  lists,
}: PageForm): { language: Language; lists: string[] }[] {
  return LANGUAGES.flatMap((language) => {
    if (language === attrs.language || active_languages.includes(language)) return [];
    const names = lists.filter((list) => isTranslated(list, language)).map(({ name }) => name);
    return names.length === 0 ? [] : [{ language, lists: names }];
  });
}

export function keyOf(list: FormList): string {
  return list.id ?? list.createId ?? '';
}

function isSame(a: FormList, b: FormList): boolean {
  return (a.id !== undefined && a.id === b.id) || (a.createId !== undefined && a.createId === b.createId);
}

function numbered(lists: readonly FormList[]): FormList[] {
  return lists.map((list, index) => (list.show_order === index ? list : { ...list, show_order: index }));
}

function moved(lists: readonly FormList[], key: string, by: number): FormList[] {
  const from = lists.findIndex((list) => keyOf(list) === key);
  return moveTo(lists, from, from + by);
}

function reordered(lists: readonly FormList[], keys: readonly string[]): FormList[] {
  const position = new Map(keys.map((key, index) => [key, index]));
  const at = (list: FormList) => position.get(keyOf(list)) ?? keys.length;
  return lists.toSorted((a, b) => at(a) - at(b));
}

function withValues(page: PageForm, values: PageValues): PageForm {
  const next = { ...page, ...values, attrs: { ...page.attrs, ...values.attrs } };
  return {
    ...next,
    lists: numbered(next.lists),
    active_languages: LANGUAGES.filter(
      (language) => language !== next.attrs.language && next.active_languages.includes(language),
    ),
  };
}

function withLists(page: PageForm, lists: readonly FormList[]): PageForm {
  return { ...page, lists: numbered(lists) };
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The values as they were before, but for those that something else has changed since. */
function valuesBefore<T extends object>(now: T, before: T, made: T): T {
  const entries = Object.entries(now).map(([name, value]) => {
    const field = name as keyof T;
    return [name, isEqual(value, made[field]) ? before[field] : value];
  });
  return { ...before, ...Object.fromEntries(entries) };
}

function takenBack(page: PageForm, { before, made }: { before: PageForm; made: PageForm }): PageForm {
  const attrs = valuesBefore(page.attrs, before.attrs, made.attrs);
  const lists = isEqual(page.lists, made.lists) ? before.lists : listsBefore(page.lists, before, made);
  return withLists({ ...valuesBefore(page, before, made), attrs }, lists);
}

/** The lists that were removed are back where they were; whatever happened to the others stays. */
function listsBefore(now: readonly FormList[], before: PageForm, made: PageForm): FormList[] {
  const isIn = (lists: readonly FormList[], list: FormList) => lists.some((one) => isSame(one, list));
  const lists = now.filter((list) => isIn(before.lists, list) || !isIn(made.lists, list));
  for (const [index, list] of before.lists.entries()) {
    if (!isIn(made.lists, list) && !isIn(lists, list)) lists.splice(index, 0, list);
  }
  return lists;
}

export function pageReducer(page: PageForm, operation: PageOperation): PageForm {
  switch (operation.type) {
    case 'set':
      return withValues(page, operation.values);
    case 'add':
      return page.lists.some((list) => isSame(list, operation.list))
        ? page
        : withLists(page, [...page.lists, operation.list]);
    case 'upsert':
      return page.lists.some((list) => isSame(list, operation.list))
        ? withLists(
            page,
            page.lists.map((list) => (isSame(list, operation.list) ? { ...list, ...operation.list } : list)),
          )
        : withLists(page, [...page.lists, operation.list]);
    case 'edit':
      return withLists(
        page,
        page.lists.map((list) => (keyOf(list) === operation.key ? { ...list, ...operation.values } : list)),
      );
    case 'remove':
      return withLists(
        page,
        page.lists.filter((list) => keyOf(list) !== operation.key),
      );
    case 'move':
      return withLists(page, moved(page.lists, operation.key, operation.by));
    case 'reorder':
      return withLists(page, reordered(page.lists, operation.keys));
    case 'clear':
      return emptyPage();
    case 'take_back':
      return takenBack(page, operation);
  }
}

export function pageFormOf(page: PreferencePage): PageForm {
  const { name, custom_path, allow_customer_create, favicon, logo, active_languages } = page;
  const { embed_origins, attrs } = page;
  const form = {
    name,
    custom_path,
    allow_customer_create,
    favicon,
    logo,
    active_languages,
    embed_origins,
    attrs,
    lists: page.lists,
  };
  return withValues(emptyPage(), form);
}

/** The form of a draft or of an earlier version. */
export function formOfContent(content: PageContent): PageForm {
  return withValues(emptyPage(), {
    ...content,
    lists: content.lists.map(({ id, createId, ...list }) => ({
      ...list,
      ...(id === undefined ? {} : { id }),
      ...(createId === undefined ? {} : { createId }),
    })),
  });
}

/**
 * An earlier version as it can be published again: its lists in the words that they have today, without those that
 * were deleted since.
 */
export function restoredForm(
  content: PageContent,
  lists: readonly FormList[],
): { form: PageForm; gone: string[] } {
  const known = (id: string | undefined) => lists.find((list) => id !== undefined && list.id === id);
  return {
    form: formOfContent({
      ...content,
      lists: content.lists.flatMap((list) => {
        const today = known(list.id);
        return today === undefined ? [] : [{ ...today, show_order: 0 }];
      }),
    }),
    gone: content.lists.filter((list) => known(list.id) === undefined).map(({ name }) => name),
  };
}

/** What is kept of a form that may be half typed. */
export function draftContentOf(form: PageForm, saved: readonly FormList[]): DraftContent {
  const lists = form.lists.map((list) => listInputOf(list, saved));
  return { ...form, lists: lists as DraftContent['lists'] };
}

/**
 * What is sent. Of a saved list only its id goes when it was not edited here: its words may have been changed
 * elsewhere since, and the page must not carry the old ones back.
 */
export function pageFieldsOf(form: PageForm, saved: readonly FormList[]): PreferencePageFields {
  return {
    ...form,
    embed_origins: originsOf(form),
    lists: form.lists.map((list) => listInputOf(list, saved)),
  };
}

function listInputOf(list: FormList, saved: readonly FormList[]): PageListInput {
  const { id, createId } = list;
  const fields = listFieldsIn(list);
  if (id === undefined) return { createId: createId ?? '', ...fields };
  const before = saved.find((one) => one.id === id);
  return before && hasSameWords(before, list) ? { id } : { id, ...fields };
}

function hasSameWords(a: FormList, b: FormList): boolean {
  const words = (list: FormList) => JSON.stringify(listFieldsIn(list));
  return words(a) === words(b);
}

/** The sites that may show the page, without the blank lines of somebody still typing. */
export function originsOf({ embed_origins }: Pick<PageForm, 'embed_origins'>): string[] {
  return embed_origins.map((typed) => typed.trim()).filter((typed) => typed !== '');
}

export type PathProblem = 'empty' | 'invalid' | 'reserved';

export function pathProblem(path: string): PathProblem | null {
  const value = path.trim().toLowerCase();
  if (value === '') return 'empty';
  if ((RESERVED_PATHS as readonly string[]).includes(value)) return 'reserved';
  return customPath.safeParse(value).success ? null : 'invalid';
}
