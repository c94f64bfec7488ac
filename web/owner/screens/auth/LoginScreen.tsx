import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { useSecondStep } from '../../session/pending-second-step.ts';
import { logInWithPassword } from './auth.api.ts';
import { loginNameProblem, passwordProblem } from './auth.logic.ts';
import { AuthLayout } from './AuthLayout.tsx';
import { GoogleButton } from './GoogleButton.tsx';
import { ProductNote, ProductPicture } from './ProductPicture.tsx';
import { useFieldRule } from './use-field-rule.ts';

interface LoginScreenProps {
  next: string | undefined;
  isAccountDeleted: boolean;
}

export function LoginScreen({ next, isAccountDeleted }: LoginScreenProps) {
  const { t } = useTranslation('auth');
  const navigate = useNavigate();
  const rule = useFieldRule();
  const goToSecondStep = useSecondStep();
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState } = useForm({ defaultValues: { username: '', password: '' } });

  const submit = handleSubmit(async (values) => {
    setError(null);
    try {
      await logInWithPassword(values);
      await navigate({ href: next ?? '/dashboard', replace: true });
    } catch (cause) {
      if (!goToSecondStep(cause, next)) setError(cause);
    }
  });

  return (
    <AuthLayout
      aside={<ProductPicture />}
      about={<ProductNote />}
      title={t('login.title')}
      footer={
        <>
          {t('login.no_account')} <TextLink to="/signup">{t('login.to_signup')}</TextLink>
        </>
      }
    >
      {isAccountDeleted && (
        <div role="status">
          <Notice tone="success">{t('login.account_deleted')}</Notice>
        </div>
      )}
      <GoogleButton next={next} />
      <Form onSubmit={submit} className="flex flex-col gap-5">
        <FormTextField
          control={control}
          name="username"
          rules={rule(loginNameProblem)}
          label={t('fields.username_or_email')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck="false"
        />
        <div className="relative">
          <FormTextField
            control={control}
            name="password"
            rules={rule(passwordProblem)}
            label={t('fields.password')}
            type="password"
            autoComplete="current-password"
          />
          <span className="absolute top-0 right-0 text-[13px]">
            <TextLink to="/reset-password">{t('login.forgot')}</TextLink>
          </span>
        </div>
        <FormError error={error} />
        <Button type="submit" variant="primary" isFullWidth isPending={formState.isSubmitting}>
          {t('login.submit')}
        </Button>
      </Form>
    </AuthLayout>
  );
}
