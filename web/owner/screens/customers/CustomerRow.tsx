import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ListedCustomer } from '#contract/customers.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { breakable } from '#web/ui/breakable.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { moveFocusToNextRow } from '../../components/row-focus.ts';
import { TestBadge } from '../../components/TestBadge.tsx';
import { useLists } from '../../queries/list-queries.ts';
import { withoutLists } from './customers.logic.ts';
import { StateBadge } from './StateBadge.tsx';

const COLUMNS = 'lg:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_12rem_9rem]';
const SHOWN_LISTS = 2;

export function CustomerRowHeader() {
  const { t } = useTranslation(['customers', 'customer-filters']);
  return (
    <div
      aria-hidden
      className={`hidden gap-x-4 border-b border-line px-5 py-2 text-xs font-medium text-ink-muted lg:grid ${COLUMNS}`}
    >
      <span>{t('about.address')}</span>
      <span>{t('lists.title')}</span>
      <span>{t('customer-filters:name.state')}</span>
      <span className="text-right">{t('added')}</span>
    </div>
  );
}

/** One line where there is room; on a phone a card. */
export function CustomerRow({ customer }: { customer: ListedCustomer }) {
  const { t } = useTranslation('customers');
  return (
    <li ref={moveFocusToNextRow}>
      <Link
        to="/customers/$id"
        params={{ id: customer.id }}
        className={`grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 px-4 py-3 no-underline -outline-offset-2 hover:bg-hover sm:px-5 ${COLUMNS}`}
      >
        <span className="col-span-2 min-w-0 font-medium wrap-anywhere lg:col-span-1">
          {breakable(customer.email)}
        </span>
        <span className="order-3 col-span-2 min-w-0 lg:order-none lg:col-span-1">
          <ListChips customer={customer} />
        </span>
        <span className="flex min-w-0 flex-wrap gap-1.5">
          <StateBadge customer={customer} isBounced={customer.email_bounced_at !== null} />
          {customer.test && <TestBadge />}
        </span>
        <span className="text-right text-[13px] text-ink-muted">
          <span className="lg:sr-only">{t('added')}</span> <RelativeTime at={customer.created_at} />
        </span>
      </Link>
    </li>
  );
}

/** The lists that a customer gets, in the site's order; many are counted. */
function ListChips({ customer }: { customer: ListedCustomer }) {
  const { t } = useTranslation('customer-filters');
  const lists = useLists().data;
  const { receives: ids } = customer;
  if (ids.length === 0) {
    return <span className="text-[13px] text-ink-muted">{t(`without.${withoutLists(customer)}`)}</span>;
  }
  if (lists === undefined) return null;
  const received = lists.filter(({ id }) => ids.includes(id));
  const rest = received.slice(SHOWN_LISTS).map(({ name }) => name);
  return (
    <span className="flex min-w-0 flex-wrap gap-1">
      {received.slice(0, SHOWN_LISTS).map(({ id, name }) => (
        <Badge key={id}>
          <span className="max-w-36 truncate">{name}</span>
        </Badge>
      ))}
      {rest.length > 0 && (
        <Badge>
          <span aria-hidden title={rest.join(', ')}>
            +{rest.length}
          </span>
          <span className="sr-only">{rest.join(', ')}</span>
        </Badge>
      )}
    </span>
  );
}
