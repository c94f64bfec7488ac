import { usePage } from './page-context.tsx';
import { hasLeft, isReceived, isWaiting, listText, type ViewCustomer } from './view.ts';

/** Of more lists, the first two are named, and the others counted. */
const MOST_NAMES = 3;

type Props = {
  customer: ViewCustomer;
  /** Some of the save awaits confirmation by email. */
  held: boolean;
};

/** What is true after a save, in one sentence. */
export function SaveResult({ customer, held }: Props) {
  const { view, t } = usePage();
  if (held) return t('pending.short');
  if (hasLeft(customer)) return t('pref_template.globally_off', { name: view.page.name });
  const names = view.page.lists
    .filter((list) => isReceived(list, customer) && !isWaiting(list, customer))
    .map((list) => listText(list, view.language).name);
  if (names.length === 0) return t('result.nothing');
  const named = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES - 1) : names;
  const more = names.length - named.length;
  const parts = more > 0 ? [...named, t('result.more', { count: String(more) })] : named;
  const lists = new Intl.ListFormat(view.language).format(parts);
  return t(customer.paused_until === null ? 'result.receives' : 'result.after_pause', { lists });
}
