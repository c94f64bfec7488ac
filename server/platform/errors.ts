import { ERROR_STATUS, type ErrorBody, type ErrorCode, type FieldError } from '#contract/errors.ts';

/**
 * A refusal with a code of the closed list. `message` is public; `cause` is for the log only.
 * Anything else that is thrown answers 500 without its text.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly fields: FieldError[];
  readonly data: Record<string, unknown> | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      field?: string;
      fields?: FieldError[];
      data?: Record<string, unknown>;
      cause?: unknown;
      retryAfterSeconds?: number;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.fields = details.fields ?? [
      details.field === undefined ? { code, message } : { code, message, field: details.field },
    ];
    this.data = details.data ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }

  body(): ErrorBody {
    return { message: this.message, data: this.data, meta: { errors: this.fields } };
  }
}

export function notFound(what = 'This'): AppError {
  return new AppError('not_found', `${what} doesn't exist, or you don't have access to it.`);
}

export function invalidField(field: string, message: string): AppError {
  return new AppError('invalid_field', message, { field });
}

/** Node's error of a request whose client went away before all of it had arrived. */
export function isBrokenOff(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && error.message === 'aborted'
  );
}
