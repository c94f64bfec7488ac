import { password } from '#contract/accounts.ts';
import { readEmail } from '#contract/email-address.ts';

export type FieldProblem =
  | 'username_or_email'
  | 'username'
  | 'email'
  | 'username_at'
  | 'too_long'
  | 'password'
  | 'password_short'
  | 'password_long';

export function usernameProblem(value: string): FieldProblem | null {
  const name = value.trim();
  if (name === '') return 'username';
  if (name.includes('@')) return 'username_at';
  return name.length > 60 ? 'too_long' : null;
}

export function emailProblem(value: string): FieldProblem | null {
  return readEmail(value) === null ? 'email' : null;
}

export function newPasswordProblem(value: string): FieldProblem | null {
  if (password.safeParse(value).success) return null;
  return value.length < 10 ? 'password_short' : 'password_long';
}

/** Of an account that exists: only the server knows whether they are right. */
export function loginNameProblem(value: string): FieldProblem | null {
  return value.trim() === '' ? 'username_or_email' : null;
}

export function passwordProblem(value: string): FieldProblem | null {
  return value === '' ? 'password' : null;
}
