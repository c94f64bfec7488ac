import { describe, expect, test } from 'vitest';
import { LIST_DEFAULTS } from '#contract/lists.ts';
import { suggestedPath } from '#contract/preference-pages.ts';
import {
  emptyPage,
  firstPage,
  keyOf,
  missingLanguages,
  pageFieldsOf,
  pageReducer,
  pathProblem,
  restoredForm,
  type FormList,
  type PageForm,
  type PageOperation,
} from './pages.logic.ts';

function list(key: string, values: Partial<FormList> = {}): FormList {
  return {
    id: key,
    name: key,
    ...LIST_DEFAULTS,
    show_order: 0,
    ...values,
  };
}

function unsaved(createId: string, name = createId): FormList {
  const { id: _, ...rest } = list(name);
  return { ...rest, createId };
}

function after(operations: PageOperation[], start: PageForm = emptyPage()): PageForm {
  return operations.reduce(pageReducer, start);
}

const weekly = list('weekly');
const offers = list('offers');
const events = unsaved('new-1', 'events');
const three = after([weekly, offers, events].map((one) => ({ type: 'add', list: one })));
const order = (page: PageForm) => page.lists.map((one) => [keyOf(one), one.show_order]);

describe("the spec's operations", () => {
  test("a new page has the spec's defaults (spec 20)", () => {
    expect(emptyPage().attrs).toMatchObject({
      primary_color: '#009AD0',
      text_color: '#2C3D20',
      background_color: '#F8F8F8',
      template_id: 'default_preference_page',
      language: 'en',
      allow_email_change: true,
      unsubscribe_all: true,
      enhanced_security: false,
      remove_badge: false,
    });
    expect(emptyPage().allow_customer_create).toBe(false);
  });

  test('set changes the fields it names and leaves other attrs alone', () => {
    const page = after([{ type: 'set', values: { name: 'News', attrs: { primary_color: '#112233' } } }]);
    expect(page).toMatchObject({ name: 'News', attrs: { primary_color: '#112233', text_color: '#2C3D20' } });
  });

  test('the default language is never also an active one', () => {
    const page = after([
      { type: 'set', values: { active_languages: ['pl', 'de'] } },
      { type: 'set', values: { attrs: { language: 'de' } } },
    ]);
    expect(page.active_languages).toEqual(['pl']);
  });

  test('add puts a list at the end, once', () => {
    expect(order(three)).toEqual([
      ['weekly', 0],
      ['offers', 1],
      ['new-1', 2],
    ]);
    expect(after([{ type: 'add', list: weekly }], three).lists).toHaveLength(3);
  });

  test('upsert replaces by id', () => {
    const page = after([{ type: 'upsert', list: { ...offers, name: 'Deals' } }], three);
    expect(page.lists.map((one) => one.name)).toEqual(['weekly', 'Deals', 'events']);
  });

  test('upsert replaces by createId, also when the list has been saved meanwhile (spec 91)', () => {
    const page = after([{ type: 'upsert', list: { ...events, id: 'events-id', name: 'Meet-ups' } }], three);
    expect(page.lists).toHaveLength(3);
    expect(page.lists[2]).toMatchObject({ id: 'events-id', createId: 'new-1', name: 'Meet-ups' });
  });

  test('upsert adds a new list; two unsaved lists are not the same one', () => {
    expect(after([{ type: 'upsert', list: unsaved('new-2') }], three).lists).toHaveLength(4);
  });

  test('edit changes one list', () => {
    const page = after([{ type: 'edit', key: 'new-1', values: { description: 'In town' } }], three);
    expect(page.lists.map((one) => one.description)).toEqual(['', '', 'In town']);
  });

  test('remove closes the gap', () => {
    expect(order(after([{ type: 'remove', key: 'weekly' }], three))).toEqual([
      ['offers', 0],
      ['new-1', 1],
    ]);
  });

  test('move goes a step and stops at the ends', () => {
    expect(order(after([{ type: 'move', key: 'new-1', by: -1 }], three))).toEqual([
      ['weekly', 0],
      ['new-1', 1],
      ['offers', 2],
    ]);
    expect(order(after([{ type: 'move', key: 'weekly', by: -1 }], three))).toEqual(order(three));
    expect(order(after([{ type: 'move', key: 'nobody', by: 1 }], three))).toEqual(order(three));
  });

  test("reorder sets show_order to each list's position (spec 24)", () => {
    const page = after([{ type: 'reorder', keys: ['new-1', 'weekly', 'offers'] }], three);
    expect(order(page)).toEqual([
      ['new-1', 0],
      ['weekly', 1],
      ['offers', 2],
    ]);
  });

  test('clear restores the defaults (spec 91)', () => {
    expect(after([{ type: 'set', values: { name: 'x' } }, { type: 'clear' }], three)).toEqual(emptyPage());
  });

  test('no operation changes the page it was given (spec 91)', () => {
    const before = structuredClone(three);
    after(
      [
        { type: 'move', key: 'weekly', by: 1 },
        { type: 'edit', key: 'offers', values: { name: 'x' } },
      ],
      three,
    );
    expect(three).toEqual(before);
  });
});

