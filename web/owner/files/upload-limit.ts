import { ApiError } from '#contract/client.ts';

/** Whether something in front of the server refused a file as too large: the server itself says so with a code. */
export function isLimitOfProxy(error: unknown): boolean {
  return error instanceof ApiError && error.status === 413 && error.errors.length === 0;
}
