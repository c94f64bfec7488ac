import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { ApiError } from '#contract/client.ts';

/**
 * Puts the server's complaints beside their fields.
 * Gives true when each had its field; otherwise the form still has to show the error as a whole.
 */
export function showFieldErrors<Values extends FieldValues>(
  error: unknown,
  fields: readonly FieldPath<Values>[],
  setError: UseFormSetError<Values>,
  textOf: (error: ApiError) => string,
): boolean {
  if (!(error instanceof ApiError) || error.errors.length === 0) return false;
  let placed = 0;
  for (const item of error.errors) {
    const field = fields.find((one) => one === item.field);
    if (!field) continue;
    placed += 1;
    const single = new ApiError(error.status, { message: item.message, meta: { errors: [item] } }, null);
    setError(field, { type: 'server', message: textOf(single) }, { shouldFocus: placed === 1 });
  }
  return placed === error.errors.length;
}
