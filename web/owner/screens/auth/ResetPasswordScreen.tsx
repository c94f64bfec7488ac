import { AskResetLink } from './AskResetLink.tsx';
import { SetPassword } from './SetPassword.tsx';

/** With `?token=` from the mail it sets the password; without, it requests the mail. */
export function ResetPasswordScreen({ token }: { token: string | undefined }) {
  return token === undefined ? <AskResetLink /> : <SetPassword token={token} />;
}
