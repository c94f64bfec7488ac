import { ApiError } from '#contract/client.ts';

/** Whether the API refused with this code. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.errors.some((one) => one.code === code);
}
