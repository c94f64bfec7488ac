import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { showFieldErrors } from '#web/ui/form-errors.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { toast } from '#web/ui/toast.tsx';
import { clearAuth } from '../../session/session.ts';
import { setPasswordByLink } from './auth.api.ts';
import { AuthLayout } from './AuthLayout.tsx';
import { NewPasswordField } from './NewPasswordField.tsx';

export function SetPassword({ token }: { token: string }) {
  const { t } = useTranslation('auth');
  const navigate = useNavigate();
  const errorText = useErrorText();
  const [error, setError] = useState<unknown>(null);
  const {
    control,
    handleSubmit,
    setError: setFieldError,
    formState,
  } = useForm({ defaultValues: { password: '' } });

  const submit = handleSubmit(async ({ password }) => {
    setError(null);
    try {
      await setPasswordByLink(token, password);
      // The server ended every session of the account, this browser's too.
      clearAuth();
      toast(t('reset.done'));
      await navigate({ to: '/login', replace: true });
    } catch (cause) {
      if (!showFieldErrors(cause, ['password'], setFieldError, errorText)) setError(cause);
    }
  });

  return (
    <AuthLayout
      title={t('reset.set_title')}
      text={t('reset.set_text')}
      footer={
        <>
          {t('reset.link_old')} <TextLink to="/reset-password">{t('reset.ask_again')}</TextLink>
        </>
      }
    >
      <Form onSubmit={submit} className="flex flex-col gap-5">
        <NewPasswordField control={control} name="password" label={t('fields.new_password')} />
        <FormError error={error} />
        <Button type="submit" variant="primary" isFullWidth isPending={formState.isSubmitting}>
          {t('reset.set_submit')}
        </Button>
      </Form>
    </AuthLayout>
  );
}
