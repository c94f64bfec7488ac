import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Integration } from '#contract/integrations.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { showFieldErrors } from '#web/ui/form-errors.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useChangeIntegration } from './integrations.api.ts';

const FORM_ID = 'rename';

export function RenameDialog({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { t } = useTranslation(['integrations', 'ui']);
  const errorText = useErrorText();
  const change = useChangeIntegration(integration.id);
  const [error, setError] = useState<unknown>(null);
  const form = useForm({ defaultValues: { name: integration.name } });

  const submit = form.handleSubmit(async ({ name }) => {
    setError(null);
    try {
      await change.mutateAsync({ name: name.trim() });
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
      title={t('detail.rename')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM_ID} variant="primary" isPending={form.formState.isSubmitting}>
            {t('detail.rename')}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <FormTextField
          control={form.control}
          name="name"
          rules={{ validate: (value) => value.trim() !== '' || t('error.name') }}
          label={t('field.name')}
          maxLength={100}
          autoComplete="off"
        />
        <FormError error={error} />
      </form>
    </Dialog>
  );
}
