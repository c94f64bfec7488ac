import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { useSendsEmail } from '../../api/app-settings.ts';
import { EmailSent } from '../../components/EmailSent.tsx';
import { mailResetLink } from './auth.api.ts';
import { emailProblem } from './auth.logic.ts';
import { AuthLayout } from './AuthLayout.tsx';
import { useFieldRule } from './use-field-rule.ts';

export function AskResetLink() {
  const { t } = useTranslation('auth');
  const rule = useFieldRule();
  const sendsEmail = useSendsEmail();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState } = useForm({ defaultValues: { email: '' } });

  const submit = handleSubmit(async ({ email }) => {
    setError(null);
    try {
      await mailResetLink(email);
      setSentTo(email.trim());
    } catch (cause) {
      setError(cause);
    }
  });

  const footer = <TextLink to="/login">{t('reset.to_login')}</TextLink>;

  if (sentTo !== null) {
    return (
      <AuthLayout title={t(sendsEmail ? 'reset.sent_title' : 'reset.title')} footer={footer}>
        <div role="status" className="flex gap-3 rounded-lg border border-line bg-surface p-4">
          {sendsEmail && <MailCheck size={20} aria-hidden className="shrink-0 text-success" />}
          <div className="flex min-w-0 flex-col gap-1 break-words">
            {!sendsEmail && <p>{t('reset.stored_text', { email: sentTo })}</p>}
            <EmailSent>
              <p>{t('reset.sent_text', { email: sentTo })}</p>
            </EmailSent>
          </div>
        </div>
        <div className="mt-4">
          <Button onPress={() => setSentTo(null)}>{t('reset.other_address')}</Button>
        </div>
      </AuthLayout>
    );
  }

  return (
    <AuthLayout title={t('reset.title')} text={t('reset.text')} footer={footer}>
      <Form onSubmit={submit} className="flex flex-col gap-5">
        <FormTextField
          control={control}
          name="email"
          rules={rule(emailProblem)}
          label={t('fields.email')}
          type="email"
          autoComplete="email"
          placeholder="nora@example.com"
        />
        <FormError error={error} />
        <Button type="submit" variant="primary" isFullWidth isPending={formState.isSubmitting}>
          {t('reset.submit')}
        </Button>
      </Form>
    </AuthLayout>
  );
}
