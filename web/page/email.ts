import { isSameAddress } from '#contract/email-key.ts';

// The same patterns as in contract/fields.ts (a test keeps them equal): importing them from there would bring zod to every visitor.

/** Spec section 5: what the form asks for. */
export const SIMPLE_EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Spec section 4: the pattern for stored addresses. */
export const STRICT_EMAIL =
  /^(?=.{1,254}$)(?=.{1,64}@)[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])$/u;

const UNSEEN = /(?! )[\s\p{Cc}\p{Cf}]+/gu;
const MAILTO = 'mailto:';
/** What no address begins with, and no domain ends with. */
const BEFORE = ' <"([{';
const AFTER = ' >")]}.,;:!?\'';

function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BEFORE.includes(text[start] ?? '')) start += 1;
  while (end > start && AFTER.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(start, end);
}

/**
 * The email address of a link, as it is passed on. Email tools insert it unencoded, so a plus arrives as a space. null if
 * it does not look valid.
 */
export function addressOfLink(text: string): string | null {
  const seen = trimmed(text.replace(UNSEEN, ''));
  const isMailto = seen.toLowerCase().startsWith(MAILTO);
  const address = (isMailto ? trimmed(seen.slice(MAILTO.length)) : seen).replaceAll(' ', '+');
  return STRICT_EMAIL.test(address) ? address : null;
}

export type EmailErrorKey = 'modal_mail.error_empty' | 'modal_mail.error_same' | 'modal_mail.error_invalid';

/** Client-side validation of a new address; null if it is valid. */
export function emailErrorKey(wanted: string, current: string): EmailErrorKey | null {
  if (wanted.trim() === '') return 'modal_mail.error_empty';
  if (isSameAddress(wanted, current)) return 'modal_mail.error_same';
  return SIMPLE_EMAIL.test(wanted.trim()) ? null : 'modal_mail.error_invalid';
}
