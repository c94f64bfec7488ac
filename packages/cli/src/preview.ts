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

/** Changes and sends nothing. */
export async function previewOf(sayso: Sayso, { customer, list }: Unsubscribe): Promise<ChoicePreview> {
  const choice: PreviewedChoice =
    list === null
      ? { global_unsubscribe: true }
      : { lists: [{ notification_list_id: list.id, subscribed: false }] };
  return sayso.previewChoice({ body: { customer: { id: customer.id }, choice } });
}

/** Records it as evidence and sends it to the tools. */
export async function unsubscribe(sayso: Sayso, { customer, list }: Unsubscribe): Promise<void> {
  const { id } = customer;
  if (list === null) await sayso.updateCustomer({ id, body: { global_unsubscribe: true } });
  else await sayso.setCustomerLists({ id, body: [{ notification_list_id: list.id, subscribed: false }] });
}

/** Where a person looks at this customer, and can unsubscribe them. */
export function customerUrl({ site }: Sayso, customerId: string): string {
  return `${site.server}/customers/${customerId}?site=${site.siteId}`;
}
