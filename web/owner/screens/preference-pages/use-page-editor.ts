import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { MAX_EMBED_ORIGINS, originOf } from '#contract/embedding.ts';
import type { DraftConflict } from '#contract/page-drafts.ts';
import type { FailedCheck } from '#contract/page-checks.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { useErrorText } from '#web/ui/error-text.ts';
import { failedChecksIn } from '../../components/failed-checks.ts';
import { queryClient } from '../../api/query-client.ts';
import type { SiteParams } from '../../site/site-params.ts';
import { conflictOf } from './draft-sync.ts';
import { problemOfError } from './image-field.logic.ts';
import { beginHistory, historyReducer } from './page-history.ts';
import {
  CHECKED_FIELDS,
  type CheckedField,
  type CreationQuestion,
  formFieldOf,
  pageProblems,
  settingOf,
} from './page-problems.ts';
import { type EditedPage, editedPageQuery, useSavePage } from './pages.api.ts';
import {
  type FormList,
  formOfContent,
  originsOf,
  type PageForm,
  pageFieldsOf,
  pageFormOf,
  type PageOperation,
  pageReducer,
} from './pages.logic.ts';
import { useCreationQuestions } from './use-creation-questions.ts';
import { useDraft, useFormSync } from './use-draft.ts';

export type FieldErrors = Partial<Record<CheckedField, string>>;

export type PublishResult =
  | { kind: 'published'; page: PreferencePage }
  /** With the fields that say why. */
  | { kind: 'refused'; fields: CheckedField[] }
  | { kind: 'conflict' }
  /** Checks fail, which can be overridden with a reason. */
  | { kind: 'held'; checks: FailedCheck[] };

export type PageEditorState = ReturnType<typeof usePageEditor>;

/** The form of one page: its draft, undo history, problems, and publishing. */
export function usePageEditor(site: SiteParams, edited: EditedPage | null, begin: PageForm) {
  const editing = useEditing(site, edited, begin);
  const { page, form, saved, isDirty, draft, history, step, problems, questions, dispatch, undoable } =
    editing;
  const { publish, isPublishing } = usePublish(site, editing);
  const loadTheirs = useLoadTheirs(site, editing);
  return {
    /** As it is published; undefined while it does not exist yet. */
    page,
    form,
    saved,
    dispatch,
    undoable,
    errors: problems.errors,
    /** Asked about a page that does not exist yet. */
    questions,
    error: problems.error,
    isDirty,
    isRestored: draft.opening.isRestored,
    isPublishing,
    draftState: draft.state,
    check: problems.check,
    /** What `check` has nothing against. */
    publish,
    loadTheirs,
    keepMine: (found: DraftConflict | null) => found && draft.sync.overwrite(found, form),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: useCallback(() => step({ type: 'undo' }), [step]),
    redo: useCallback(() => step({ type: 'redo' }), [step]),
  };
}

type Editing = ReturnType<typeof useEditing>;

/** The form as typed, and the page as saved. */
function useEditing(site: SiteParams, edited: EditedPage | null, begin: PageForm) {
  const known = useKnownLists(edited?.lists ?? begin.lists);
  const [page, setPage] = useState(edited?.page);
  const draft = useDraft({ site, page, draft: edited?.draft ?? null, begin, known: known.all });
  const [saved, setSaved] = useState(draft.opening.saved);
  const [history, step] = useReducer(historyReducer, draft.opening.form, beginHistory);
  const { form } = history;
  const questions = useCreationQuestions(form, !page);
  const problems = useProblems(form, questions.left);
  const { clearChanged } = problems;
  const { forget } = questions;
  const isDirty = useMemo(() => {
    const written = (one: PageForm) => JSON.stringify(pageFieldsOf(one, known.all()));
    return form !== saved && written(form) !== written(saved);
  }, [form, saved, known]);
  const { skip } = useFormSync(draft, form, saved, isDirty);

  // Stable, because the memoized sections of the form re-render only for what they show.
  const dispatch = useCallback(
    (operation: PageOperation) => {
      if (operation.type === 'add') known.learn([operation.list]);
      if (operation.type === 'clear') forget();
      step({ type: 'operate', operation, at: Date.now() });
      clearChanged(operation);
    },
    [known, clearChanged, forget],
  );

  const latest = useLatest(form);
  /** Gives what takes this operation back. */
  const undoable = useCallback(
    (operation: PageOperation) => {
      const before = latest.current;
      dispatch(operation);
      return () => dispatch({ type: 'take_back', before, made: pageReducer(before, operation) });
    },
    [dispatch, latest],
  );

  return {
    page,
    setPage,
    form,
    saved,
    setSaved,
    isDirty,
    draft,
    skip,
    history,
    step,
    known,
    problems,
    questions,
    dispatch,
    undoable,
  };
}

