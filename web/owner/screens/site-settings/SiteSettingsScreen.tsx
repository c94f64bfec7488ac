import { useTranslation } from 'react-i18next';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { useSite } from '../../site.tsx';
import { AddDomainCard } from './AddDomainCard.tsx';
import { DomainCard } from './DomainCard.tsx';

export function SiteSettingsScreen() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  return (
    <div className="max-w-2xl">
      <PageHeader title={t('title')} description={t('description', { site: site.name })} />
      <div key={site.id} className="flex flex-col gap-6">
        {site.custom_domain === null ? <AddDomainCard /> : <DomainCard />}
      </div>
    </div>
  );
}
