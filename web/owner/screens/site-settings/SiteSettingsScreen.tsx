import { useTranslation } from 'react-i18next';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { NeedsRole } from '../../components/NeedsRole.tsx';
import { useSite } from '../../site/current-site.tsx';
import { AddDomainCard } from './AddDomainCard.tsx';
import { AnchorCard } from './AnchorCard.tsx';
import { DeliveryContentCard, LinkLifetimeCard } from './DaysCard.tsx';
import { DomainCard } from './DomainCard.tsx';
import { OperatorCard } from './OperatorCard.tsx';
import { SenderCard } from './SenderCard.tsx';
import { SiteNameCard } from './SiteNameCard.tsx';
import { TestModeCard } from './TestModeCard.tsx';

/** With the part of the URL that leads to them. */
const CARDS = [
  ['name', SiteNameCard],
  ['domain', OwnDomainCard],
  ['operator', OperatorCard],
  ['sender', SenderCard],
  ['links', LinkLifetimeCard],
  ['delivery_content', DeliveryContentCard],
  ['evidence_anchor', AnchorCard],
  ['test_mode', TestModeCard],
] as const;

export function SiteSettingsScreen() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const canChange = usePermission('admin');
  return (
    <div className="max-w-2xl">
      <PageHeader title={t('title')} description={t('description', { site: site.name })} />
      {site.custom_domain === null ? <NeedsRole needs="admin" /> : <ReadOnlyNotice needs="admin" />}
      <div key={site.id} className="flex flex-col gap-6">
        {CARDS.filter(([id]) => canChange || (id === 'domain' && site.custom_domain !== null)).map(
          ([id, SettingsCard]) => (
            <div key={id} id={id} className="scroll-mt-20">
              <SettingsCard />
            </div>
          ),
        )}
      </div>
    </div>
  );
}

function OwnDomainCard() {
  return useSite().site.custom_domain === null ? <AddDomainCard /> : <DomainCard />;
}
