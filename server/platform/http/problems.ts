import type { FastifyError } from 'fastify';
import type { z } from 'zod';
import type { ErrorCode, FieldError } from '#contract/errors.ts';
import {
  isDatabaseAway,
  isDeadlock,
  isDiskFull,
  isUnstorableText,
  UndecidedCommit,
} from '../database-errors.ts';
import { AppError, isBrokenOff } from '../errors.ts';

type Issue = z.core.$ZodIssue;

/** The union branch that the caller most likely meant: the one with the fewest unknown or missing fields. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const distance = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? 1 + issue.keys.length : 1), 0);
  return [...branches].toSorted((a, b) => distance(a) - distance(b))[0] ?? [];
}

function fieldErrorsOf(issue: Issue, kind: string, prefix: PropertyKey[] = []): FieldError[] {
  const path = [...prefix, ...issue.path];
  const field = path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const name = field === '' ? key : `${field}.${key}`;
      return {
        code: 'unknown_field',
        message: `${name}: isn't a ${kind} of this call. Leave it out.`,
        field: name,
      };
    });
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return closestBranch(issue.errors).flatMap((inner) => fieldErrorsOf(inner, kind, path));
  }
  const name = field === '' ? 'body' : field;
  return [{ code: 'invalid_field', message: `${name}: ${issue.message.replace(/\.?$/, '.')}`, field: name }];
}

/** Converts validation errors to the response: 404 for the path's parameters, else 422 with each field. */
export class ValidationProblem extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super('The request does not fit the contract');
    this.issues = issues;
  }

  toAppError(part: string | undefined): AppError {
    if (part === 'params')
      return new AppError('not_found', "This doesn't exist, or you don't have access to it.");
    const kind = part === 'querystring' ? 'query parameter' : 'field';
    const fields = this.issues.flatMap((issue) => fieldErrorsOf(issue, kind));
    const first = fields[0];
    return new AppError(first?.code ?? 'invalid_field', first?.message ?? "The request isn't valid.", {
      fields,
    });
  }
}

const FASTIFY_CODES: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['bad_json', "The body isn't valid JSON."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['bad_json', 'The body is empty. Send JSON.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is too large. Send at most 256 kB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', "The body doesn't match its Content-Length."],
  FST_ERR_BAD_URL: ['not_found', 'There is nothing at this URL.'],
};

/** Reads still work; nothing was saved. */
export function diskFull(cause?: unknown): AppError {
  return new AppError('unavailable', "The database's disk is full, so nothing was saved. Try again later.", {
    cause,
    retryAfterSeconds: 30,
  });
}

/** Converts anything thrown to a response; unknown errors become 500 without details. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const known = error as Partial<FastifyError>;
  if (error instanceof ValidationProblem) return error.toAppError(known.validationContext);
  const mapped = FASTIFY_CODES[known.code ?? ''];
  if (mapped !== undefined) return new AppError(mapped[0], mapped[1]);
  // Nobody reads the answer.
  if (isBrokenOff(error)) {
    return new AppError('bad_request', 'The request broke off before all of it had arrived. Send it again.', {
      cause: error,
    });
  }
  if (error instanceof UndecidedCommit) {
    return new AppError(
      'unavailable',
      'The connection to the database was lost while saving. Check whether your change was saved before you try again.',
      { cause: error, retryAfterSeconds: 2 },
    );
  }
  if (isDatabaseAway(error)) {
    return new AppError('unavailable', "We can't reach the database right now. Try again.", {
      cause: error,
      retryAfterSeconds: 2,
    });
  }
  if (isDiskFull(error)) return diskFull(error);
  // After several tries, each rolled back.
  if (isDeadlock(error)) {
    return new AppError(
      'unavailable',
      'Others are changing the same data right now, so nothing was saved. Try again.',
      {
        cause: error,
        retryAfterSeconds: 1,
      },
    );
  }
  if (isUnstorableText(error)) {
    return new AppError('invalid_field', "A text contains a character that can't be stored.", {
      cause: error,
    });
  }
  if (typeof known.statusCode === 'number' && known.statusCode >= 400 && known.statusCode < 500) {
    return new AppError('bad_request', "We can't read this request.", { cause: error });
  }
  return new AppError('internal', 'Something went wrong on our side. Nothing was changed.', { cause: error });
}
