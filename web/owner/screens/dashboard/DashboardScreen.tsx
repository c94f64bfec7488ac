import { useSearch } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { DashboardRange } from '#contract/dashboard.ts';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useSite } from '../../site/current-site.tsx';
import { Figures } from './Figures.tsx';
import { Checklist, HeaderActions, Notices, ShowChecklist, Summary } from './lazy-cards.ts';
import { rememberedRange, rememberRange } from './remembered-range.ts';
import { useChecklist } from './use-checklist.ts';

export { prefetchDashboard as prefetch } from './dashboard.api.ts';
export { LAZY_CARDS as lazyComponents } from './lazy-cards.ts';

export function DashboardScreen() {
  const { t } = useTranslation('dashboard');
  const { site, site_id } = useSite();
  const range = useRange();
  const description = t('description', { site: site.name });
  return (
    <>
      <PageHeader
        title={t('title')}
        description={
          <Suspense fallback={description}>
            <Summary range={range} description={description} />
          </Suspense>
        }
        action={
          <Suspense>
            <HeaderActions range={range} />
          </Suspense>
        }
      />
      <Content key={site_id} range={range} />
    </>
  );
}

/** The one in the URL, or else the one that was last chosen in this browser. */
function useRange(): DashboardRange {
  const { range } = useSearch({ from: '/shell/dashboard' });
  useEffect(() => {
    if (range !== undefined) rememberRange(range);
  }, [range]);
  return range ?? rememberedRange();
}

function Content({ range }: { range: DashboardRange }) {
  const checklist = useChecklist();
  const canEdit = usePermission('editor');
  return (
    <div className="flex flex-col gap-6">
      <Suspense>
        <Notices range={range} />
      </Suspense>
      {canEdit && (checklist.isDone ? checklist.isJustDone : !checklist.isHidden) && (
        <Suspense fallback={<Skeleton count={6} />}>
          <Checklist checklist={checklist} />
        </Suspense>
      )}
      <Figures range={range} />
      {canEdit && checklist.isHidden && !checklist.isDone && (
        <Suspense>
          <ShowChecklist onShow={checklist.show} />
        </Suspense>
      )}
    </div>
  );
}
