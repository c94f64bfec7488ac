import { ApiError } from '#contract/client.ts';
import type { ErrorBody, ErrorCode } from '#contract/errors.ts';

/** A call that failed. `status` 0: no answer came, or none that could be read. */
export class SaysoError extends Error {
  readonly status: number;
  /** The first error's code; null if the server sent none. */
  readonly code: ErrorCode | null;
  /** Dotted path of the field that is wrong; null: none in particular. */
  readonly field: string | null;
  readonly errors: ErrorBody['meta']['errors'];
  readonly data: ErrorBody['data'];
  /** Include it when you report a problem. */
  readonly requestId: string | null;

  constructor(message: string, { status, errors, data, requestId }: ApiError, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SaysoError';
    this.status = status;
    this.code = errors[0]?.code ?? null;
    this.field = errors[0]?.field ?? null;
    this.errors = errors;
    this.data = data;
    this.requestId = requestId;
  }
}

/** @param cause why no answer came */
export function saysoErrorOf(error: unknown, server: string, cause: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const message =
    error.status === 0
      ? `No usable answer came from ${server}. Check the URL and the network, then try again.`
      : error.message;
  return new SaysoError(message, error, cause);
}
