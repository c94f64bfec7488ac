import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#server/platform/errors.ts';
import { foldText, nameKey } from './account-names.ts';

/** Made by scripts/common-passwords.mjs; those below the shortest length that is taken are not in it. */
const COMMON_PASSWORDS = new Set(
  readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8')
    .trimEnd()
    .split('\n'),
);

function isNameOf(account: { username: string; email: string }, key: string): boolean {
  const email = nameKey(account.email);
  return [nameKey(account.username), email, email.slice(0, email.lastIndexOf('@'))].includes(key);
}

/**
 * What a stranger would try first: the account's own name or address, and passwords that everybody uses.
 * @throws AppError `password_is_name`, `common_password`
 */
export function rejectGuessablePassword(
  password: string,
  account: { username: string; email: string },
): void {
  if (isNameOf(account, nameKey(password))) {
    throw new AppError(
      'password_is_name',
      'password: must not be your user name or your email; choose another one.',
      { field: 'password' },
    );
  }
  if (COMMON_PASSWORDS.has(foldText(password))) {
    throw new AppError(
      'common_password',
      'password: is on the list of the most common passwords; choose one that nobody else uses.',
      { field: 'password' },
    );
  }
}
