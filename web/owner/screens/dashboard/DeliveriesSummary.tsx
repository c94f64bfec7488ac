import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Delivery } from '#contract/deliveries.ts';
import { Card } from '#web/ui/Card.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useLanguage } from '../../i18n.ts';
import { StatusBadge } from '../deliveries/StatusBadge.tsx';
import { useRecentDeliveries } from './dashboard.api.ts';
import { countByStatus } from './deliveries-summary.logic.ts';

const ROWS = 5;

export function DeliveriesSummary() {
  const { t } = useTranslation('dashboard');
  const deliveries = useRecentDeliveries();
  if (deliveries.isPending) return <Skeleton count={3} />;
  if (deliveries.isError)
    return <ErrorState error={deliveries.error} onRetry={() => void deliveries.refetch()} />;
  if (deliveries.data.length === 0) {
    return (
      <EmptyState
        icon={<Send />}
        title={t('deliveries.empty_title')}
        text={t('deliveries.empty_text')}
        action={<LinkButton to="/actions">{t('deliveries.empty_action')}</LinkButton>}
        example={t('deliveries.empty_example')}
      />
    );
  }
  return (
    <Card
      title={t('deliveries.title')}
      description={t('deliveries.description', { count: deliveries.data.length })}
      action={<TextLink to="/deliveries">{t('deliveries.all')}</TextLink>}
      isPadded={false}
    >
      <ul className="grid grid-cols-3 divide-x divide-line border-b border-line">
        {countByStatus(deliveries.data).map(({ status, count }) => (
          <li key={status}>
            <Link
              to="/deliveries"
              search={{ status }}
              className="block h-full px-3 py-4 no-underline hover:bg-hover sm:px-5"
            >
              <span className="block text-2xl font-semibold tracking-tight tabular-nums">{count}</span>
              <span className="block text-[13px] text-ink-muted">{t(`deliveries.status.${status}`)}</span>
            </Link>
          </li>
        ))}
      </ul>
      <ul className="divide-y divide-line">
        {deliveries.data.slice(0, ROWS).map((delivery) => (
          <Row key={delivery.id} delivery={delivery} />
        ))}
      </ul>
    </Card>
  );
}

function Row({ delivery }: { delivery: Delivery }) {
  const language = useLanguage();
  const when = new Date(delivery.created_at);
  return (
    <li>
      <Link
        to="/deliveries"
        search={{ delivery: delivery.id }}
        className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3 no-underline hover:bg-hover"
      >
        <span className="sm:w-28">
          <StatusBadge status={delivery.status} />
        </span>
        <span className="order-last w-full min-w-0 truncate sm:order-none sm:w-auto sm:flex-1">
          <span className="font-medium">{delivery.action_name}</span>
          {delivery.customer_email && <span className="text-ink-muted"> · {delivery.customer_email}</span>}
        </span>
        <time dateTime={delivery.created_at} className="ml-auto text-[13px] text-ink-muted tabular-nums">
          {when.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })}
        </time>
      </Link>
    </li>
  );
}
