import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Delivery } from '#contract/deliveries.ts';
import { ActionTypeIcon } from '../../components/action-icons.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { moveFocusToNextRow } from '../../components/row-focus.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { breakable } from '#web/ui/breakable.tsx';
import { reasonKey } from './outcome.logic.ts';
import { StatusBadge } from './StatusBadge.tsx';
import { useHeadline } from './use-headline.ts';
import { useIntegrationOf } from './use-integration-of.ts';

/** Of the whole log: its rows share them, so that a column is as wide as its longest badge or time. */
export const LOG_COLUMNS =
  'lg:grid lg:grid-cols-[max-content_minmax(0,1.6fr)_minmax(0,1.5fr)_minmax(0,1.4fr)_6.5rem_max-content] lg:gap-x-4';

export const ROW_COLUMNS = 'lg:col-span-full lg:grid-cols-subgrid';

export function DeliveryRowHeader() {
  const { t } = useTranslation('deliveries');
  return (
    <div
      aria-hidden
      className={`hidden border-b border-line px-5 py-2 text-xs font-medium text-ink-muted lg:grid ${ROW_COLUMNS}`}
    >
      <span>{t('column.status')}</span>
      <span>{t('column.event')}</span>
      <span>{t('column.customer')}</span>
      <span>{t('column.action')}</span>
      <span>{t('column.attempts')}</span>
      <span className="text-right">{t('column.time')}</span>
    </div>
  );
}

export function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation('deliveries');
  const headline = useHeadline()(delivery);
  return (
    <li ref={moveFocusToNextRow} className={`lg:grid ${ROW_COLUMNS}`}>
      <Link
        to="/deliveries"
        search={(before) => ({ ...before, delivery: delivery.id })}
        resetScroll={false}
        preload={false}
        className={`grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 lg:items-center px-4 py-3 no-underline -outline-offset-2 hover:bg-hover sm:px-5 ${ROW_COLUMNS}`}
      >
        <span className="order-2 flex flex-wrap justify-end gap-1 lg:order-none lg:justify-start">
          <StatusBadge delivery={delivery} />
          {delivery.is_late && <Badge tone="danger">{t('row.late')}</Badge>}
        </span>
        <span
          title={headline}
          className="order-1 line-clamp-3 min-w-0 font-medium wrap-anywhere lg:order-none"
        >
          {headline}
          <Reason delivery={delivery} />
        </span>
        <span className="order-3 min-w-0 wrap-anywhere max-sm:col-span-2 lg:order-none">
          {delivery.customer_email === null ? (
            <em className="text-ink-muted">{t('row.erased')}</em>
          ) : (
            breakable(delivery.customer_email)
          )}
        </span>
        <span className="order-5 flex min-w-0 items-start gap-1.5 lg:items-center text-ink-muted lg:order-none">
          <span className="flex h-5 shrink-0 items-center">
            <ActionTypeIcon type={delivery.action_type} operation={delivery.action_operation} size={14} />
          </span>
          <span className="min-w-0 wrap-anywhere lg:line-clamp-2" title={delivery.action_name}>
            {delivery.action_id === null
              ? t('row.deleted_action', { name: delivery.action_name })
              : delivery.action_name}
          </span>
        </span>
        <span className="order-6 text-right text-[13px] text-ink-muted lg:order-none lg:text-left">
          {t('row.attempts', { count: delivery.attempt_count })}
          {delivery.status === 'waiting' &&
            delivery.next_attempt_at !== null &&
            delivery.attempt_count > 0 && (
              <span className="block">
                <NextAttempt at={delivery.next_attempt_at} />
              </span>
            )}
        </span>
        <span className="order-4 text-[13px] text-ink-muted max-sm:col-span-2 sm:text-right lg:order-none">
          <RelativeTime at={delivery.created_at} />
        </span>
      </Link>
    </li>
  );
}

function NextAttempt({ at }: { at: string }) {
  const { t } = useTranslation('deliveries');
  return (
    <>
      {t('row.retries')} <RelativeTime at={at} isAhead />
    </>
  );
}

/** Why it waits for its next attempt. */
function Reason({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation('deliveries');
  const { isByKey } = useIntegrationOf()(delivery);
  const reason = reasonKey(delivery, isByKey);
  if (delivery.outcome !== 'retrying' || reason === null) return null;
  return (
    <span className="block text-[13px] font-normal text-ink-muted">
      {t(`row.reason.${reason}`, { tool: delivery.tool_name })}
    </span>
  );
}
