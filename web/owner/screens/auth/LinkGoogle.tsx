import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { Button } from '#web/ui/Button.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { useSendsEmail } from '../../api/app-settings.ts';
import { EmailSent } from '../../components/EmailSent.tsx';
import { useSecondStep } from '../../session/pending-second-step.ts';
import { linkGoogleByPassword, mailLinkForGoogle } from './auth.api.ts';
import { passwordProblem } from './auth.logic.ts';
import type { LinkClaim } from './link-claim.ts';
import { useFieldRule } from './use-field-rule.ts';

interface LinkGoogleProps {
  claim: LinkClaim;
  /** Where to go after the second step. */
  next?: string | undefined;
  /** The accounts are linked, and the person is logged in. */
  onLinked: () => void;
}

/** Proves that the account with the same address is theirs, by its password or its mailbox. */
export function LinkGoogle({ claim, next, onLinked }: LinkGoogleProps) {
  const { t } = useTranslation('auth');
  const { email, hasPassword } = claim;
  const sendsEmail = useSendsEmail();
  const [isSent, setIsSent] = useState(false);
  if (isSent) {
    return (
      <div role="status" className="flex gap-3">
        {sendsEmail && <MailCheck size={20} aria-hidden className="shrink-0 text-success" />}
        <div className="flex min-w-0 flex-col gap-1 break-words">
          <EmailSent>
            <p>{t('link.sent', { email })}</p>
          </EmailSent>
        </div>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-5">
      <p className="break-words">{t(hasPassword ? 'link.text' : 'link.text_no_password', { email })}</p>
      {hasPassword && <ByPassword claim={claim} next={next} onLinked={onLinked} />}
      <ByMail claim={claim} onSent={() => setIsSent(true)} />
    </div>
  );
}

function ByPassword({ claim, next, onLinked }: LinkGoogleProps) {
  const { t } = useTranslation('auth');
  const goToSecondStep = useSecondStep();
  const rule = useFieldRule();
  const [error, setError] = useState<unknown>(null);
  const {
    control,
    handleSubmit,
    formState,
    setError: setFieldError,
  } = useForm({
    defaultValues: { password: '' },
  });

  const submit = handleSubmit(async ({ password }) => {
    setError(null);
    try {
      await linkGoogleByPassword(claim.linkToken, password);
      onLinked();
    } catch (cause) {
      if (goToSecondStep(cause, next)) return;
      const isWrong = cause instanceof ApiError && cause.errors[0]?.code === 'invalid_credentials';
      if (isWrong) setFieldError('password', { message: t('link.wrong') }, { shouldFocus: true });
      else setError(cause);
    }
  });

  return (
    <Form onSubmit={submit} className="flex flex-col gap-4">
      <input type="text" name="username" autoComplete="username" value={claim.email} readOnly hidden />
      <FormTextField
        control={control}
        name="password"
        rules={rule(passwordProblem)}
        label={t('link.password')}
        type="password"
        autoComplete="current-password"
      />
      <FormError error={error} />
      <Button type="submit" variant="primary" isFullWidth isPending={formState.isSubmitting}>
        {t('link.submit')}
      </Button>
    </Form>
  );
}

function ByMail({ claim, onSent }: { claim: LinkClaim; onSent: () => void }) {
  const { t } = useTranslation('auth');
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function send() {
    setIsPending(true);
    setError(null);
    try {
      await mailLinkForGoogle(claim.linkToken);
      onSent();
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  return (
    <div className="flex flex-col gap-2">
      <FormError error={error} />
      <Button isFullWidth isPending={isPending} onPress={() => void send()}>
        {t('link.mail')}
      </Button>
      {claim.hasPassword && <p className="text-[13px] text-ink-muted">{t('link.mail_hint')}</p>}
    </div>
  );
}
