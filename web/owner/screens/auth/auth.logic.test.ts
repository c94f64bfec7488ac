import { expect, it } from 'vitest';
import {
  emailProblem,
  loginNameProblem,
  newPasswordProblem,
  passwordProblem,
  usernameProblem,
} from './auth.logic.ts';

it('a username must not contain @', () => {
  expect(usernameProblem(' ')).toBe('username');
  expect(usernameProblem('nora@example.com')).toBe('username_at');
  expect(usernameProblem('n'.repeat(61))).toBe('too_long');
  expect(usernameProblem('nora')).toBeNull();
});

it('an email must be an email address', () => {
  expect(emailProblem('')).toBe('email');
  expect(emailProblem('nora@example')).toBe('email');
  expect(emailProblem(' nora@example.com ')).toBeNull();
});

it('a password must have 10 to 200 characters', () => {
  expect(newPasswordProblem('')).toBe('password_short');
  expect(newPasswordProblem('123456789')).toBe('password_short');
  expect(newPasswordProblem('p'.repeat(201))).toBe('password_long');
  expect(newPasswordProblem('1234567890')).toBeNull();
});

it('logging in requires a username or email and a password, whatever they are', () => {
  expect(loginNameProblem(' ')).toBe('username_or_email');
  expect(loginNameProblem('nora@example.com')).toBeNull();
  expect(passwordProblem('')).toBe('password');
  expect(passwordProblem(' ')).toBeNull();
});
