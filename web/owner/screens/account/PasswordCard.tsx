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
import { EmailSent } from '../../components/EmailSent.tsx';
import { mailResetLink } from '../auth/auth.api.ts';
import { passwordProblem } from '../auth/auth.logic.ts';
import { NewPasswordField } from '../auth/NewPasswordField.tsx';
import { useFieldRule } from '../auth/use-field-rule.ts';
import { useSecondStep } from '../../session/pending-second-step.ts';
import { changePassword } from './account.api.ts';
import { isWrongPassword } from './wrong-password.ts';

export function PasswordCard({ account }: { account: Account }) {
  return account.has_usable_password ? (
    <ChangePassword account={account} />
  ) : (
    <FirstPassword email={account.email} />
  );
}

/** Where to return after the second step. */
const SECURITY = '/account-settings?section=security';

function ChangePassword({ account }: { account: Account }) {
  const { t } = useTranslation('account');
  const rule = useFieldRule();
  const errorText = useErrorText();
  const goToSecondStep = useSecondStep();
  const [error, setError] = useState<unknown>(null);
  const {
    control,
    handleSubmit,
    reset,
    setError: setFieldError,
    formState,
  } = useForm({ defaultValues: { current_password: '', password: '' } });

  const submit = handleSubmit(async (values) => {
    setError(null);
    try {
      await changePassword(account.username, values);
      reset();
      toast(t('password.saved'));
    } catch (cause) {
      if (goToSecondStep(cause, SECURITY)) return;
      if (isWrongPassword(cause)) {
        setFieldError('current_password', { message: t('password.wrong') }, { shouldFocus: true });
      } else if (!showFieldErrors(cause, ['current_password', 'password'], setFieldError, errorText)) {
        setError(cause);
      }
    }
  });

  return (
    <Form onSubmit={submit}>
      <Card
        title={t('password.title')}
        description={t('password.description')}
        footer={
          <Button type="submit" isPending={formState.isSubmitting} isDisabled={!formState.isDirty}>
            {t('password.change')}
          </Button>
        }
      >
        <input type="text" name="username" autoComplete="username" value={account.username} readOnly hidden />
        <div className="grid gap-5 sm:grid-cols-2">
          <FormTextField
            control={control}
            name="current_password"
            rules={rule(passwordProblem)}
            label={t('password.current')}
            type="password"
            autoComplete="current-password"
          />
          <NewPasswordField
            control={control}
            name="password"
            label={t('password.new')}
            own={[account.username, account.email]}
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

/** An account created with Google has no password; a mailed link sets the first one. */
function FirstPassword({ email }: { email: string }) {
  const { t } = useTranslation('account');
  const [state, setState] = useState<'idle' | 'pending' | 'sent'>('idle');
  const [error, setError] = useState<unknown>(null);

  async function send() {
    setState('pending');
    setError(null);
    try {
      await mailResetLink(email);
      setState('sent');
    } catch (cause) {
      setError(cause);
      setState('idle');
    }
  }

  return (
    <Card title={t('password.title')} description={t('password.none')}>
      <div className="flex flex-col items-start gap-3">
        <FormError error={error} />
        {state === 'sent' ? (
          <div role="status">
            <EmailSent>
              <p>{t('password.sent', { email })}</p>
            </EmailSent>
          </div>
        ) : (
          <Button isPending={state === 'pending'} onPress={() => void send()}>
            {t('password.send_link')}
          </Button>
        )}
      </div>
    </Card>
  );
}
