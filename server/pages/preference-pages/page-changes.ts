import { LIST_DEFAULTS, LIST_FIELDS } from '#contract/lists.ts';
import { PAGE_ATTRS, PAGE_FIELDS, type PageChange, type PageContent } from '#contract/page-drafts.ts';

type ContentList = PageContent['lists'][number];

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function wordsOf(list: ContentList) {
  const texts = list.translations.map(({ language, name, description }) => [language, name, description]);
  // A version from before a field existed has its default.
  const whole = { ...LIST_DEFAULTS, ...list };
  return LIST_FIELDS.map((field) => (field === 'translations' ? texts : whole[field]));
}

function listChanges(before: readonly ContentList[], after: readonly ContentList[]): PageChange[] {
  const find = (lists: readonly ContentList[], id: string | undefined) => lists.find((one) => one.id === id);
  const added = after.filter(({ id }) => find(before, id) === undefined);
  const removed = before.filter(({ id }) => find(after, id) === undefined);
  const stayed = before.filter(({ id }) => find(after, id) !== undefined).map(({ id }) => id);
  const order = after.filter(({ id }) => find(before, id) !== undefined).map(({ id }) => id);
  const reworded = after.filter((list) => {
    const old = find(before, list.id);
    return old !== undefined && !isSame(wordsOf(old), wordsOf(list));
  });
  const found = [
    { what: 'lists_added', lists: added },
    { what: 'lists_removed', lists: removed },
    { what: 'lists_words', lists: reworded },
  ] as const;
  return [
    ...found
      .filter(({ lists }) => lists.length > 0)
      .map(({ what, lists }) => ({ what, lists: lists.map(({ name }) => name) })),
    ...(isSame(stayed, order) ? [] : [{ what: 'lists_order' as const, lists: [] }]),
  ];
}

/** The changed fields between two versions of a page. */
export function changesBetween(before: PageContent, after: PageContent): PageChange[] {
  return [
    ...PAGE_FIELDS.filter((field) => !isSame(before[field], after[field])),
    ...PAGE_ATTRS.filter((attr) => !isSame(before.attrs[attr], after.attrs[attr])),
  ]
    .map((what): PageChange => ({ what, lists: [] }))
    .concat(listChanges(before.lists, after.lists));
}
