import { readEmail, SIMPLE_EMAIL } from '#contract/email-address.ts';
import { isSameAddress } from '#contract/email-key.ts';

/**
 * The email address of a link, as it is passed on. Email tools insert it unencoded, so a plus arrives as a space. null if
 * it does not look valid.
 */
export function addressOfLink(text: string): string | null {
  return readEmail(text) ?? readEmail(text.trim().replaceAll(' ', '+'));
}

export type EmailErrorKey = 'modal_mail.error_empty' | 'modal_mail.error_same' | 'modal_mail.error_invalid';

/** Client-side validation of a new address; null if it is valid. */
export function emailErrorKey(wanted: string, current: string): EmailErrorKey | null {
  if (wanted.trim() === '') return 'modal_mail.error_empty';
  if (isSameAddress(wanted, current)) return 'modal_mail.error_same';
  return SIMPLE_EMAIL.test(wanted.trim()) ? null : 'modal_mail.error_invalid';
}
