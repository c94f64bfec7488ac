import { RotateCw, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SiteDomain } from '#contract/domains.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useSendsEmail } from '../../api/app-settings.ts';
import { dateFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { usePermission } from '../../account/permissions.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { refreshSites } from '../../queries/site-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import { PrivateHostWarning, WebsiteWarning } from './DomainWarnings.tsx';
import { RecordItem } from './RecordItem.tsx';
import { useCheckDomain, useDomain, useSetDomain } from './domain.api.ts';
import { isPublicDomain } from '../../site/public-domain.ts';
import { canBeVerified } from './domain.logic.ts';

export function DomainCard() {
  const domain = useDomain();
  if (domain.isPending) return <Skeleton shape="panels" count={1} />;
  if (domain.isLoadingError) return <ErrorState error={domain.error} onRetry={() => void domain.refetch()} />;
  return <ReadyCard domain={domain.data} />;
}

function ReadyCard({ domain }: { domain: SiteDomain }) {
  const { t } = useTranslation('site');
  const { organization_id, site } = useSite();
  const check = useCheckDomain();
  const canChange = usePermission('admin');
  const sendsEmail = useSendsEmail();
  const isVerified = domain.status === 'verified';
  // Records that never work are not offered.
  const canWork = isVerified || canBeVerified(site.domain_name, domain.host);

  useEffect(() => {
    if (site.custom_domain_status !== domain.status) void refreshSites(organization_id);
  }, [site.custom_domain_status, domain.status, organization_id]);

  async function checkNow() {
    const seen = await check.mutateAsync().catch(() => null);
    if (seen?.status === 'verified' && !isVerified) toast(t('domain.ready'));
  }

  return (
    <Card
      title={t('domain.title')}
      description={t('domain.description')}
      footer={
        canChange && (
          <>
            <RemoveDomain domain={domain} />
            {canWork && (
              <Button
                variant={isVerified ? 'secondary' : 'primary'}
                icon={<RotateCw />}
                isPending={check.isPending}
                onPress={() => void checkNow()}
              >
                {t('domain.check')}
              </Button>
            )}
          </>
        )
      }
    >
      <div className="flex flex-col gap-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <p className="min-w-0 text-base font-semibold wrap-anywhere">{domain.host}</p>
          <span role="status">
            {canWork ? (
              <Badge tone={isVerified ? 'success' : 'warning'}>{t(`domain.status.${domain.status}`)}</Badge>
            ) : (
              <Badge tone="danger">{t('domain.status.impossible')}</Badge>
            )}
          </span>
          {domain.checked_at !== null && (
            <p className="text-[13px] text-ink-muted sm:ml-auto">
              {t('domain.checked')} <RelativeTime at={domain.checked_at} />
            </p>
          )}
        </div>
        <DomainNotice domain={domain} />
        {!isVerified && (
          <>
            <PrivateHostWarning />
            {!isPublicDomain(domain.host) && (
              <Notice tone="warning">{t('domain.not_public', { host: domain.host })}</Notice>
            )}
            {canWork && <WebsiteWarning host={domain.host} />}
          </>
        )}
        {canWork && (
          <>
            <p className="text-pretty">
              {isVerified
                ? t('domain.in_use', { host: domain.host })
                : `${t('domain.set_up')} ${t(sendsEmail ? 'domain.checking_email' : 'domain.checking')}`}
            </p>
            <ul className="flex flex-col gap-3">
              {domain.records.map((record) => (
                <RecordItem key={record.type} record={record} />
              ))}
            </ul>
            {!isVerified && <Hints domain={domain} />}
          </>
        )}
        <FormError error={check.error} />
      </div>
    </Card>
  );
}

/** The most important notice. */
function DomainNotice({ domain: { notice } }: { domain: SiteDomain }) {
  const { t } = useTranslation('site');
  const format = dateFormat(useLanguage(), { dateStyle: 'long' });
  if (notice === null) return null;
  const date = notice.until === null ? '' : format.format(new Date(notice.until));
  return (
    <p role="alert" className="flex gap-2 rounded-lg bg-warning-soft px-3 py-2 text-warning">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 text-pretty">{t(`domain.notice.${notice.kind}`, { date })}</span>
    </p>
  );
}

function Hints({ domain }: { domain: SiteDomain }) {
  const { t } = useTranslation('site');
  return (
    <div className="flex flex-col gap-3 text-[13px] text-pretty text-ink-muted">
      <p>{t('domain.short_names')}</p>
      {domain.addresses.length > 0 && (
        <div>
          <p>{t('domain.root', { host: domain.host })}</p>
          <ul>
            {domain.addresses.map((address) => (
              <li key={address} className="flex items-center gap-1">
                <code className="font-mono wrap-anywhere text-ink">{address}</code>
                <CopyButton value={address} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function RemoveDomain({ domain }: { domain: SiteDomain }) {
  const { t } = useTranslation('site');
  const setDomain = useSetDomain();
  const [isOpen, setIsOpen] = useState(false);

  async function remove() {
    await setDomain.mutateAsync(null);
    toast(t('domain.removed'));
  }

  return (
    <>
      <Button variant="ghost" onPress={() => setIsOpen(true)}>
        {t('domain.remove')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setIsOpen}
        title={t('domain.removal.title', { host: domain.host })}
        description={t(`domain.removal.${domain.status}`)}
        confirmLabel={t('domain.remove')}
        // Links that were already sent stop working for good.
        {...(domain.status === 'verified' ? { typedConfirmation: domain.host } : {})}
        onConfirm={remove}
      />
    </>
  );
}
