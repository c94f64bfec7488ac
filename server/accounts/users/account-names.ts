import { domainToASCII } from 'node:url';

/** Trimmed, NFKC, case folded. */
export function foldText(value: string): string {
  return value.normalize('NFKC').trim().toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * The canonical form of a username or email, for comparison, uniqueness and limits: trimmed, NFKC, case folded, the
 * domain of an address in ASCII.
 */
export function nameKey(value: string): string {
  const name = foldText(value);
  const at = name.lastIndexOf('@');
  if (at === -1) return name;
  const domain = name.slice(at + 1);
  return `${name.slice(0, at + 1)}${domainToASCII(domain) || domain}`;
}
