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
import { Notice } from '#web/ui/Notice.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useSendsEmail } from '../../api/app-settings.ts';
import { EmailSent } from '../../components/EmailSent.tsx';
import { emailProblem, passwordProblem } from '../auth/auth.logic.ts';
import { useFieldRule } from '../auth/use-field-rule.ts';
import { requestEmailChange, withdrawEmail } from './account.api.ts';
import { isWrongPassword } from './wrong-password.ts';

/** The account keeps its email until the new mailbox has confirmed. */
export function AccountEmailCard({ account }: { account: Account }) {
  const { t } = useTranslation('account');
  const rule = useFieldRule();
  const errorText = useErrorText();
  const [error, setError] = useState<unknown>(null);
  const form = useForm({ defaultValues: { email: '', current_password: '' } });

  const submit = form.handleSubmit(async ({ email, current_password }) => {
    setError(null);
    try {
      await requestEmailChange(account.id, {
        email,
        ...(account.has_usable_password ? { current_password } : {}),
      });
      form.reset();
    } catch (cause) {
      if (isWrongPassword(cause)) {
        form.setError('current_password', { message: t('password.wrong') }, { shouldFocus: true });
      } else if (!showFieldErrors(cause, ['email'], form.setError, errorText)) {
        setError(cause);
      }
    }
  });

  return (
    <Form onSubmit={submit}>
      <Card
        title={t('email.title')}
        description={t('email.description')}
        footer={
          <Button type="submit" isPending={form.formState.isSubmitting} isDisabled={!form.formState.isDirty}>
            {t('email.change')}
          </Button>
        }
      >
        <div className="flex flex-col gap-5">
          {account.pending_email !== null && <Pending id={account.id} email={account.pending_email} />}
          <TextField label={t('email.current')} value={account.email} isReadOnly />
          <div className="grid gap-5 sm:grid-cols-2">
            <FormTextField
              control={form.control}
              name="email"
              rules={rule(emailProblem)}
              label={t('email.new')}
              type="email"
              autoComplete="email"
            />
            {account.has_usable_password && (
              <FormTextField
                control={form.control}
                name="current_password"
                rules={rule(passwordProblem)}
                label={t('password.current')}
                type="password"
                autoComplete="current-password"
              />
            )}
          </div>
          <FormError error={error} />
        </div>
      </Card>
    </Form>
  );
}

function Pending({ id, email }: { id: string; email: string }) {
  const { t } = useTranslation('account');
  const errorText = useErrorText();
  const sendsEmail = useSendsEmail();
  const [isPending, setIsPending] = useState(false);

  async function withdraw() {
    setIsPending(true);
    try {
      await withdrawEmail(id);
      toast(t('email.withdrawn'));
    } catch (cause) {
      toast(errorText(cause), { tone: 'error' });
      setIsPending(false);
    }
  }

  return (
    <div role="status">
      <Notice>
        <div className="flex flex-col items-start gap-2">
          {!sendsEmail && <p>{t('email.pending_stored', { email })}</p>}
          <EmailSent>
            <p>{t('email.pending', { email })}</p>
          </EmailSent>
          <Button size="sm" isPending={isPending} onPress={() => void withdraw()}>
            {t('email.withdraw')}
          </Button>
        </div>
      </Notice>
    </div>
  );
}
