import { ExternalLink } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { ButtonAnchor } from '#web/ui/LinkButton.tsx';
import { useMay } from '../../may.ts';
import { useSite } from '../../site.tsx';
import { useOnboardingFacts, useRecentDeliveries } from './dashboard.api.ts';
import { DeliveriesSummary } from './DeliveriesSummary.tsx';
import { Onboarding } from './Onboarding.tsx';

export function DashboardScreen() {
  const { t } = useTranslation('dashboard');
  const { site } = useSite();
  const facts = useOnboardingFacts();
  const mayEdit = useMay('editor');
  const deliveries = useRecentDeliveries();
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
      {facts.isError && deliveries.isError ? (
        <ErrorState
          error={facts.error}
          onRetry={() => {
            void facts.refetch();
            void deliveries.refetch();
          }}
        />
      ) : (
        <div className="flex flex-col gap-6">
          {mayEdit && <Onboarding />}
          <DeliveriesSummary />
        </div>
      )}
    </>
  );
}