function usePublish(site: SiteParams, editing: Editing) {
  const { page, setPage, form, setSaved, draft, step, known, problems } = editing;
  const mutation = useSavePage(site, page?.id);
  const latest = useLatest(form);

  function take(answer: PreferencePage, sent: PageForm) {
    const theirs = pageFormOf(answer);
    known.learn(theirs.lists);
    // Edited while it was being published: that stays, and is the next draft.
    const isSent = latest.current === sent;
    step({ type: 'identify', lists: theirs.lists, form: isSent ? theirs : null });
    setSaved(theirs);
    if (page) setPage(answer);
    draft.sync.resume({ version: answer.version, draft: null });
  }

  async function publish(reason?: string): Promise<PublishResult> {
    const sent = form;
    const base = await draft.sync.pause();
    try {
      const answer = await mutation.mutateAsync({
        fields: pageFieldsOf(sent, known.all()),
        ...base,
        ...(reason === undefined ? {} : { override: { reason } }),
      });
      take(answer, sent);
      return { kind: 'published', page: answer };
    } catch (cause) {
      draft.sync.resume();
      const held = failedChecksIn(cause);
      if (held) return { kind: 'held', checks: held };
      const conflict = conflictOf(cause);
      if (!conflict) return { kind: 'refused', fields: problems.place(cause) };
      draft.sync.setConflict(conflict);
      return { kind: 'conflict' };
    }
  }

  return { publish, isPublishing: mutation.isPending };
}

/** Gives up this form for what somebody else published or drafted meanwhile. */
function useLoadTheirs(site: SiteParams, editing: Editing) {
  const { page, setPage, setSaved, draft, skip, step, known, problems } = editing;
  return async () => {
    if (!page) return;
    const theirs = await queryClient.fetchQuery(editedPageQuery(site, page.id));
    const saved = pageFormOf(theirs.page);
    const form = theirs.draft ? formOfContent(theirs.draft.content) : saved;
    known.learn(theirs.lists);
    skip({ form, saved });
    setSaved(saved);
    setPage(theirs.page);
    step({ type: 'begin', form });
    draft.sync.resume({ version: theirs.page.version, draft: theirs.draft });
    problems.clear();
  };
}

function useLatest<T>(value: T) {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** The lists as saved, to tell what was changed here. */
function useKnownLists(lists: readonly FormList[]) {
  const [known] = useState(() => {
    const byId = new Map<string, FormList>();
    const learn = (more: readonly FormList[]) => {
      for (const list of more) if (list.id !== undefined) byId.set(list.id, list);
    };
    learn(lists);
    return { all: () => [...byId.values()], learn };
  });
  return known;
}

/** What is wrong, by field. Changing a field clears its error. */
function useProblems(form: PageForm, unanswered: readonly CreationQuestion[]) {
  const { t } = useTranslation('pages');
  const errorText = useErrorText();
  const [errors, setErrors] = useState<FieldErrors>({});
  const [error, setError] = useState<unknown>(null);

  const clearChanged = useCallback((operation: PageOperation) => {
    if (operation.type === 'clear') setErrors({});
    if (operation.type !== 'set') return;
    const changed = Object.keys({ ...operation.values, ...operation.values.attrs });
    setErrors((before) =>
      CHECKED_FIELDS.some((field) => field in before && changed.includes(settingOf(field)))
        ? Object.fromEntries(
            CHECKED_FIELDS.flatMap((field) =>
              field in before && !changed.includes(settingOf(field)) ? [[field, before[field]]] : [],
            ),
          )
        : before,
    );
  }, []);

  /** Shows what is wrong with the form, and gives its fields. */
  function check(): CheckedField[] {
    const found = pageProblems(form, unanswered);
    const values = {
      path: form.custom_path,
      origin: originsOf(form).find((typed) => originOf(typed) === null) ?? '',
      max: MAX_EMBED_ORIGINS,
    };
    const wrong = CHECKED_FIELDS.filter((field) => found[field] !== undefined);
    const texts = wrong.flatMap((field) => {
      const problem = found[field];
      return problem ? [[field, t(`error.${problem}`, values)]] : [];
    });
    setErrors(Object.fromEntries(texts) as FieldErrors);
    setError(null);
    return wrong;
  }

  /** Shows what the server refused, beside its fields where it names them, and gives these. */
  function place(cause: unknown): CheckedField[] {
    if (!(cause instanceof ApiError)) {
      setError(cause);
      return [];
    }
    const placed: FieldErrors = {};
    for (const item of cause.errors) {
      const field = formFieldOf(item);
      const single = new ApiError(cause.status, { message: item.message, meta: { errors: [item] } }, null);
      const image = item.field === 'logo' || item.field === 'favicon' ? problemOfError(cause) : null;
      const known = item.code === 'path_taken' ? t('error.path_taken') : image && t(`image.problem.${image}`);
      if (field) placed[field] = known ?? errorText(single);
    }
    setErrors(placed);
    const isPlaced = cause.errors.length > 0 && cause.errors.every((item) => formFieldOf(item) !== null);
    if (!isPlaced) setError(cause);
    return Object.keys(placed) as CheckedField[];
  }

  function clear() {
    setErrors({});
    setError(null);
  }

  return { errors, error, check, place, clear, clearChanged };
}
