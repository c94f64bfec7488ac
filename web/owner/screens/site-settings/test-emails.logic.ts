import { STRICT_EMAIL } from '#contract/fields.ts';
import { emailKey } from '#contract/email-key.ts';

/** As the API takes them; `wrongLine` is the number of the first line that is neither an email nor a domain. */
export function parseTestEmails(text: string): { emails: string[]; wrongLine: number | null } {
  const lines = text.split('\n').map((line) => line.trim());
  const wrongAt = lines.findIndex((line) => line !== '' && !isTestEmail(line));
  const keys = lines.filter((line) => line !== '').map(keyOf);
  return { emails: [...new Set(keys)], wrongLine: wrongAt < 0 ? null : wrongAt + 1 };
}

const isTestEmail = (line: string) =>
  !line.includes('*') && STRICT_EMAIL.test(line.startsWith('@') ? `x${line}` : line);

const keyOf = (line: string) => (line.startsWith('@') ? emailKey(`x${line}`).slice(1) : emailKey(line));
