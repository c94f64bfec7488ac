import { z } from 'zod';

/** The closed list of error codes with the HTTP status each answers. */
export const ERROR_STATUS = {
  bad_json: 400,
  bad_request: 400,
  no_id: 400,
  invalid_credentials: 401,
  token_not_valid: 401,
  second_factor_wrong: 401,
  proof_needed: 403,
  link_expired: 403,
  forbidden: 403,
  reauthentication_required: 403,
  second_factor_required: 403,
  second_factor_setup_required: 403,
  not_found: 404,
  customer_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  name_taken: 409,
  domain_taken: 409,
  username_taken: 409,
  email_taken: 409,
  path_taken: 409,
  error_exists: 409,
  link_used: 409,
  last_owner: 409,
  already_invited: 409,
  other_address: 409,
  has_organization: 409,
  link_required: 409,
  other_google_account: 409,
  other_tool_account: 409,
  password_required: 409,
  last_second_factor: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_field: 422,
  unknown_field: 422,
  reserved_name: 422,
  common_password: 422,
  password_is_name: 422,
  limit_reached: 422,
  checks_failed: 422,
  action_type_unavailable: 422,
  credentials_refused: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

export const fieldError = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  field: z.string().optional().describe('Dotted path of the offending field, e.g. `lists.0.name`.'),
});

/** The body of every answer that is not 2xx. */
export const errorBody = z.object({
  message: z.string().describe('For people: what is wrong and how to fix it.'),
  data: z.record(z.string(), z.unknown()).nullable(),
  meta: z.object({ errors: z.array(fieldError) }),
});

export type FieldError = z.infer<typeof fieldError>;
export type ErrorBody = z.infer<typeof errorBody>;
