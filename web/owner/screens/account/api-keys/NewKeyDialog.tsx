import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { NewApiKey } from '#contract/api-keys.ts';
import { KEY_SCOPES, type KeyScope } from '#contract/roles.ts';
import { Button } from '#web/ui/Button.tsx';
import { CheckboxField } from '#web/ui/CheckboxField.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { showFieldErrors } from '#web/ui/form-errors.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { useCreateKey } from './api-keys.api.ts';
import { endOf, LIFETIMES, type Lifetime } from './api-keys.logic.ts';

const FORM_ID = 'new-key';

interface Values {
  name: string;
  scopes: KeyScope[];
  lifetime: Lifetime;
}

interface NewKeyDialogProps {
  onClose: () => void;
  onMade: (key: NewApiKey) => void;
}

export function NewKeyDialog({ onClose, onMade }: NewKeyDialogProps) {
  const { t } = useTranslation(['api-keys', 'ui']);
  const errorText = useErrorText();
  const create = useCreateKey();
  const [error, setError] = useState<unknown>(null);
  const form = useForm<Values>({ defaultValues: { name: '', scopes: ['customers'], lifetime: 'never' } });

  const submit = form.handleSubmit(async ({ name, scopes, lifetime }) => {
    setError(null);
    try {
      const expires_at = endOf(lifetime);
      onMade(await create.mutateAsync({ name: name.trim(), scopes, expires_at }));
    } catch (cause) {
      if (!showFieldErrors(cause, ['name', 'scopes'], form.setError, errorText)) setError(cause);
    }
  });

  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('new')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM_ID} variant="primary" isPending={form.formState.isSubmitting}>
            {t('make')}
          </Button>
        </>
      }
    >
      <Form id={FORM_ID} onSubmit={submit} className="flex flex-col gap-5">
        <FormTextField
          control={form.control}
          name="name"
          rules={{
            validate: (value) =>
              (typeof value === 'string' && value.trim() !== '') || t('field.name_problem'),
          }}
          label={t('field.name')}
          description={t('field.name_help')}
          maxLength={100}
          autoComplete="off"
        />
        <Controller
          control={form.control}
          name="scopes"
          rules={{ validate: (value) => value.length > 0 || t('field.scopes_problem') }}
          render={({ field, fieldState }) => (
            <Scopes value={field.value} onChange={field.onChange} problem={fieldState.error?.message} />
          )}
        />
        <Controller
          control={form.control}
          name="lifetime"
          render={({ field }) => (
            <SelectField
              label={t('field.lifetime')}
              options={LIFETIMES.map((one) => ({ value: one, label: t(`lifetime.${one}`) }))}
              value={field.value}
              onChange={field.onChange}
            />
          )}
        />
        <FormError error={error} />
      </Form>
    </Dialog>
  );
}

interface ScopesProps {
  value: KeyScope[];
  onChange: (scopes: KeyScope[]) => void;
  problem: string | undefined;
}

function Scopes({ value, onChange, problem }: ScopesProps) {
  const { t } = useTranslation('api-keys');
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-2 font-medium">{t('field.scopes')}</legend>
      {KEY_SCOPES.map((scope) => (
        <CheckboxField
          key={scope}
          label={<code className="font-mono text-[13px]">{scope}</code>}
          description={t(`scope_help.${scope}`)}
          isSelected={value.includes(scope)}
          onChange={(isOn) =>
            onChange(KEY_SCOPES.filter((one) => (one === scope ? isOn : value.includes(one))))
          }
        />
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-[13px] text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
