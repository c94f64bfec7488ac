import { isSameAddress } from '#contract/email-key.ts';

// The same patterns as in contract/fields.ts (a test keeps them equal): importing them from there would bring zod to every visitor.

/** Spec section 5: what the form asks for. */
export const SIMPLE_EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Spec section 4: what a kept address has to pass. */
export const STRICT_EMAIL =
  /^(?=.{1,254}$)(?=.{1,64}@)[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])$/u;

/**
 * The address of a link, as the person has it: email tools put it into links as it is, and a plus then arrives as a
 * space. null when it does not look valid.
 */
export function addressOfLink(text: string): string | null {
  const address = text.trim().replaceAll(' ', '+');
  return STRICT_EMAIL.test(address) ? address : null;
}

export type EmailErrorKey = 'modal_mail.error_empty' | 'modal_mail.error_same' | 'modal_mail.error_invalid';

/** What is wrong with a wish for a new address, before the server is asked; null when nothing is. */
export function emailErrorKey(wanted: string, current: string): EmailErrorKey | null {
  if (wanted.trim() === '') return 'modal_mail.error_empty';
  if (isSameAddress(wanted, current)) return 'modal_mail.error_same';
  return SIMPLE_EMAIL.test(wanted.trim()) ? null : 'modal_mail.error_invalid';
}
