import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Account } from '#contract/accounts.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { showFieldErrors } from '#web/ui/form-errors.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { updateAccount } from '../../account/account.ts';
import { usernameProblem } from '../auth/auth.logic.ts';
import { useFieldRule } from '../auth/use-field-rule.ts';

export function ProfileCard({ account }: { account: Account }) {
  const { t } = useTranslation('account');
  const rule = useFieldRule();
  const errorText = useErrorText();
  const [error, setError] = useState<unknown>(null);
  const { first_name, last_name, username } = account;
  const {
    control,
    handleSubmit,
    reset,
    setError: setFieldError,
    formState,
  } = useForm({ defaultValues: { first_name, last_name, username } });

  const submit = handleSubmit(async (values) => {
    setError(null);
    try {
      const saved = await updateAccount(account.id, values);
      reset({ first_name: saved.first_name, last_name: saved.last_name, username: saved.username });
      toast(t('profile.saved'));
    } catch (cause) {
      if (!showFieldErrors(cause, ['first_name', 'last_name', 'username'], setFieldError, errorText))
        setError(cause);
    }
  });

  return (
    <Form onSubmit={submit}>
      <Card
        title={t('profile.title')}
        footer={
          <Button
            type="submit"
            variant="primary"
            isPending={formState.isSubmitting}
            isDisabled={!formState.isDirty}
          >
            {t('profile.save')}
          </Button>
        }
      >
        <div className="grid gap-5 sm:grid-cols-2">
          <FormTextField
            control={control}
            name="first_name"
            label={t('profile.first_name')}
            autoComplete="given-name"
            maxLength={60}
          />
          <FormTextField
            control={control}
            name="last_name"
            label={t('profile.last_name')}
            autoComplete="family-name"
            maxLength={60}
          />
          <FormTextField
            control={control}
            name="username"
            rules={rule(usernameProblem)}
            label={t('profile.username')}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck="false"
          />
          {error !== null && (
            <div className="sm:col-span-2">
              <FormError error={error} />
            </div>
          )}
        </div>
      </Card>
    </Form>
  );
}
