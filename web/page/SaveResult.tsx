import { listNames } from './list-names.ts';
import { usePage } from './page-context.tsx';
import { hasLeft, isReceived, isWaiting, type ViewCustomer } from './view.ts';

type Props = {
  customer: ViewCustomer;
  /** Some of the save awaits confirmation by email. */
  held: boolean;
};

/** What is true after a save, in one sentence. */
export function SaveResult(props: Props) {
  return <span>{useResultText(props)}</span>;
}

function useResultText({ customer, held }: Props): string {
  const { view, t } = usePage();
  if (held) return t('pending.short');
  if (hasLeft(customer)) return t('pref_template.globally_off', { name: view.page.name });
  const received = view.page.lists.filter((list) => isReceived(list, customer) && !isWaiting(list, customer));
  if (received.length === 0) return t('result.nothing');
  const lists = listNames(received, view.language, t('result.more'));
  return t(customer.paused_until === null ? 'result.receives' : 'result.after_pause', { lists });
}
