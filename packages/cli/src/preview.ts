import type { ChoicePreview, PreviewedChoice } from '#contract/choice-previews.ts';
import type { ListedCustomer } from '#contract/customers.ts';
import type { List } from '#contract/lists.ts';
import type { Sayso } from '../../sdk/src/index.ts';
import { findCustomer } from './facts.ts';

/** Something the caller asked for is not there; the message says what to do. */
export class NotFound extends Error {}

/** What unsubscribing somebody comes to, before it is done. */
export interface Unsubscribe {
  customer: ListedCustomer;
  /** null: from all. */
  list: List | null;
}

/** @throws NotFound */
export async function requireCustomer(sayso: Sayso, email: string): Promise<ListedCustomer> {
  const { found, similar } = await findCustomer(sayso, email);
  if (found !== null) return found;
  const others = similar.length === 0 ? 'Check the spelling.' : `Did you mean ${similar.join(', ')}?`;
  throw new NotFound(`No customer has the email ${email}. ${others}`);
}

/**
 * @param wanted a name, in upper or lower case, or an ID
 * @throws NotFound
 */
export async function requireList(sayso: Sayso, wanted: string): Promise<List> {
  const { results } = await sayso.listLists();
  const named = results.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const [list] = named.length > 0 ? named : results.filter(({ id }) => id === wanted);
  if (named.length > 1) throw new NotFound(`There are ${named.length} lists called "${wanted}". Use the ID.`);
  if (list !== undefined) return list;
  const names = results.map(({ name }) => `"${name}"`).join(', ');
  throw new NotFound(
    `There is no list "${wanted}". ${names === '' ? 'The site has none.' : `Lists: ${names}.`}`,
  );
}

/** @throws NotFound */
export async function unsubscribeOf(
  sayso: Sayso,
  { email, list }: { email: string; list?: string | undefined },
): Promise<Unsubscribe> {
  return {
    customer: await requireCustomer(sayso, email),
    list: list === undefined ? null : await requireList(sayso, list),
  };
}

/** What a person may record for a customer: some lists, or everything. */
export type Wanted = Extract<PreviewedChoice, { lists: unknown } | { global_unsubscribe: boolean }>;

export function wantedOf({ list }: Unsubscribe): Wanted {
  if (list === null) return { global_unsubscribe: true };
  return { lists: [{ notification_list_id: list.id, subscribed: false }] };
}

/**
 * @param all on: resubscribe to everything. off: unsubscribe from all. Not together with lists
 * @throws NotFound
 */
export async function choiceOf(
  sayso: Sayso,
  { on, off, all }: { on: readonly string[]; off: readonly string[]; all?: 'on' | 'off' | undefined },
): Promise<Wanted> {
  if (all !== undefined) return { global_unsubscribe: all === 'off' };
  const wished = [...on.map((name) => [name, true] as const), ...off.map((name) => [name, false] as const)];
  const lists = [];
  for (const [name, subscribed] of wished) {
    lists.push({ notification_list_id: (await requireList(sayso, name)).id, subscribed });
  }
  return { lists };
}

/** Changes and sends nothing. */
export async function previewOf(
  sayso: Sayso,
  { id }: Pick<ListedCustomer, 'id'>,
  choice: Wanted,
): Promise<ChoicePreview> {
  return sayso.previewChoice({ body: { customer: { id }, choice, on_behalf: true } });
}

/** Records it as evidence and sends it to the tools. */
export async function record(
  sayso: Sayso,
  { id }: Pick<ListedCustomer, 'id'>,
  choice: Wanted,
): Promise<void> {
  if ('lists' in choice) await sayso.setCustomerLists({ id, body: choice.lists });
  else await sayso.updateCustomer({ id, body: choice });
}

/** Where a person looks at this customer, and can unsubscribe them. */
export function customerUrl({ site }: Sayso, customerId: string): string {
  return `${site.server}/customers/${customerId}?site=${site.siteId}`;
}
