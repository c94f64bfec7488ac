import { logIn, resetPassword } from '#contract/accounts.ts';
import { call } from '../../api.ts';
import { storeTokens } from '../../session.ts';

/** Changing the password ends every session of the account, so this one is opened anew. */
export async function changePassword(
  username: string,
  passwords: { current_password: string; password: string },
): Promise<void> {
  await call(resetPassword, { body: passwords });
  storeTokens(await call(logIn, { body: { username, password: passwords.password } }));
}
