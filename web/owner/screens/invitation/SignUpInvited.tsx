import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { INVITATION_PATH } from '#contract/app-paths.ts';
import { type Offer } from '#contract/members.ts';
import { Button } from '#web/ui/Button.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { showFieldErrors } from '#web/ui/form-errors.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { usernameProblem } from '../auth/auth.logic.ts';
import { GoogleButton } from '../auth/GoogleButton.tsx';
import { NewPasswordField } from '../auth/NewPasswordField.tsx';
import { useFieldRule } from '../auth/use-field-rule.ts';
import { type Enter, signUpAndAccept } from './invitation.api.ts';

interface SignUpInvitedProps {
  offer: Offer;
  token: string;
  onJoined: (keep: Enter) => void;
}

/** For logged-out people: sign up with the invited address, or log in to an existing account. */
export function SignUpInvited(props: SignUpInvitedProps) {
  const { offer, token } = props;
  const { t } = useTranslation('team');
  const back = `${INVITATION_PATH}?token=${token}`;
  if (offer.has_account) {
    return (
      <div className="flex flex-col gap-4">
        <p>{t('accept.has_account', { email: offer.email })}</p>
        <LinkButton to="/login" search={{ next: back }} variant="primary">
          {t('accept.log_in')}
        </LinkButton>
      </div>
    );
  }
  return (
    <>
      <GoogleButton next={back} />
      <NewAccount {...props} />
      <p className="mt-7 border-t border-line pt-5 text-ink-muted">
        {t('accept.have_account')}{' '}
        <TextLink to="/login" search={{ next: back }}>
          {t('accept.log_in')}
        </TextLink>
      </p>
    </>
  );
}

/** The account and its organization in one step: no survey. */
function NewAccount({ offer, token, onJoined }: SignUpInvitedProps) {
  const { email, organization_name: organization } = offer;
  const { t } = useTranslation(['team', 'auth']);
  const rule = useFieldRule();
  const errorText = useErrorText();
  const [error, setError] = useState<unknown>(null);
  const form = useForm({ defaultValues: { username: '', password: '' } });
  const username = useWatch({ control: form.control, name: 'username' });

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    try {
      onJoined(await signUpAndAccept(token, { ...values, email }));
    } catch (cause) {
      if (!showFieldErrors(cause, ['username', 'password'], form.setError, errorText)) setError(cause);
    }
  });

  return (
    <Form onSubmit={submit} className="flex flex-col gap-5">
      <TextField label={t('auth:fields.email')} value={email} isReadOnly />
      <FormTextField
        control={form.control}
        name="username"
        rules={rule(usernameProblem)}
        label={t('auth:fields.username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck="false"
      />
      <NewPasswordField
        control={form.control}
        name="password"
        label={t('auth:fields.password')}
        own={[username, email]}
      />
      <FormError error={error} />
      <Button type="submit" variant="primary" isFullWidth isPending={form.formState.isSubmitting}>
        {t('accept.sign_up', { organization })}
      </Button>
    </Form>
  );
}
