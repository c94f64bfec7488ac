import { useEffect, useReducer, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { MAX_EMBED_ORIGINS, originOf } from '#contract/embedding.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { useErrorText } from '#web/ui/error-text.ts';
import { useKeptDraft } from '../../kept-draft.ts';
import { queryClient } from '../../query.ts';
import type { SiteParams } from '../lists/lists.api.ts';
import { problemOfError } from './image-field.logic.ts';
import { CHECKED_FIELDS, type CheckedField, formFieldOf, pageProblems } from './page-problems.ts';
import { pageQuery, useSavePage } from './pages.api.ts';
import {
  emptyPage,
  originsOf,
  type PageForm,
  pageFieldsOf,
  pageFormOf,
  type PageOperation,
  pageReducer,
} from './pages.logic.ts';

export type FieldErrors = Partial<Record<CheckedField, string>>;

export type SaveResult = { kind: 'saved'; page: PreferencePage } | { kind: 'refused' } | { kind: 'conflict' };

interface Draft {
  form: PageForm;
  /** Of the page that it was typed into. */
  version?: number;
}

function isWholeDraft(value: object): boolean {
  const form: unknown = 'form' in value ? value.form : null;
  return (
    typeof form === 'object' && form !== null && Object.keys(emptyPage()).every((field) => field in form)
  );
}

/** The form of one page: its state, what is wrong with it, and saving against the version it began with. */
export function usePageEditor(site: SiteParams, page: PreferencePage | undefined) {
  const { t } = useTranslation('pages');
  const errorText = useErrorText();
  const [saved, setSaved] = useState(() => (page ? pageFormOf(page) : emptyPage()));
  const { restored, keep, forget } = useKeptDraft<Draft>(
    `page:${page?.id ?? `new:${site.site_id}`}`,
    isWholeDraft,
  );
  // Against the version that it was typed into, so that what somebody saved meanwhile is not overwritten unasked.
  const [version, setVersion] = useState(restored?.version ?? page?.version);
  const [form, apply] = useReducer(pageReducer, restored?.form ?? saved);
  const latest = useRef(form);
  useEffect(() => {
    latest.current = form;
  });
  const [errors, setErrors] = useState<FieldErrors>({});
  const [error, setError] = useState<unknown>(null);
  const mutation = useSavePage(site, page?.id);

  /** What is wrong with a field is forgotten as soon as it is changed. */
  function dispatch(operation: PageOperation) {
    apply(operation);
    if (operation.type === 'clear') setErrors({});
    if (operation.type !== 'set') return;
    const changed = Object.keys({ ...operation.values, ...operation.values.attrs });
    setErrors((before) =>
      Object.fromEntries(Object.entries(before).filter(([field]) => !changed.includes(field))),
    );
  }

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

  function take(answer: PreferencePage, sent: PageForm | null) {
    const theirs = pageFormOf(answer);
    setSaved(theirs);
    setVersion(answer.version);
    if (sent === null || latest.current === sent) return dispatch({ type: 'set', values: theirs });
    // Edited while it was being saved: keep that, and learn the ids of the new lists.
    for (const list of latest.current.lists) {
      const known = theirs.lists.find((one) => one.createId !== undefined && one.createId === list.createId);
      if (known?.id !== undefined) dispatch({ type: 'upsert', list: { ...list, id: known.id } });
    }
  }

  async function save({ overwrite = false } = {}): Promise<SaveResult> {
    const found = problems();
    setErrors(found);
    setError(null);
    if (Object.keys(found).length > 0) return { kind: 'refused' };
    const fields = pageFieldsOf(form, saved.lists);
    try {
      const answer = await mutation.mutateAsync(
        overwrite || version === undefined ? { fields } : { fields, version },
      );
      take(answer, form);
      forget();
      return { kind: 'saved', page: answer };
    } catch (cause) {
      if (cause instanceof ApiError && cause.errors.some((item) => item.code === 'conflict')) {
        return { kind: 'conflict' };
      }
      place(cause);
      return { kind: 'refused' };
    }
  }

  async function loadTheirs() {
    if (!page) return;
    take(await queryClient.fetchQuery(pageQuery(site, page.id)), null);
    forget();
    setErrors({});
    setError(null);
  }

  const isDirty =
    JSON.stringify(pageFieldsOf(form, saved.lists)) !== JSON.stringify(pageFieldsOf(saved, saved.lists));

  useEffect(() => {
    keep(isDirty ? { form, ...(version === undefined ? {} : { version }) } : null);
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isDirty, form, version]);

  function discard() {
    forget();
    setVersion(page?.version);
    dispatch({ type: 'set', values: saved });
  }

  const draft = { isRestored: restored !== null && isDirty, forget, discard };
  return { form, dispatch, errors, error, isDirty, isSaving: mutation.isPending, save, loadTheirs, draft };
}
