/** Only ASCII without quotes: lower case is all there is to do, and most addresses are like that. */
const PLAIN = /^[!#-~]*$/;

/** Without spaces at its ends and without what nobody sees. Joiners may be part of a word. */
export function visible(text: string): string {
  return text.replace(/(?![\u200c\u200d])\p{DI}/gu, '').trim();
}

/**
 * Simple case folding: one letter for one letter. Full folding would turn ß into ss, which are two mailboxes.
 * Lower case knows two forms of sigma. Joiners change how letters look, if anything.
 */
function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\u200c\u200d]/g, '')
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
    .trim();
}

/**
 * A label of a domain as the DNS has it (UTS 46, not transitional); null if it can't be in the DNS.
 * @param label in NFKC
 */
export function asciiLabel(label: string): string | null {
  if (PLAIN.test(label)) return label.toLowerCase();
  const url = `http://${label}.a`;
  // Other ASCII would be syntax of the URL.
  const isName = /^[\w\x80-\uffff-]*$/.test(label) && URL.canParse(url);
  return isName ? new URL(url).hostname.slice(0, -2) : null;
}

function labelKey(label: string): string {
  return asciiLabel(label) ?? asciiLabel(fold(label)) ?? fold(label);
}

/**
 * What identifies a person by their address: trimmed, NFKC, without what can't be seen, the domain in ASCII, the rest
 * case folded. Two spellings with the same key are one person. Never a receiver of mail: that is the address as it was
 * typed.
 * @param address an address, or the beginning of one
 */
export function emailKey(address: string): string {
  const text = visible(address.normalize('NFKC'));
  if (PLAIN.test(text) && !text.endsWith('.')) return text.toLowerCase();
  const at = text.lastIndexOf('@');
  if (at < 0) return fold(text);
  const labels = text
    .slice(at + 1)
    .replaceAll('。', '.')
    .replace(/\.$/, '')
    .split('.');
  // RFC 5321, section 4.1.2: "nora"@… and nora@… are one mailbox.
  const local = fold(text.slice(0, at)).replace(/^"([^\s"(),:;<>@[\\\]]+)"$/, '$1');
  return `${local}@${labels.map(labelKey).join('.')}`;
}

/** Are these two spellings of one address? */
export function isSameAddress(one: string, other: string): boolean {
  return emailKey(one) === emailKey(other);
}
