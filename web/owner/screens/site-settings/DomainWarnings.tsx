import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { useAppSettings } from '../../api/app-settings.ts';
import { useSite } from '../../site/current-site.tsx';
import { isPublicDomain } from '../../site/public-domain.ts';
import { insteadOfWebsite } from './domain.logic.ts';

interface WebsiteWarningProps {
  host: string | null;
  /** Offers the subdomain. */
  onUse?: (host: string) => void;
}

/** Warns that pointing this host here takes a website offline. */
export function WebsiteWarning({ host, onUse }: WebsiteWarningProps) {
  const { t } = useTranslation('site');
  const siteDomain = useAppSettings()?.site_domain ?? '';
  const instead = host === null || siteDomain === '' ? null : insteadOfWebsite(host, siteDomain);
  return (
    <div role="status" className="empty:sr-only">
      {instead !== null && (
        <Notice tone="warning">
          <p className="text-pretty">{t('domain.website', { host, instead })}</p>
          {onUse && (
            <div className="mt-2">
              <Button size="sm" onPress={() => onUse(instead)}>
                {t('domain.use_instead', { host: instead })}
              </Button>
            </div>
          )}
        </Notice>
      )}
    </div>
  );
}

/** Says that no DNS record can point to the site's own host, as on somebody's own computer. */
export function PrivateHostWarning() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const settings = useAppSettings();
  if (settings === undefined || isPublicDomain(site.domain_name)) return null;
  const { site_domain: domain } = settings;
  return (
    <Notice tone="warning">
      {t(isPublicDomain(domain) ? 'domain.private_host' : 'domain.private', {
        host: site.domain_name,
        domain,
      })}
    </Notice>
  );
}
