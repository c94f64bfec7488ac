import { useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { ApiError } from '#contract/client.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useFormDraft } from '../../drafts/use-form-draft.ts';
import { RestoredNotice } from '../../drafts/RestoredNotice.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useSaveAction } from './actions.api.ts';
import { type ActionForm as ActionValues, formFieldOf } from './actions.logic.ts';
import { ActionForm } from './ActionForm.tsx';
import type { FreshSecret } from './SecretDialog.tsx';
import { useSuggestedName } from './use-suggested-name.ts';

interface ActionDialogProps {
  /** The initial form. */
  start: ActionValues;
  /** None: a new one. */
  action?: Action;
  onClose: () => void;
  onSecret: (secret: FreshSecret) => void;
}

const FORM_ID = 'action';

export function ActionDialog({ start, action, onClose, onSecret }: ActionDialogProps) {
  const { t } = useTranslation(['actions', 'ui']);
  const errorText = useErrorText();
  const save = useSaveAction(action?.id ?? null);
  const [error, setError] = useState<unknown>(null);
  const form = useForm<ActionValues>({ defaultValues: start });
  const suggestion = useSuggestedName(form.control);
  const { site_id } = useSite();
  const draft = useFormDraft(`action:${action?.id ?? `new:${site_id}`}`, form);

  function close() {
    draft.evict();
    onClose();
  }

  function placeErrors(cause: unknown): boolean {
    if (!(cause instanceof ApiError) || cause.errors.length === 0) return false;
    const fields = cause.errors.map((one) => formFieldOf(one, form.getValues('receiver')));
    cause.errors.forEach((one, index) => {
      const field = fields[index];
      const single = new ApiError(cause.status, { message: one.message, meta: { errors: [one] } }, null);
      if (field) form.setError(field, { message: errorText(single) }, { shouldFocus: index === 0 });
    });
    return fields.every((field) => field !== null);
  }

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    const name = values.name.trim() || suggestion;
    try {
      const saved = await save.mutateAsync({ ...values, name });
      close();
      if (saved.signing_secret) onSecret({ value: saved.signing_secret, isRotated: false });
      else toast(t('saved', { name: saved.name }));
    } catch (cause) {
      if (!placeErrors(cause)) setError(cause);
    }
  });

  return (
    <Dialog
      isOpen
      size="md"
      onOpenChange={close}
      title={action ? t('builder.edit_title') : t('builder.new_title')}
      footer={
        <>
          <Button onPress={close}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM_ID} variant="primary" isPending={form.formState.isSubmitting}>
            {action ? t('ui:save') : t('builder.create')}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-6">
        <RestoredNotice isShown={draft.isRestored} onDiscard={draft.discard} />
        <FormProvider {...form}>
          <ActionForm control={form.control} isNew={!action} />
        </FormProvider>
        <FormError error={error} />
      </form>
    </Dialog>
  );
}
