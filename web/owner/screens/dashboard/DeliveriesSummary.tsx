import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Delivery, DeliveryStatus } from '#contract/deliveries.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { Card } from '#web/ui/Card.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useLanguage } from '../../i18n.ts';
import { useRecentDeliveries } from './dashboard.api.ts';
import { countByStatus } from './deliveries-summary.logic.ts';

const TONES: Record<DeliveryStatus, BadgeTone> = { arrived: 'success', waiting: 'warning', failed: 'danger' };
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
              className="block px-5 py-4 no-underline hover:bg-hover"
            >
              <span className="block text-2xl font-semibold tracking-tight tabular-nums">{count}</span>
              <span className="block truncate text-[13px] text-ink-muted">
                {t(`deliveries.status.${status}`)}
              </span>
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
  const { t } = useTranslation('dashboard');
  const language = useLanguage();
  const when = new Date(delivery.created_at);
  return (
    <li>
      <Link
        to="/deliveries"
        search={{ delivery: delivery.id }}
        className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3 no-underline hover:bg-hover"
      >
        <Badge tone={TONES[delivery.status]}>{t(`deliveries.status.${delivery.status}`)}</Badge>
        <span className="min-w-0 flex-1 truncate">
          <span className="font-medium">{delivery.action_name}</span>
          {delivery.customer_email && <span className="text-ink-muted"> · {delivery.customer_email}</span>}
        </span>
        <time dateTime={delivery.created_at} className="text-[13px] text-ink-muted tabular-nums">
          {when.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })}
        </time>
      </Link>
    </li>
  );
}
