import { useNavigate } from '@tanstack/react-router';
import { Plus, Settings2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Site } from '#contract/sites.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { usePermission } from '../../../account/permissions.ts';
import { useLanguage } from '../../../i18n/i18n.ts';
import { leaveUnsaved } from '../../../drafts/unsaved-guard.tsx';
import { useSite } from '../../../site/current-site.tsx';
import { byName } from '../../../site/site-order.ts';
import { canBeVerified } from '../../site-settings/domain.logic.ts';
import { CreateSiteDialog } from './CreateSiteDialog.tsx';

export function SitesCard() {
  const { t } = useTranslation('settings');
  const { sites } = useSite();
  const language = useLanguage();
  const [isCreating, setIsCreating] = useState(false);
  const canManage = usePermission('admin');
  return (
    <Card
      title={t('sites.title')}
      description={t('sites.description')}
      isPadded={false}
      action={
        canManage && (
          <Button icon={<Plus />} onPress={() => setIsCreating(true)}>
            {t('sites.new')}
          </Button>
        )
      }
    >
      <ul className="divide-y divide-line">
        {byName(sites, language).map((site) => (
          <SiteRow key={site.id} site={site} />
        ))}
      </ul>
      {isCreating && <CreateSiteDialog onClose={() => setIsCreating(false)} />}
    </Card>
  );
}

function PendingBadge({ canWork }: { canWork: boolean }) {
  const { t } = useTranslation('settings');
  return canWork ? (
    <Badge tone="warning">{t('sites.pending')}</Badge>
  ) : (
    <Badge tone="danger">{t('sites.impossible')}</Badge>
  );
}

function SiteRow({ site }: { site: Site }) {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  const { select, site_id } = useSite();
  const canManage = usePermission('admin');
  const hosts = [site.domain_name, ...(site.custom_domain === null ? [] : [site.custom_domain])];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <span className="min-w-0 break-words">{site.name}</span>
          {site.id === site_id && <Badge tone="accent">{t('sites.current')}</Badge>}
        </p>
        <ul>
          {hosts.map((host) => (
            <li key={host} className="flex items-center gap-1 text-[13px] text-ink-muted">
              <span className="min-w-0 wrap-anywhere">{host}</span>
              {host === site.custom_domain && site.custom_domain_status === 'pending' && (
                <PendingBadge canWork={canBeVerified(site.domain_name, host)} />
              )}
              <CopyButton value={host} label={t('sites.copy', { host })} />
            </li>
          ))}
        </ul>
      </div>
      {canManage && (
        <Button
          size="sm"
          icon={<Settings2 />}
          aria-label={t('sites.settings_of', { name: site.name })}
          onPress={() =>
            leaveUnsaved(() => {
              select(site.id);
              void navigate({ to: '/site-settings', ignoreBlocker: true });
            })
          }
        >
          {t('sites.settings')}
        </Button>
      )}
    </li>
  );
}
