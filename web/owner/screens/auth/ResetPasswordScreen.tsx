import { AskResetLink } from './AskResetLink.tsx';
import { SetPassword } from './SetPassword.tsx';

/** With the mail's `?token=` it sets the password; without, it asks for the mail. */
export function ResetPasswordScreen({ token }: { token: string | undefined }) {
  return token === undefined ? <AskResetLink /> : <SetPassword token={token} />;
}
