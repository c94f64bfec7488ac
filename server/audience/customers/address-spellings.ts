import { domainToUnicode } from 'node:url';
import { emailKey } from '#contract/email-key.ts';
import { escapeHtml } from '#server/platform/html.ts';

/** A person who is being erased, as other tables name them. */
export interface Erased {
  customerIds: readonly string[];
  emailKeys: readonly string[];
  /** See `mentionOf`. */
  mention: string;
  /** The same for texts that are nothing but the address. */
  alone: string;
  /** The same for names of files, in which an extension follows. */
  mentionInName: string;
}

/** An address with its domain in the letters of its language. */
function inLetters(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToUnicode(address.slice(at));
}

/** How texts write these addresses, in lower case. */
export function spellingsOf(addresses: readonly string[]): string[] {
  const plain = addresses.flatMap((address) => {
    const key = emailKey(address);
    return [key, inLetters(key), address.toLowerCase()];
  });
  const inLinks = plain.map((address) => encodeURIComponent(address).toLowerCase());
  const inMails = plain.map((address) => escapeHtml(address));
  return [...new Set([...plain, ...inLinks, ...inMails])];
}

/**
 * A regular expression of PostgreSQL for texts that mention one of these spellings, to be used without case: what
 * stands before is \1, the spelling \2. Part of a longer address is no mention.
 */
export function mentionOf(spellings: readonly string[]): Omit<Erased, 'customerIds' | 'emailKeys'> {
  // Only what has a meaning in expressions: PostgreSQL refuses a backslash before a letter, and some marks count as one.
  const escaped = spellings.map((spelling) => spelling.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&'));
  const begin = `(^|[^[:alnum:]._%+-])(${escaped.join('|')})`;
  return {
    alone: `^[^[:alnum:]]*(${escaped.join('|')})[^[:alnum:]]*$`,
    mention: `${begin}(?![[:alnum:]-]|\\.[[:alnum:]])`,
    mentionInName: `${begin}(?![[:alnum:]-])`,
  };
}
