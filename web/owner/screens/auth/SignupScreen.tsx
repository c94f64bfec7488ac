import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { showFieldErrors } from '#web/ui/form-errors.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { createAccount } from './auth.api.ts';
import { emailProblem, usernameProblem } from './auth.logic.ts';
import { AuthLayout } from './AuthLayout.tsx';
import { GoogleButton } from './GoogleButton.tsx';
import { NewPasswordField } from './NewPasswordField.tsx';
import { ProductNote, ProductPicture } from './ProductPicture.tsx';
import { useFieldRule } from './use-field-rule.ts';

export function SignupScreen() {
  const { t } = useTranslation('auth');
  const navigate = useNavigate();
  const rule = useFieldRule();
  const errorText = useErrorText();
  const [error, setError] = useState<unknown>(null);
  const {
    control,
    handleSubmit,
    setError: setFieldError,
    formState,
  } = useForm({
    defaultValues: { username: '', email: '', password: '' },
  });

  const submit = handleSubmit(async (values) => {
    setError(null);
    try {
      await createAccount(values);
      await navigate({ to: '/signup-survey', replace: true });
    } catch (cause) {
      if (!showFieldErrors(cause, ['username', 'email', 'password'], setFieldError, errorText))
        setError(cause);
    }
  });

  return (
    <AuthLayout
      aside={<ProductPicture />}
      about={<ProductNote />}
      title={t('signup.title')}
      text={t('signup.text')}
      footer={
        <>
          {t('signup.have_account')} <TextLink to="/login">{t('signup.to_login')}</TextLink>
        </>
      }
    >
      <GoogleButton />
      <Form onSubmit={submit} className="flex flex-col gap-5">
        <FormTextField
          control={control}
          name="username"
          rules={rule(usernameProblem)}
          label={t('fields.username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck="false"
        />
        <FormTextField
          control={control}
          name="email"
          rules={rule(emailProblem)}
          label={t('fields.email')}
          type="email"
          autoComplete="email"
          placeholder="nora@example.com"
        />
        <NewPasswordField
          control={control}
          name="password"
          label={t('fields.password')}
          own={useWatch({ control, name: ['username', 'email'] })}
        />
        <FormError error={error} />
        <Button type="submit" variant="primary" isFullWidth isPending={formState.isSubmitting}>
          {t('signup.submit')}
        </Button>
      </Form>
    </AuthLayout>
  );
}
