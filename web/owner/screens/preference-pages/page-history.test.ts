import { describe, expect, it } from 'vitest';
import { LIST_DEFAULTS } from '#contract/lists.ts';
import { beginHistory, type HistoryStep, historyReducer, type PageHistory } from './page-history.ts';
import { emptyPage, type FormList, type PageOperation } from './pages.logic.ts';

const list = (mark: object): FormList => ({
  name: 'Weekly',
  ...LIST_DEFAULTS,
  show_order: 0,
  ...mark,
});

const operate = (operation: PageOperation, at = 0): HistoryStep => ({ type: 'operate', operation, at });
const name = (text: string, at: number) => operate({ type: 'set', values: { name: text } }, at);
const after = (...steps: HistoryStep[]): PageHistory =>
  steps.reduce(historyReducer, beginHistory(emptyPage()));

describe('undo', () => {
  it('reverts what was typed without a pause as one step', () => {
    const typed = after(name('A', 0), name('Ac', 100), name('Acm', 900), name('Acme', 2500));
    const once = historyReducer(typed, { type: 'undo' });
    expect(once.form.name).toBe('Acm');
    expect(historyReducer(once, { type: 'undo' }).form.name).toBe('');
  });

  it('keeps typing in another field apart', () => {
    const typed = after(name('A', 0), operate({ type: 'set', values: { attrs: { tag_subject: 'B' } } }, 10));
    expect(historyReducer(typed, { type: 'undo' }).form).toMatchObject({
      name: 'A',
      attrs: { tag_subject: '' },
    });
  });

  it.each<[string, PageOperation]>([
    ['add', { type: 'add', list: list({ id: '1' }) }],
    ['upsert', { type: 'upsert', list: list({ createId: 'x' }) }],
    ['edit', { type: 'edit', key: 'a', values: { name: 'Other' } }],
    ['remove', { type: 'remove', key: 'a' }],
    ['move', { type: 'move', key: 'a', by: 1 }],
    ['reorder', { type: 'reorder', keys: ['b', 'a'] }],
    ['clear', { type: 'clear' }],
    ['a switch', { type: 'set', values: { attrs: { offer_pause: true } } }],
  ])('reverts %s, and redo does it again', (_, operation) => {
    const before = after(operate({ type: 'set', values: { lists: [list({ id: 'a' }), list({ id: 'b' })] } }));
    const done = historyReducer(before, operate(operation, 1));
    expect(done.form).not.toEqual(before.form);
    const undone = historyReducer(done, { type: 'undo' });
    expect(undone.form).toEqual(before.form);
    expect(historyReducer(undone, { type: 'redo' }).form).toEqual(done.form);
  });

  it('has nothing to revert at the beginning, and nothing to redo after a new change', () => {
    const begun = beginHistory(emptyPage());
    expect(historyReducer(begun, { type: 'undo' })).toBe(begun);
    const undone = historyReducer(after(name('A', 0)), { type: 'undo' });
    expect(historyReducer(undone, name('B', 0)).future).toEqual([]);
  });

  it('ignores changes that change nothing', () => {
    expect(after(operate({ type: 'remove', key: 'nobody' })).past).toEqual([]);
  });

  it('restores a list that was saved meanwhile as saved, not as new once more', () => {
    const fresh = list({ createId: 'x' });
    const history = after(operate({ type: 'add', list: fresh }), operate({ type: 'remove', key: 'x' }), {
      type: 'identify',
      lists: [{ ...fresh, id: '7' }],
      form: null,
    });
    expect(historyReducer(history, { type: 'undo' }).form.lists).toMatchObject([{ id: '7', createId: 'x' }]);
  });

  it('does not go back behind what was loaded from elsewhere', () => {
    const loaded = after(name('A', 0), { type: 'begin', form: { ...emptyPage(), name: 'Theirs' } });
    expect(historyReducer(loaded, { type: 'undo' }).form.name).toBe('Theirs');
  });
});
