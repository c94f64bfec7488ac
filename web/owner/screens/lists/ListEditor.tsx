import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { List, ListFields as ListBody } from '#contract/lists.ts';
import type { FailedCheck } from '#contract/page-checks.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useFormDraft } from '../../drafts/use-form-draft.ts';
import { hasErrorCode } from '../../api/error-codes.ts';
import { ChangedMeanwhile } from '../../components/ChangedMeanwhile.tsx';
import { failedChecksIn } from '../../components/failed-checks.ts';
import { FormBar } from '../../components/FormBar.tsx';
import { OverrideDialog } from '../../components/OverrideDialog.tsx';
import { RestoredNotice } from '../../drafts/RestoredNotice.tsx';
import { useUnsavedGuard } from '../../drafts/unsaved-guard.tsx';
import { ListFields, TranslationFields } from './ListFields.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useSaveList } from './lists.api.ts';
import { formFieldOf, type ListForm, listFieldsOf, listFormOf } from './lists.logic.ts';

export interface ListEditorProps {
  /** As it was read when the editor opened; none: a new one. */
  list?: List;
  /** Opens the editor again with the list as it is now. */
  onReload?: () => Promise<void>;
  /** Called with the saved list, or without one on cancel. */
  onDone: (saved?: List) => void;
}

/** A draft of a list that was changed since is not restored: it would take that change back. */
function draftName(list: List | undefined, siteId: string): string {
  return list === undefined ? `list:new:${siteId}` : `list:${list.id}:${list.updated_at}`;
}

export function ListEditor({ list, onReload, onDone }: ListEditorProps) {
  const { t } = useTranslation(['lists', 'editing', 'ui']);
  const errorText = useErrorText();
  const save = useSaveList(list);
  const [error, setError] = useState<unknown>(null);
  const [held, setHeld] = useState<FailedCheck[] | null>(null);
  const form = useForm<ListForm>({ defaultValues: listFormOf(list) });
  const { control, handleSubmit, setError: setFieldError, formState } = form;
  const { site_id } = useSite();
  const draft = useFormDraft(draftName(list, site_id), form);
  const guard = useUnsavedGuard(formState.isDirty, draft.evict);

  function placeErrors(cause: unknown, sent: ListBody): boolean {
    if (hasErrorCode(cause, 'conflict') || !(cause instanceof ApiError) || cause.errors.length === 0)
      return false;
    const fields = cause.errors.map((one) => formFieldOf(one, sent));
    cause.errors.forEach((one, index) => {
      const field = fields[index];
      const single = new ApiError(cause.status, { message: one.message, meta: { errors: [one] } }, null);
      if (field) setFieldError(field, { message: errorText(single) }, { shouldFocus: index === 0 });
    });
    return fields.every((field) => field !== null);
  }

  const submitWith = (reason?: string) =>
    handleSubmit(async (values) => {
      setError(null);
      const fields = listFieldsOf(values);
      try {
        const override = reason === undefined ? undefined : { reason };
        const saved = await save.mutateAsync({ fields, override });
        guard.allow();
        draft.evict();
        onDone(saved);
      } catch (cause) {
        const checks = failedChecksIn(cause);
        setHeld(checks);
        if (!checks && !placeErrors(cause, fields)) setError(cause);
      }
    });

  async function reload() {
    await onReload?.();
    draft.evict();
  }

  return (
    <>
      <Form onSubmit={submitWith()} className="flex max-w-4xl flex-col gap-6">
        <RestoredNotice isShown={draft.isRestored} onDiscard={draft.discard} />
        <Card>
          <ListFields control={control} />
        </Card>
        <Card title={t('translations.title')} description={t('translations.help')} isPadded={false}>
          <TranslationFields control={control} />
        </Card>
        {onReload && hasErrorCode(error, 'conflict') ? (
          <ChangedMeanwhile onReload={reload} />
        ) : (
          <FormError error={error} />
        )}
        <FormBar status={formState.isDirty ? t('editing:unsaved') : ''}>
          <Button onPress={() => onDone()}>{t('ui:cancel')}</Button>
          <Button type="submit" variant="primary" isPending={formState.isSubmitting}>
            {list ? t('ui:save') : t('editor.create')}
          </Button>
        </FormBar>
        {guard.dialog}
      </Form>
      {held && (
        <OverrideDialog
          checks={held}
          isList
          onClose={() => setHeld(null)}
          onPublish={(reason) => submitWith(reason)()}
        />
      )}
    </>
  );
}
