import { Link } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { DASHBOARD_RANGES, type DashboardRange } from '#contract/dashboard.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useDashboard } from './dashboard.api.ts';
import { isEmpty } from './is-empty.logic.ts';
import { Cards, NoFigures } from './lazy-cards.ts';

export function Figures({ range }: { range: DashboardRange }) {
  const { t } = useTranslation('figures');
  return (
    <section aria-labelledby="figures-title" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="figures-title" className="text-lg font-semibold tracking-tight">
          {t('title')}
        </h2>
        <Ranges current={range} />
      </div>
      <Counted range={range} />
    </section>
  );
}

/** The range is in the URL, so that each is a link. */
function Ranges({ current }: { current: DashboardRange }) {
  const { t } = useTranslation('figures');
  return (
    <nav aria-label={t('range.label')}>
      <ul className="inline-flex rounded-lg border border-line bg-sunken p-0.5">
        {DASHBOARD_RANGES.map((range) => (
          <li key={range}>
            <Link
              to="/dashboard"
              search={{ range }}
              replace
              resetScroll={false}
              aria-current={range === current ? 'true' : undefined}
              className="inline-flex min-h-7 items-center rounded-md border border-transparent px-2.5 text-ink-muted no-underline hover:text-ink [&[aria-current]]:border-line [&[aria-current]]:bg-surface [&[aria-current]]:font-medium [&[aria-current]]:text-ink pointer-coarse:min-h-10"
            >
              {t(`range.${range}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Counted({ range }: { range: DashboardRange }) {
  const query = useDashboard(range);
  useEffect(() => void Cards.preload().catch(() => null), []);
  if (query.isPending) return <Counting />;
  if (query.isLoadingError || !query.data) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (isEmpty(query.data)) {
    return (
      <Suspense fallback={<Counting />}>
        <NoFigures />
      </Suspense>
    );
  }
  return (
    <Suspense fallback={<Counting />}>
      <Cards figures={query.data} isOld={query.isPlaceholderData} />
    </Suspense>
  );
}

function Counting() {
  return <Skeleton shape="figures" count={4} />;
}
