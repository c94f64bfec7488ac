import { type FormList, type PageForm, type PageOperation, pageReducer } from './pages.logic.ts';

/** The form's undo and redo history. */
export interface PageHistory {
  past: readonly PageForm[];
  form: PageForm;
  future: readonly PageForm[];
  /** The field that is being typed in, and when it last was. */
  typing: { field: string; at: number } | null;
}

export type HistoryStep =
  | { type: 'operate'; operation: PageOperation; at: number }
  | { type: 'undo' }
  | { type: 'redo' }
  /** A different form: the history starts over. */
  | { type: 'begin'; form: PageForm }
  /** New lists have been saved: they are no longer new, in whatever comes back. `form`: as the server has it. */
  | { type: 'identify'; lists: readonly FormList[]; form: PageForm | null };

/** A longer pause starts a new undo step. */
const TYPING_MS = 1000;
const MAX_STEPS = 200;

export function beginHistory(form: PageForm): PageHistory {
  return { past: [], form, future: [], typing: null };
}

/** The one text that an operation types into; null for everything that is a step of its own. */
function typedField(operation: PageOperation): string | null {
  if (operation.type !== 'set' || operation.values.lists) return null;
  const { attrs = {}, ...values } = operation.values;
  const fields = [...Object.entries(values), ...Object.entries(attrs)];
  const isText = fields.every(([, value]) => typeof value === 'string' || Array.isArray(value));
  if (!isText || values.active_languages || attrs.template_id || attrs.language) return null;
  return fields.map(([field]) => field).join();
}

function operate(history: PageHistory, operation: PageOperation, at: number): PageHistory {
  const form = pageReducer(history.form, operation);
  if (JSON.stringify(form) === JSON.stringify(history.form)) return history;
  const field = typedField(operation);
  const { typing } = history;
  const goesOn = field !== null && typing?.field === field && at - typing.at < TYPING_MS;
  return {
    past: goesOn ? history.past : [...history.past, history.form].slice(-MAX_STEPS),
    form,
    future: [],
    typing: field === null ? null : { field, at },
  };
}

function identified(form: PageForm, lists: readonly FormList[]): PageForm {
  return {
    ...form,
    lists: form.lists.map((list) => {
      const known = lists.find((one) => one.createId !== undefined && one.createId === list.createId);
      return known?.id === undefined ? list : { ...list, id: known.id };
    }),
  };
}

export function historyReducer(history: PageHistory, step: HistoryStep): PageHistory {
  const { past, form, future } = history;
  switch (step.type) {
    case 'operate':
      return operate(history, step.operation, step.at);
    case 'undo': {
      const before = past.at(-1);
      if (before === undefined) return history;
      return { past: past.slice(0, -1), form: before, future: [form, ...future], typing: null };
    }
    case 'redo': {
      const [after, ...rest] = future;
      if (after === undefined) return history;
      return { past: [...past, form], form: after, future: rest, typing: null };
    }
    case 'begin':
      return beginHistory(step.form);
    case 'identify': {
      const identify = (one: PageForm) => identified(one, step.lists);
      return {
        ...history,
        past: past.map(identify),
        form: step.form ?? identify(form),
        future: future.map(identify),
      };
    }
  }
}
