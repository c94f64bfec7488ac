import { useTranslation } from 'react-i18next';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import { Badge, type BadgeTone } from '#web/ui/Badge.tsx';
import { UnheardNotice } from './UnheardNotice.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useExactTime, useNow } from '../../components/RelativeTime.tsx';
import { addedReason, noticeKey, noticeOf, type Standing, standingOf } from './integrations.logic.ts';

const TONES: Record<Standing, BadgeTone> = {
  connected: 'success',
  preparing: 'neutral',
  unheard: 'warning',
  resting: 'warning',
  failing: 'warning',
  credentials_refused: 'danger',
  switched_off: 'danger',
};

export function StandingBadge({ integration }: { integration: Integration }) {
  const { t } = useTranslation('integrations');
  const standing = standingOf(integration, useNow());
  return <Badge tone={TONES[standing]}>{t(`standing.${standing}`)}</Badge>;
}

interface StandingNoticeProps {
  integration: Integration;
  /** Missing for a tool that this version no longer knows. */
  connector: ConnectorInfo | undefined;
}

/** The problem and what to do, then since when and what the tool said; renders nothing if all is well. */
export function StandingNotice({ integration, connector }: StandingNoticeProps) {
  const { t } = useTranslation('integrations');
  const exact = useExactTime();
  const canFix = usePermission('admin');
  const { rests_until, failing_since, status_reason, connected_by } = integration;
  const tool = connector?.name ?? integration.provider;
  const standing = standingOf(integration, useNow());
  if (standing === 'connected' || standing === 'preparing') return null;
  if (standing === 'unheard') return <UnheardNotice integration={integration} tool={tool} />;
  const notice = noticeOf(standing, connected_by, connector);
  const reason = addedReason(standing, status_reason);
  const isDanger = TONES[standing] === 'danger';
  return (
    <div
      className={`flex flex-col gap-1 rounded-lg px-3 py-2 text-[13px] ${isDanger ? 'bg-danger-soft text-danger' : 'bg-warning-soft text-warning'}`}
    >
      <p className="font-medium text-pretty">
        {standing === 'resting' && rests_until !== null
          ? t('notice.resting', { tool, time: exact(rests_until) })
          : t(noticeKey(notice, canFix), { tool })}
      </p>
      {failing_since !== null && <p>{t('notice.since', { time: exact(failing_since) })}</p>}
      {reason !== '' && (
        <p lang="en" className="break-words">
          {reason}
        </p>
      )}
    </div>
  );
}
