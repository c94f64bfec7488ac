import { useSearch } from '@tanstack/react-router';
import { ExternalLink, ListChecks } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { ButtonAnchor } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { useMay } from '../../may.ts';
import { useSite } from '../../site.tsx';
import { DEFAULT_RANGE, useOnboardingFacts } from './dashboard.api.ts';
import { Figures } from './Figures.tsx';
import { Onboarding } from './Onboarding.tsx';
import { onboarding } from './onboarding.logic.ts';
import { useChecklist } from './use-checklist.ts';

export function DashboardScreen() {
  const { t } = useTranslation('dashboard');
  const { site, site_id } = useSite();
  const facts = useOnboardingFacts();
  const pageUrl = facts.data?.firstPageUrl;
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
      {mayEdit && !checklist.isHidden && <Onboarding onHide={checklist.hide} />}
      <Figures range={range} />
      {mayEdit && checklist.isHidden && <ShowChecklist onShow={checklist.show} />}
    </div>
  );
}

/** The way back to the checklist, while there is something left on it. */
function ShowChecklist({ onShow }: { onShow: () => void }) {
  const { t } = useTranslation('figures');
  const facts = useOnboardingFacts();
  if (!facts.data || onboarding(facts.data).every((one) => one.isDone)) return null;
  return (
    <div className="flex justify-center">
      <Button
        variant="ghost"
        icon={<ListChecks />}
        onPress={() => {
          onShow();
          window.scrollTo({ top: 0 });
        }}
      >
        {t('checklist.show')}
      </Button>
    </div>
  );
}
