import type { Consent } from './connector.ts';

const timeOf = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

/**
 * When, from where and in which language somebody consented, for tools that keep it as a text.
 * @returns empty where the product doesn't know
 */
export function consentWords({ said, confirmed }: Partial<Consent> = {}): string {
  if (said === undefined) return '';
  const from = said.ip === null ? '' : ` from ${said.ip}`;
  const language = said.language === null ? '' : `, in the language "${said.language}"`;
  const later = confirmed === undefined ? '' : `, confirmed by email on ${timeOf(confirmed.at)}`;
  return `on ${timeOf(said.at)}${from}${language}${later}`;
}
