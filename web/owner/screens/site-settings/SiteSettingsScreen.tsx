import { useTranslation } from 'react-i18next';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { useMay } from '../../may.ts';
import { LookOnly } from '../../parts/LookOnly.tsx';
import { NeedsRole } from '../../parts/NeedsRole.tsx';
import { useSite } from '../../site.tsx';
import { AddDomainCard } from './AddDomainCard.tsx';
import { DeliveryContentCard, LinkLifetimeCard } from './DaysCard.tsx';
import { DomainCard } from './DomainCard.tsx';
import { EmailCard } from './EmailCard.tsx';
import { OperatorCard } from './OperatorCard.tsx';

export function SiteSettingsScreen() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const mayChange = useMay('admin');
  return (
    <div className="max-w-2xl">
      <PageHeader title={t('title')} description={t('description', { site: site.name })} />
      {site.custom_domain === null ? <NeedsRole needs="admin" /> : <LookOnly needs="admin" />}
      <div key={site.id} className="flex flex-col gap-6">
        {site.custom_domain !== null && <DomainCard />}
        {site.custom_domain === null && mayChange && <AddDomainCard />}
        {mayChange && (
          <>
            <OperatorCard />
            <EmailCard />
            <LinkLifetimeCard />
            <DeliveryContentCard />
          </>
        )}
      </div>
    </div>
  );
}