describe('saving', () => {
  test('sends untouched lists as ids, edited ones with their texts, new ones with createId', () => {
    const page = after([{ type: 'edit', key: 'offers', values: { name: 'Deals' } }], three);
    expect(pageFieldsOf(page, [weekly, offers]).lists).toEqual([
      { id: 'weekly' },
      { id: 'offers', name: 'Deals', ...LIST_DEFAULTS },
      { createId: 'new-1', name: 'events', ...LIST_DEFAULTS },
    ]);
  });
});

describe('an earlier version', () => {
  test('is restored with the current texts of its lists, without deleted ones', () => {
    const before = {
      ...three,
      name: 'Before',
      lists: [
        { ...offers, name: 'Old words' },
        { ...weekly, id: 'gone' },
      ],
    };
    const { form, gone } = restoredForm(before, [weekly, offers]);
    expect(form).toMatchObject({ name: 'Before', lists: [{ id: 'offers', name: 'offers', show_order: 0 }] });
    expect(form.lists).toHaveLength(1);
    expect(gone).toEqual(['weekly']);
  });
});

describe('the path', () => {
  test.each([
    ['', 'empty'],
    ['news', null],
    ['News ', null],
    ['my-news', null],
    ['-news', 'invalid'],
    ['my news', 'invalid'],
    ['a'.repeat(64), 'invalid'],
    ['login', 'reserved'],
    ['.well-known', 'reserved'],
  ])('%j is %s', (path, problem) => {
    expect(pathProblem(path)).toBe(problem);
  });

  test.each([
    ['Ski & Sun news', 'ski-sun-news'],
    ['Größe, Łódź, café!', 'grosse-lodz-cafe'],
    ['Smørrebrød, Đakovo, Œuvre & Æbler', 'smorrebrod-dakovo-oeuvre-aebler'],
    ['***', ''],
  ])('%j suggests %j', (name, path) => {
    expect(suggestedPath(name)).toBe(path);
  });
});

test('the first page of a site begins with its name, and with every list', () => {
  expect(firstPage({ name: 'Bäckerei Blum' }, [list('a'), list('b')])).toEqual({
    ...emptyPage(),
    name: 'Bäckerei Blum',
    custom_path: 'backerei-blum',
    lists: [list('a'), list('b', { show_order: 1 })],
  });
});

const inLanguage = (...languages: ('de' | 'fr')[]) => ({
  translations: languages.map((language) => ({ language, name: 'Neu', description: '' })),
});

test('a first page begins with the languages that all of its lists have', () => {
  const lists = [list('a', inLanguage('de', 'fr')), list('b', inLanguage('de'))];
  expect(firstPage({ name: 'Blum' }, lists).active_languages).toEqual(['de']);
});

test('a page reports the languages that its lists have and it lacks', () => {
  const lists = [list('a', inLanguage('de', 'fr')), list('b', inLanguage('de'))];
  const form: PageForm = { ...emptyPage(), lists };
  expect(missingLanguages(form)).toEqual([
    { language: 'de', lists: ['a', 'b'].map((key) => list(key).name) },
    { language: 'fr', lists: [list('a').name] },
  ]);
  expect(missingLanguages({ ...form, active_languages: ['de', 'fr'] })).toEqual([]);
  const german = { ...form, attrs: { ...form.attrs, language: 'de' as const } };
  expect(missingLanguages(german).map(({ language }) => language)).toEqual(['fr']);
});

describe('taking an operation back', () => {
  const begin: PageForm = { ...emptyPage(), name: 'Acme', lists: [list('a'), list('b', { show_order: 1 })] };
  const takenBack = (operation: PageOperation, since: PageOperation) => {
    const made = pageReducer(begin, operation);
    return pageReducer(pageReducer(made, since), { type: 'take_back', before: begin, made });
  };

  test('brings back what was cleared, and keeps what was typed since', () => {
    const back = takenBack({ type: 'clear' }, { type: 'set', values: { custom_path: 'new' } });
    expect(back).toEqual({ ...begin, custom_path: 'new' });
  });

  test('brings a removed list back to its place, and keeps what was changed of another one', () => {
    const back = takenBack(
      { type: 'remove', key: 'a' },
      { type: 'edit', key: 'b', values: { name: 'Other' } },
    );
    expect(back.lists.map(({ id, name }) => [id, name])).toEqual([
      ['a', list('a').name],
      ['b', 'Other'],
    ]);
  });
});
