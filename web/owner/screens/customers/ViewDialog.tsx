import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { type CustomerView, MAX_VIEW_NAME, MAX_VIEWS_OF_SITE } from '#contract/customer-views.ts';
import type { CustomerFilter } from '#contract/customers.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { showFieldErrors } from '#web/ui/form-errors.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useSaveView } from './customer-views.api.ts';

const FORM_ID = 'view';

interface ViewDialogProps {
  /** null: a new one. */
  view: CustomerView | null;
  filter: CustomerFilter;
  onClose: () => void;
}

/** Names the filters that are on, or renames a view. */
export function ViewDialog({ view, filter, onClose }: ViewDialogProps) {
  const { t } = useTranslation(['customer-filters', 'ui']);
  const errorText = useErrorText();
  const save = useSaveView();
  const [error, setError] = useState<unknown>(null);
  const form = useForm({ defaultValues: { name: view?.name ?? '' } });
  const isFull = error instanceof ApiError && error.errors.some(({ code }) => code === 'limit_reached');

  const submit = form.handleSubmit(async ({ name }) => {
    setError(null);
    try {
      await save.mutateAsync({ id: view?.id ?? null, name: name.trim(), filter });
      toast(t('ui:saved'));
      onClose();
    } catch (cause) {
      if (!showFieldErrors(cause, ['name'], form.setError, errorText)) setError(cause);
    }
  });

  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t(view === null ? 'views.save' : 'views.rename')}
      description={view === null && t('views.help')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM_ID} variant="primary" isPending={form.formState.isSubmitting}>
            {t('ui:save')}
          </Button>
        </>
      }
    >
      <Form id={FORM_ID} onSubmit={submit} className="flex flex-col gap-4">
        <FormTextField
          control={form.control}
          name="name"
          rules={{ validate: (value) => value.trim() !== '' || t('views.name_missing') }}
          label={t('views.name')}
          maxLength={MAX_VIEW_NAME}
          autoComplete="off"
          autoFocus
        />
        {isFull ? (
          <Notice tone="danger">{t('views.limit', { max: MAX_VIEWS_OF_SITE })}</Notice>
        ) : (
          <FormError error={error} />
        )}
      </Form>
    </Dialog>
  );
}
