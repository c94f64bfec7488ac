import { ApiError } from '#contract/client.ts';

export function isWrongPassword(error: unknown): boolean {
  return error instanceof ApiError && error.errors.some((item) => item.field === 'current_password');
}
