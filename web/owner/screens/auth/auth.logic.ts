import { password } from '#contract/accounts.ts';
import { STRICT_EMAIL } from '#contract/fields.ts';

export type FieldProblem =
  | 'required'
  | 'email'
  | 'username_at'
  | 'too_long'
  | 'password_short'
  | 'password_long';

export function usernameProblem(value: string): FieldProblem | null {
  const name = value.trim();
  if (name === '') return 'required';
  if (name.includes('@')) return 'username_at';
  return name.length > 60 ? 'too_long' : null;
}

export function emailProblem(value: string): FieldProblem | null {
  const email = value.trim();
  if (email === '') return 'required';
  return STRICT_EMAIL.test(email) ? null : 'email';
}

export function newPasswordProblem(value: string): FieldProblem | null {
  if (value === '') return 'required';
  if (password.safeParse(value).success) return null;
  return value.length < 10 ? 'password_short' : 'password_long';
}

export function requiredProblem(value: string): FieldProblem | null {
  return value.trim() === '' ? 'required' : null;
}
