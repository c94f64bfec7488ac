import { useTranslation } from 'react-i18next';
import type { Comparison, Difference, ListedCount } from '#contract/comparisons.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { LoadMore } from '../../components/LoadMore.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { DifferingCustomer } from './DifferingCustomer.tsx';
import { useDiscrepanciesBehind } from './reconciliation.api.ts';

interface BehindCountDialogProps {
  /** The integration. */
  id: string;
  comparison: Comparison;
  count: ListedCount;
  tool: string;
  onClose: () => void;
}

/** The customers behind a count of a comparison. */
export function BehindCountDialog({ id, comparison, count, tool, onClose }: BehindCountDialogProps) {
  const { t } = useTranslation('integrations');
  const query = useDiscrepanciesBehind(id, comparison.id, count);
  const differences = query.data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      size="md"
      title={t(`comparison.count.${count}`, { tool })}
      description={t('comparison.listed')}
    >
      {query.isPending && <Skeleton shape="text" />}
      {query.isLoadingError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && differences.length === 0 && (
        <p className="text-ink-muted">{t('comparison.none_listed')}</p>
      )}
      <ul className="divide-y divide-line empty:hidden">
        {differences.map((one) => (
          <Row key={one.id} difference={one} tool={tool} />
        ))}
      </ul>
      <div className="mt-4 flex justify-center empty:hidden">
        <LoadMore query={query} label={t('more')} size="sm" />
      </div>
    </Dialog>
  );
}

const TONES: Record<Difference['status'], BadgeTone> = {
  open: 'warning',
  mended: 'success',
  dismissed: 'neutral',
  gone: 'neutral',
};

function Row({ difference, tool }: { difference: Difference; tool: string }) {
  const { t } = useTranslation('integrations');
  const { status, error, resolved_at, created_at } = difference;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <DifferingCustomer difference={difference} tool={tool} />
        {error !== null && (
          <p lang="en" className="text-[13px] wrap-anywhere text-danger">
            {error}
          </p>
        )}
      </div>
      <p className="flex shrink-0 items-center gap-2 text-[13px] text-ink-muted">
        <Badge tone={TONES[status]}>
          {t(status === 'open' ? 'difference.still_open' : `difference.settled.${status}`)}
        </Badge>
        <RelativeTime at={resolved_at ?? created_at} />
      </p>
    </li>
  );
}
