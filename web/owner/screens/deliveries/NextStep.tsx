import { useTranslation } from 'react-i18next';
import type { DeliveryDetail } from '#contract/deliveries.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { usePermission } from '../../account/permissions.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useActions } from '../../queries/action-queries.ts';
import { isReceiverGone, nextStepOf } from './outcome.logic.ts';
import { useIntegrationOf } from './use-integration-of.ts';

/** What happens next, or what the owner can do about it; nothing where nothing is left to do. */
export function NextStep({ delivery }: { delivery: DeliveryDetail }) {
  const { t } = useTranslation('deliveries');
  const action = useActions().data?.find(({ id }) => id === delivery.action_id);
  const canEdit = usePermission('editor');
  const canConnect = usePermission('admin');
  const { integrationId, isByKey } = useIntegrationOf()(delivery);
  const step = nextStepOf(delivery, isReceiverGone(delivery) && action?.enabled === false);
  if (step === null) return null;
  const tool = delivery.tool_name ?? '';
  const person = delivery.customer_email ?? t('row.erased');
  const enter = isByKey ? 'next.enter_key' : 'next.enter_credentials';
  const isAutomatic = step === 'automatic' || step === 'new_credentials';
  const isAboutCredentials = step === 'new_credentials' || step === 'credentials' || step === 'tool_off';
  return (
    <p className="mt-1.5 ml-6 text-pretty text-ink-muted">
      {isAutomatic && delivery.next_attempt_at !== null && (
        <span className="block">
          {t('column.next')}: <RelativeTime at={delivery.next_attempt_at} isAhead />
        </span>
      )}
      {step === 'fix' && delivery.last_error !== null && <span className="block">{delivery.last_error}</span>}
      {!isAutomatic &&
        step !== 'tool_off' &&
        `${t(isByKey && step === 'credentials' ? 'next.key' : `next.${step}`, { tool, person })} `}
      {isAboutCredentials && integrationId !== null && (
        <TextLink
          to="/integrations/$id"
          params={{ id: integrationId }}
          search={canConnect ? { connect: true } : {}}
        >
          {canConnect && step !== 'credentials' ? t(enter) : t('next.open_tool', { tool })}
        </TextLink>
      )}
      {canEdit && (step === 'target' || step === 'gone' || step === 'action_off') && action !== undefined && (
        <TextLink to="/actions" search={{ edit: action.id }}>
          {t('next.open_action')}
        </TextLink>
      )}
    </p>
  );
}
