import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Delivery } from '#contract/deliveries.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { useRowLimit } from '../../components/first-frame.ts';
import { usePermission } from '../../account/permissions.ts';
import { DeliveriesScene } from '../../components/scenes/scenes.tsx';
import { DeliveryFilters } from './DeliveryFilters.tsx';
import { DeliveryPanel } from './DeliveryPanel.tsx';
import { DeliveryRow, DeliveryRowHeader, LOG_COLUMNS, ROW_COLUMNS } from './DeliveryRow.tsx';
import { type DeliveryFilter, useDeliveries } from './deliveries.api.ts';
import { ReplayAll } from './ReplayAll.tsx';

export { prefetchDeliveries as prefetch } from './deliveries.api.ts';

export function DeliveriesScreen() {
  const { t } = useTranslation('deliveries');
  const navigate = useNavigate();
  const canReplay = usePermission('editor');
  const { delivery, ...filter } = useSearch({ from: '/shell/deliveries' });
  const log = useDeliveries(filter);
  const setFilter = (next: DeliveryFilter) => void navigate({ to: '/deliveries', search: next });

  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        action={canReplay && <ReplayAll filter={filter} logReadAt={log.dataUpdatedAt} />}
      />
      <DeliveryFilters filter={filter} onChange={setFilter} />
      <Log query={log} filter={filter} onClear={() => setFilter({})} />
      {delivery !== undefined && (
        <DeliveryPanel
          key={delivery}
          id={delivery}
          onClose={() => void navigate({ to: '/deliveries', search: filter, resetScroll: false })}
        />
      )}
    </>
  );
}

interface LogProps {
  query: ReturnType<typeof useDeliveries>;
  filter: DeliveryFilter;
  onClear: () => void;
}

function Log({ query, filter, onClear }: LogProps) {
  const { t } = useTranslation('deliveries');
  if (query.isPending) return <Skeleton count={6} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const deliveries = query.data.pages.flatMap((page) => page.results);
  if (deliveries.length === 0) {
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    return isFiltered ? <NothingMatches onClear={onClear} /> : <NothingYet />;
  }
  return (
    <>
      <div className={`rounded-lg border border-line bg-surface ${LOG_COLUMNS}`}>
        <DeliveryRowHeader />
        <ul className={`divide-y divide-line lg:grid ${ROW_COLUMNS}`}>
          <Rows deliveries={deliveries} />
        </ul>
      </div>
      <div className="mt-4 flex justify-center empty:hidden">
        <LoadMore query={query} label={t('more')} />
      </div>
    </>
  );
}

/** In pixels: one line, with its padding and the line below. */
const ROW_HEIGHT = 44;

function Rows({ deliveries }: { deliveries: readonly Delivery[] }) {
  const limit = useRowLimit(ROW_HEIGHT);
  return deliveries.slice(0, limit).map((delivery) => <Row key={delivery.id} delivery={delivery} />);
}

/** Memoized: opening a delivery and polling the log must not re-render every row. */
const Row = memo(DeliveryRow);

function NothingYet() {
  const { t } = useTranslation('deliveries');
  return (
    <EmptyState
      art={<DeliveriesScene />}
      title={t('empty.title')}
      text={t('empty.text')}
      example={t('empty.example')}
      action={<LinkButton to="/actions">{t('empty.action')}</LinkButton>}
    />
  );
}

function NothingMatches({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation(['deliveries', 'ui']);
  return (
    <EmptyState
      icon={<ScrollText />}
      title={t('empty.filtered_title')}
      text={t('empty.filtered_text')}
      action={<Button onPress={onClear}>{t('ui:clear_filters')}</Button>}
    />
  );
}
