import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Delivery } from '#contract/deliveries.ts';
import { breakable } from '#web/ui/breakable.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../deliveries/StatusBadge.tsx';
import { useHeadline } from '../deliveries/use-headline.ts';
import { useRecentDeliveries } from './dashboard.api.ts';

/** The newest deliveries. If they fail to load, the figures above stay. */
export function RecentDeliveries() {
  const { t } = useTranslation('figures');
  const deliveries = useRecentDeliveries();
  if (deliveries.isPending) {
    return (
      <div className="p-5">
        <Skeleton shape="text" count={8} />
      </div>
    );
  }
  if (deliveries.isLoadingError) {
    return (
      <div className="p-5">
        <ErrorState error={deliveries.error} onRetry={() => void deliveries.refetch()} />
      </div>
    );
  }
  return (
    <ul aria-label={t('deliveries.newest')} className="divide-y divide-line">
      {deliveries.data?.map((delivery) => (
        <Row key={delivery.id} delivery={delivery} />
      ))}
    </ul>
  );
}

function Row({ delivery }: { delivery: Delivery }) {
  const headline = useHeadline()(delivery);
  return (
    <li>
      <Link
        to="/deliveries"
        search={{ delivery: delivery.id }}
        className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 px-5 py-3 no-underline -outline-offset-2 hover:bg-hover"
      >
        <span className="line-clamp-2 font-medium wrap-anywhere">{headline}</span>
        <StatusBadge delivery={delivery} />
        <span className="flex flex-wrap gap-x-3 text-[13px] wrap-anywhere text-ink-muted">
          {delivery.customer_email !== null && <span>{breakable(delivery.customer_email)}</span>}
          <span>{delivery.action_name}</span>
        </span>
        <span className="text-right text-[13px] text-ink-muted">
          <RelativeTime at={delivery.created_at} />
        </span>
      </Link>
    </li>
  );
}
