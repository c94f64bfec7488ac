import { GitCompareArrows } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Comparison, LISTED_COUNTS, type ListedCount } from '#contract/comparisons.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { ProgressBar } from '#web/ui/ProgressBar.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { usePermission } from '../../account/permissions.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { ExactTime, RelativeTime } from '../../components/RelativeTime.tsx';
import {
  useCancelReconciliation,
  useLastReconciliation,
  useRefreshDiscrepancies,
  useStartReconciliation,
} from './reconciliation.api.ts';
import { BulkChangesLink } from './BulkChangesLink.tsx';
import { BehindCountDialog } from './BehindCountDialog.tsx';
import { Discrepancies } from './Discrepancies.tsx';
import type { IntegrationProps } from './integration-props.ts';

/** Compares all customers with the tool, and shows the discrepancies. */
export function ReconciliationCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const { id, status } = integration;
  const query = useLastReconciliation(id);
  const start = useStartReconciliation(id);
  const last = query.data?.last ?? null;
  const isRunning = last?.status === 'running';
  const canStart = usePermission('editor');
  useRefreshAtTheEnd(id, isRunning);
  return (
    <Card
      title={t('comparison.title', { tool: connector.name })}
      description={t('comparison.text', { tool: connector.name })}
      action={
        canStart && (
          <>
            <BulkChangesLink />
            <Button
              icon={<GitCompareArrows />}
              isPending={start.isPending}
              isDisabled={isRunning || query.isPending || status !== 'connected'}
              onPress={() => start.mutate()}
            >
              {t('comparison.start')}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-5">
        <FormError error={start.error} />
        {query.isPending && <Skeleton shape="text" />}
        {query.isLoadingError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && last === null && <p className="text-ink-muted">{t('comparison.none')}</p>}
        {last &&
          (isRunning ? (
            <Running id={id} comparison={last} />
          ) : (
            <Ended id={id} comparison={last} tool={connector.name} />
          ))}
        {query.data && query.data.nightly_at !== null && (
          <p className="text-[13px] text-ink-muted">
            {t('comparison.nightly')} <ExactTime at={query.data.nightly_at} />
          </p>
        )}
        <Discrepancies id={id} tool={connector.name} running={isRunning ? last.kind : null} />
      </div>
    </Card>
  );
}

function useRefreshAtTheEnd(id: string, isRunning: boolean): void {
  const refresh = useRefreshDiscrepancies(id);
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void refresh();
    wasRunning.current = isRunning;
  });
}

function Running({ id, comparison }: { id: string; comparison: Comparison }) {
  const { t } = useTranslation('integrations');
  const number = useNumber();
  const cancel = useCancelReconciliation(id);
  const canCancel = usePermission('editor');
  const { customers, total } = comparison.counts;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div role="status" className="min-w-0 flex-1 basis-60">
          <ProgressBar
            label={t(`comparison.running.${comparison.kind}`)}
            share={customers / Math.max(total, 1)}
            text={t('comparison.progress', { done: number(customers), total: number(total) })}
          />
        </div>
        {canCancel && (
          <Button size="sm" isPending={cancel.isPending} onPress={() => cancel.mutate(comparison.id)}>
            {t('comparison.cancel')}
          </Button>
        )}
      </div>
      {comparison.error !== null && (
        <p lang="en" className="text-[13px] wrap-anywhere text-ink-muted">
          {comparison.error}
        </p>
      )}
      <FormError error={cancel.error} />
    </div>
  );
}

const TONES: Record<Comparison['status'], BadgeTone> = {
  running: 'accent',
  finished: 'success',
  cancelled: 'neutral',
  failed: 'danger',
};

const COUNTS = ['compared', 'same', 'different', 'mended', 'failed', 'unknown', 'skipped'] as const;

/** What fixes do; they compare nothing. */
const REPAIR_COUNTS = ['mended', 'failed', 'skipped'] as const;

function Ended({ id, comparison, tool }: { id: string; comparison: Comparison; tool: string }) {
  const { t } = useTranslation('integrations');
  const [listed, setListed] = useState<ListedCount | null>(null);
  const { kind, status, counts, finished_at, started_at, error } = comparison;
  const isRepair = kind === 'mending';
  const [main, ...others] = isRepair ? REPAIR_COUNTS : COUNTS;
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{t(`comparison.kind.${kind}`)}</span>
        <Badge tone={TONES[status]}>{t(`comparison.status.${status}`)}</Badge>
        <span className="text-[13px] text-ink-muted">
          <RelativeTime at={finished_at ?? started_at} />
        </span>
      </p>
      {error !== null && (
        <p lang="en" className="rounded-lg bg-danger-soft px-3 py-2 text-[13px] wrap-anywhere text-danger">
          {error}
        </p>
      )}
      <Facts>
        {[main, ...others.filter((count) => counts[count] > 0)].map((count) => (
          <Fact key={count} name={t(`comparison.count.${count}`, { tool })}>
            <Count comparison={comparison} count={count} tool={tool} onShow={setListed} />
          </Fact>
        ))}
      </Facts>
      <p className="text-[13px] text-pretty text-ink-muted empty:hidden">
        {!isRepair && counts.same + counts.unknown + counts.skipped > 0 && <>{t('comparison.not_listed')} </>}
        {counts.skipped > 0 && t(`comparison.skipped.${isRepair ? 'fixes' : 'customers'}`, { tool })}
      </p>
      {listed !== null && (
        <BehindCountDialog {...{ id, comparison, tool }} count={listed} onClose={() => setListed(null)} />
      )}
    </div>
  );
}

interface CountProps {
  comparison: Comparison;
  count: (typeof COUNTS)[number];
  tool: string;
  onShow: (count: ListedCount) => void;
}

/** Opens its customers, where they are stored. */
function Count({ comparison, count, tool, onShow }: CountProps) {
  const { t } = useTranslation('integrations');
  const shown = useNumber()(comparison.counts[count]);
  const listed = LISTED_COUNTS.find((one) => one === count);
  if (listed === undefined || comparison.counts[count] === 0)
    return <span className="tabular-nums">{shown}</span>;
  return (
    <button
      type="button"
      aria-label={`${t(`comparison.count.${count}`, { tool })}: ${shown}`}
      onClick={() => onShow(listed)}
      className="cursor-pointer rounded-sm font-medium text-accent tabular-nums underline decoration-1 underline-offset-3 hover:text-accent-hover pointer-coarse:-my-3 pointer-coarse:py-3 pointer-coarse:pr-6"
    >
      {shown}
    </button>
  );
}
