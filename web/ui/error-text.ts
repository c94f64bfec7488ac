import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { ErrorCode } from '#contract/errors.ts';

/** Codes whose sentence does not depend on the request: shown in the owner's language. */
const FIXED = [
  'bad_json',
  'bad_request',
  'invalid_credentials',
  'token_not_valid',
  'not_found',
  'conflict',
  'name_taken',
  'domain_taken',
  'username_taken',
  'email_taken',
  'path_taken',
  'link_used',
  'forbidden',
  'reauthentication_required',
  'second_factor_wrong',
  'second_factor_setup_required',
  'last_second_factor',
  'last_owner',
  'already_invited',
  'other_address',
  'has_organization',
  'link_required',
  'other_google_account',
  'other_tool_account',
  'password_required',
  'common_password',
  'password_is_name',
  'body_too_large',
  'reserved_name',
  'limit_reached',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

function fixedCode(error: ApiError): (typeof FIXED)[number] | undefined {
  const code = error.errors[0]?.code;
  return FIXED.find((one) => one === code);
}

/** Gives the sentence to show for anything that was thrown. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation('ui');
  return (error) => {
    if (!(error instanceof ApiError)) return t('errors.unknown');
    if (error.status === 0) return t('errors.offline');
    const code = fixedCode(error);
    if (code) return t(`errors.${code}`);
    return error.errors[0]?.message ?? error.message;
  };
}
