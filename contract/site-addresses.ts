import { isEmail, readEmail } from './email-address.ts';
import { emailKey } from './email-key.ts';

/** The key of an address, or of every address of a domain: `qa@acme.com`, `@test.acme.com`; null if it is neither. */
export function testEmailKey(text: string): string | null {
  const isDomain = text.startsWith('@');
  const address = text.includes('*') ? null : readEmail(isDomain ? `x${text}` : text);
  return address && emailKey(address).slice(isDomain ? 1 : 0);
}

/** Whether an anchor, as `isEvidenceAnchor` takes it, is an email and no URL. */
export function isMailbox(anchor: string): boolean {
  return anchor !== '' && !anchor.includes('://');
}

/** Can signed heads be sent there? */
export function isEvidenceAnchor(value: string): boolean {
  if (isMailbox(value)) return isEmail(value);
  if (!URL.canParse(value) || /\s/.test(value)) return false;
  const { protocol, username } = new URL(value);
  return protocol === 'https:' && username === '';
}
