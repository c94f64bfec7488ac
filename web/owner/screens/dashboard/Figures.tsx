import { BarChart3 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { DASHBOARD_RANGES, type Dashboard, type DashboardRange } from '#contract/dashboard.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { SegmentedControl } from '#web/ui/SegmentedControl.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { ChoicesCard, MovesCard } from './OverTime.tsx';
import { useDashboard } from './dashboard.api.ts';
import { DeliveriesCard } from './DeliveriesCard.tsx';
import { isEmpty } from './figures.logic.ts';
import { HealthCard } from './HealthCard.tsx';
import { ReasonsCard } from './ReasonsCard.tsx';
import { Tiles } from './Tiles.tsx';

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
  if (query.isPending) {
    return (
      <div className="flex flex-col gap-4">
        <Skeleton shape="cards" count={3} />
        <Skeleton shape="cards" count={3} />
      </div>
    );
  }
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
  return <Cards figures={query.data} isOld={query.isPlaceholderData} />;
}

/** @param isOld of the range before, until the chosen one is counted */
function Cards({ figures, isOld }: { figures: Dashboard; isOld: boolean }) {
  return (
    <div
      aria-busy={isOld}
      className={`flex flex-col gap-4 transition-opacity duration-150 ${isOld ? 'opacity-60' : ''}`}
    >
      <Tiles figures={figures} />
      <div className="grid min-w-0 gap-4 xl:grid-cols-2">
        <ChoicesCard figures={figures} />
        <MovesCard figures={figures} />
      </div>
      <div className="grid min-w-0 gap-4 xl:grid-cols-2">
        <DeliveriesCard figures={figures} />
        <div className="flex min-w-0 flex-col gap-4">
          <HealthCard integrations={figures.integrations} />
          <ReasonsCard reasons={figures.reasons} />
        </div>
      </div>
    </div>
  );
}
