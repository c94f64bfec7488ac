/** Only ASCII: lower case is all there is to do, and most addresses are like that. */
const PLAIN = /^[\x21-\x7e]*$/;

/**
 * Simple case folding: one letter for one letter. Full folding would turn ß into ss, which are two mailboxes.
 * Lower case knows two forms of sigma.
 */
function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

function asciiDomain(domain: string): string {
  const url = `http://${domain}`;
  return URL.canParse(url) ? new URL(url).hostname : domain;
}

/**
 * What identifies a person by their address: trimmed, NFKC, the domain in ASCII, case folded. Two spellings with the
 * same key are one person. Never a receiver of mail: that is the address as it was typed.
 * @param address an address, or the beginning of one
 */
export function emailKey(address: string): string {
  const trimmed = address.trim();
  if (PLAIN.test(trimmed)) return trimmed.toLowerCase();
  const folded = fold(trimmed);
  const at = folded.lastIndexOf('@');
  const domain = folded.slice(at + 1);
  if (at < 0 || PLAIN.test(domain)) return folded;
  return folded.slice(0, at + 1) + asciiDomain(domain);
}

/** Are these two spellings of one address? */
export function isSameAddress(one: string, other: string): boolean {
  return emailKey(one) === emailKey(other);
}
