import { emailKey } from '#contract/email-key.ts';

/** Trimmed, NFKC, case folded. */
export function foldText(value: string): string {
  return value.normalize('NFKC').trim().toUpperCase().toLowerCase().normalize('NFKC');
}

/** The canonical form of a username or email, for comparison, uniqueness and limits; only an email has an @. */
export function nameKey(value: string): string {
  const name = foldText(value);
  return name.includes('@') ? emailKey(value) : name;
}
