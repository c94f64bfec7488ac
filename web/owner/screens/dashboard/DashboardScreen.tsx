import { useSearch } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonAnchor } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useSite } from '../../site/current-site.tsx';
import { DEFAULT_RANGE, useOnboardingFacts } from './dashboard.api.ts';
import { Figures } from './Figures.tsx';
import { Notices, Onboarding, ShowChecklist } from './lazy-cards.ts';
import { useChecklist } from './use-checklist.ts';

export { prefetchDashboard as prefetch } from './dashboard.api.ts';
export { LAZY_CARDS as lazyComponents } from './lazy-cards.ts';

export function DashboardScreen() {
  const { t } = useTranslation('dashboard');
  const { site, site_id } = useSite();
  const facts = useOnboardingFacts();
  const pageUrl = facts.data?.firstPage?.url;
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description', { site: site.name })}
        action={
          pageUrl && (
            <ButtonAnchor href={pageUrl} target="_blank" rel="noreferrer" icon={<ExternalLink />}>
              {t('open_page')}
            </ButtonAnchor>
          )
        }
      />
      <Content key={site_id} />
    </>
  );
}

function Content() {
  const { range = DEFAULT_RANGE } = useSearch({ from: '/shell/dashboard' });
  const checklist = useChecklist();
  const canEdit = usePermission('editor');
  return (
    <div className="flex flex-col gap-6">
      <Suspense>
        <Notices range={range} />
      </Suspense>
      {canEdit && !checklist.isHidden && !checklist.isDone && (
        <Suspense fallback={<Skeleton count={4} />}>
          <Onboarding onHide={checklist.hide} />
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
