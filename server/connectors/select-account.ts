import { ConnectorError } from './connector.ts';

/** Enough to choose from in a sentence. */
const MOST_NAMED = 20;

/**
 * Which of the accounts that a login opens is meant.
 * @param wanted the id that the owner gave; without one there has to be exactly one account
 * @returns its id
 * @throws ConnectorError `refused`, with the accounts to choose from
 */
export function selectAccount(
  accounts: readonly { id: string; name: string }[],
  wanted: string | undefined,
  { tool, field }: { tool: string; field: string },
): string {
  const [first, ...others] = accounts;
  if (first === undefined) throw new ConnectorError('refused', `This login has no ${tool} account.`);
  const found = accounts.find(({ id }) => id === wanted);
  if (found !== undefined) return found.id;
  if (wanted === undefined && others.length === 0) return first.id;
  const names = accounts.slice(0, MOST_NAMED).map(({ id, name }) => `${name} (${id})`);
  const what = wanted === undefined ? `has several ${tool} accounts` : `doesn't include this ${tool} account`;
  throw new ConnectorError(
    'refused',
    `This login ${what}. Start again and enter one of these as ${field}: ${names.join(', ')}.`,
  );
}
