import { useTranslation } from 'react-i18next';
import { Notice } from '#web/ui/Notice.tsx';
import { useAppSettings } from '../../api/app-settings.ts';
import { useSite } from '../../site/current-site.tsx';
import { insteadOfWebsite, isPublicDomain } from './domain.logic.ts';

/** Warns that pointing this host here takes a website offline. */
export function WebsiteWarning({ host }: { host: string | null }) {
  const { t } = useTranslation('site');
  const instead = host === null ? null : insteadOfWebsite(host);
  return (
    <div role="status">
      {instead !== null && <Notice tone="warning">{t('domain.website', { host, instead })}</Notice>}
    </div>
  );
}

/** Says where no DNS record can ever point to this server, as on somebody's own computer. */
export function PrivateServerWarning() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const settings = useAppSettings();
  if (settings === undefined || isPublicDomain(settings.site_domain)) return null;
  return <Notice tone="warning">{t('domain.private', { host: site.domain_name })}</Notice>;
}
