import { testEmailKey } from '#contract/site-addresses.ts';

/** As the API takes them; `wrongLine` is the number of the first line that is neither an email nor a domain. */
export function parseTestEmails(text: string): { emails: string[]; wrongLine: number | null } {
  const keys = text.split('\n').map((line) => (line.trim() === '' ? '' : testEmailKey(line.trim())));
  const wrongAt = keys.indexOf(null);
  const emails = keys.filter((key) => key !== null && key !== '') as string[];
  return { emails: [...new Set(emails)], wrongLine: wrongAt < 0 ? null : wrongAt + 1 };
}
