import { useSearch } from '@tanstack/react-router';
import i18next from 'i18next';
import { ExternalLink } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonAnchor } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { lazyPart } from '../../lazy-part.tsx';
import { useMay } from '../../may.ts';
import { useSite } from '../../site.tsx';
import { DEFAULT_RANGE, useOnboardingFacts } from './dashboard.api.ts';
import { Figures } from './Figures.tsx';
import { useChecklist } from './use-checklist.ts';

// Who has done it all loads none of it.
const Notices = lazyPart(async () => {
  const [part] = await Promise.all([
    import('./Notices.tsx'),
    i18next.loadNamespaces(['evidence-check', 'deliveries']),
  ]);
  return part.Notices;
});
const Onboarding = lazyPart(async () => (await import('./Onboarding.tsx')).Onboarding);
const ShowChecklist = lazyPart(async () => (await import('./Onboarding.tsx')).ShowChecklist);

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
  const mayEdit = useMay('editor');
  return (
    <div className="flex flex-col gap-6">
      <Suspense>
        <Notices range={range} />
      </Suspense>
      {mayEdit && !checklist.isHidden && !checklist.isDone && (
        <Suspense fallback={<Skeleton count={4} />}>
          <Onboarding onHide={checklist.hide} />
        </Suspense>
      )}
      <Figures range={range} />
      {mayEdit && checklist.isHidden && !checklist.isDone && (
        <Suspense>
          <ShowChecklist onShow={checklist.show} />
        </Suspense>
      )}
    </div>
  );
}
