import { ApiError } from '#contract/client.ts';
import { type FailedCheck, failedChecks } from '#contract/page-checks.ts';
import { hasErrorCode } from '../api/error-codes.ts';

/** Why the API refused to publish, where a reason overrides it. */
export function failedChecksIn(cause: unknown): FailedCheck[] | null {
  if (!(cause instanceof ApiError) || !hasErrorCode(cause, 'checks_failed')) return null;
  const { success, data } = failedChecks.safeParse(cause.data);
  return success ? data.checks : null;
}
