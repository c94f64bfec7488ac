import type { Warnings } from '#contract/warnings.ts';
import type { Config } from './config.ts';

/**
 * The warning about a setting that sends emails, if no mail server is configured; none otherwise.
 * @param what the consequence, as the start of a sentence
 */
export function warnWithoutMailServer(
  { smtpUrl }: Pick<Config, 'smtpUrl'>,
  field: string,
  what: string,
): Warnings {
  if (smtpUrl !== '') return [];
  const message = `${field}: ${what}, because this server has no mail server. Set SMTP_URL and MAIL_FROM.`;
  return [{ code: 'email_not_configured', field, message }];
}
