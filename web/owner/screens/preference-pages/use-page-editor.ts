import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { MAX_EMBED_ORIGINS, originOf } from '#contract/embedding.ts';
import type { DraftConflict } from '#contract/page-drafts.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { useErrorText } from '#web/ui/error-text.ts';
import { queryClient } from '../../api/query-client.ts';
import type { SiteParams } from '../../site/site-params.ts';
import { conflictOf } from './draft-sync.ts';
import { problemOfError } from './image-field.logic.ts';
import { beginHistory, historyReducer } from './page-history.ts';
import { CHECKED_FIELDS, type CheckedField, formFieldOf, pageProblems } from './page-problems.ts';
import { type EditedPage, editedPageQuery, useSavePage } from './pages.api.ts';
import {
  type FormList,
  formOfContent,
  originsOf,
  type PageForm,
  pageFieldsOf,
  pageFormOf,
  type PageOperation,
} from './pages.logic.ts';
import { useDraft, useKeeping } from './use-draft.ts';

export type FieldErrors = Partial<Record<CheckedField, string>>;

export type PublishResult =
  | { kind: 'published'; page: PreferencePage }
  | { kind: 'refused' }
  | { kind: 'conflict' };

/** The form of one page: its draft, what was done to it, what is wrong with it, and publishing it. */
export function usePageEditor(site: SiteParams, edited: EditedPage | null, begin: PageForm) {
  const known = useKnownLists(edited?.lists ?? begin.lists);
  const [page, setPage] = useState(edited?.page);
  const draft = useDraft({ site, page, draft: edited?.draft ?? null, begin, known: known.all });
  const { keeper, opening } = draft;
  const [saved, setSaved] = useState(opening.saved);
  const [history, step] = useReducer(historyReducer, opening.form, beginHistory);
  const { form } = history;
  const latest = useLatest(form);
  const { errors, setErrors, error, setError, place, problems, forget } = useProblems(form);
  const mutation = useSavePage(site, page?.id);
  const fieldsOf = (one: PageForm) => pageFieldsOf(one, known.all());
  const isDirty = useMemo(() => {
    const written = (one: PageForm) => JSON.stringify(pageFieldsOf(one, known.all()));
    return form !== saved && written(form) !== written(saved);
  }, [form, saved, known]);
  const { skip } = useKeeping(draft, form, saved, isDirty);

  // Stays the same, as the sections of the form are drawn anew only by what they show.
  const dispatch = useCallback(
    (operation: PageOperation) => {
      if (operation.type === 'add') known.learn([operation.list]);
      step({ type: 'operate', operation, at: Date.now() });
      forget(operation);
    },
    [known, forget],
  );

  function take(answer: PreferencePage, sent: PageForm) {
    const theirs = pageFormOf(answer);
    known.learn(theirs.lists);
    // Edited while it was being published: that stays, and is the next draft.
    const isSent = latest.current === sent;
    step({ type: 'identify', lists: theirs.lists, form: isSent ? theirs : null });
    setSaved(theirs);
    if (page) setPage(answer);
    keeper.release({ version: answer.version, draft: null });
  }

  async function publish(): Promise<PublishResult> {
    const found = problems();
    setErrors(found);
    setError(null);
    if (Object.keys(found).length > 0) return { kind: 'refused' };
    const sent = form;
    const there = await keeper.hold();
    try {
      const answer = await mutation.mutateAsync({ fields: fieldsOf(sent), ...there });
      take(answer, sent);
      return { kind: 'published', page: answer };
    } catch (cause) {
      keeper.release();
      const conflict = conflictOf(cause);
      if (conflict) keeper.collide(conflict);
      else place(cause);
      return { kind: conflict ? 'conflict' : 'refused' };
    }
  }

  async function loadTheirs() {
    if (!page) return;
    const {
      page: theirPage,
      draft: theirDraft,
      lists,
    } = await queryClient.fetchQuery(editedPageQuery(site, page.id));
    const next = pageFormOf(theirPage);
    const nextForm = theirDraft ? formOfContent(theirDraft.content) : next;
    known.learn(lists);
    skip({ form: nextForm, saved: next });
    setSaved(next);
    setPage(theirPage);
    step({ type: 'begin', form: nextForm });
    keeper.release({ version: theirPage.version, draft: theirDraft });
    setErrors({});
    setError(null);
  }

  return {
    /** As it is published; undefined while it is not made yet. */
    page,
    form,
    saved,
    dispatch,
    errors,
    error,
    isDirty,
    isRestored: opening.isRestored,
    isPublishing: mutation.isPending,
    draftState: draft.state,
    publish,
    loadTheirs,
    keepMine: (found: DraftConflict | null) => found && keeper.overrule(found, form),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: useCallback(() => step({ type: 'undo' }), []),
    redo: useCallback(() => step({ type: 'redo' }), []),
  };
}

function useLatest<T>(value: T) {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** The lists in the words in which they are saved, to tell what was changed here. */
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

/** What is wrong, by field; it is forgotten as soon as the field is changed. */
function useProblems(form: PageForm) {
  const { t } = useTranslation('pages');
  const errorText = useErrorText();
  const [errors, setErrors] = useState<FieldErrors>({});
  const [error, setError] = useState<unknown>(null);

  const forget = useCallback((operation: PageOperation) => {
    if (operation.type === 'clear') setErrors({});
    if (operation.type !== 'set') return;
    const changed = Object.keys({ ...operation.values, ...operation.values.attrs });
    setErrors((before) =>
      changed.some((field) => field in before)
        ? Object.fromEntries(Object.entries(before).filter(([field]) => !changed.includes(field)))
        : before,
    );
  }, []);

  function problems(): FieldErrors {
    const found = pageProblems(form);
    const texts = CHECKED_FIELDS.flatMap((field) => {
      const problem = found[field];
      return problem
        ? [
            [
              field,
              t(`error.${problem}`, {
                path: form.custom_path,
                origin: originsOf(form).find((typed) => originOf(typed) === null) ?? '',
                max: MAX_EMBED_ORIGINS,
              }),
            ],
          ]
        : [];
    });
    return Object.fromEntries(texts);
  }

  function place(cause: unknown) {
    if (!(cause instanceof ApiError)) return setError(cause);
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
  }

  return { errors, setErrors, error, setError, place, problems, forget };
}
