import { BarChart3 } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { DASHBOARD_RANGES, type DashboardRange } from '#contract/dashboard.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { SegmentedControl } from '#web/ui/SegmentedControl.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useDashboard } from './dashboard.api.ts';
import { isEmpty } from './figures.logic.ts';

// The charts are no part of the first load: they come while the figures are counted.
const loadCards = () => import('./Cards.tsx');
const Cards = lazy(async () => ({ default: (await loadCards()).Cards }));

interface FiguresProps {
  range: DashboardRange;
  onRange: (range: DashboardRange) => void;
}

export function Figures({ range, onRange }: FiguresProps) {
  const { t } = useTranslation('figures');
  return (
    <section aria-labelledby="figures-title" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="figures-title" className="text-lg font-semibold tracking-tight">
          {t('title')}
        </h2>
        <SegmentedControl
          label={t('range.label')}
          value={range}
          onChange={onRange}
          options={DASHBOARD_RANGES.map((value) => ({ value, label: t(`range.${value}`) }))}
        />
      </div>
      <Counted range={range} />
    </section>
  );
}

function Counted({ range }: { range: DashboardRange }) {
  const { t } = useTranslation('figures');
  const query = useDashboard(range);
  useEffect(() => void loadCards().catch(() => null), []);
  if (query.isPending) return <Counting />;
  if (query.isLoadingError || !query.data) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (isEmpty(query.data)) {
    return (
      <EmptyState
        icon={<BarChart3 />}
        title={t('empty.title')}
        text={t('empty.text')}
        example={t('empty.example')}
        action={<LinkButton to="/imports/new">{t('empty.action')}</LinkButton>}
      />
    );
  }
  return (
    <Suspense fallback={<Counting />}>
      <Cards figures={query.data} isOld={query.isPlaceholderData} />
    </Suspense>
  );
}

function Counting() {
  return (
    <div className="flex flex-col gap-4">
      <Skeleton shape="cards" count={3} />
      <Skeleton shape="cards" count={3} />
    </div>
  );
}
