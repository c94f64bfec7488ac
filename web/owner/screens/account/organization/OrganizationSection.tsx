import { useTranslation } from 'react-i18next';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../../account/permissions.ts';
import { RuleCard } from '../../second-factor/RuleCard.tsx';
import { NameCard } from './NameCard.tsx';
import { useOrganization } from '../../../queries/organization-queries.ts';
import { SitesCard } from './SitesCard.tsx';

export function OrganizationSection() {
  const { t } = useTranslation('settings');
  const organization = useOrganization();
  const canRename = usePermission('owner');
  if (organization.isPending) return <Skeleton shape="panels" count={2} />;
  if (organization.isLoadingError) {
    return <ErrorState error={organization.error} onRetry={() => void organization.refetch()} />;
  }
  return (
    <div className="flex flex-col gap-6" aria-label={t('sections.organization')} role="group">
      {canRename && <NameCard key={organization.data.name} organization={organization.data} />}
      {canRename && <RuleCard organization={organization.data} />}
      <SitesCard />
    </div>
  );
}
