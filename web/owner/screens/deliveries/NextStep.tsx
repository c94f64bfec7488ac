import { useTranslation } from 'react-i18next';
import type { DeliveryDetail } from '#contract/deliveries.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { usePermission } from '../../account/permissions.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useActions } from '../../queries/action-queries.ts';
import { nextStepOf } from './outcome.logic.ts';

/** What happens next, or what the owner can do about it; nothing where nothing is left to do. */
export function NextStep({ delivery }: { delivery: DeliveryDetail }) {
  const { t } = useTranslation('deliveries');
  const action = useActions().data?.find(({ id }) => id === delivery.action_id);
  const canEdit = usePermission('editor');
  const step = nextStepOf(delivery);
  if (step === null) return null;
  const tool = delivery.tool_name ?? '';
  return (
    <p className="mt-1.5 ml-6 text-pretty text-ink-muted">
      {step === 'automatic' && delivery.next_attempt_at !== null && (
        <>
          {t('column.next')}: <RelativeTime at={delivery.next_attempt_at} />
        </>
      )}
      {step !== 'automatic' && step !== 'tool_off' && `${t(`next.${step}`, { tool })} `}
      {(step === 'credentials' || step === 'tool_off') && action?.integration_id && (
        <TextLink to="/integrations/$id" params={{ id: action.integration_id }}>
          {t('next.open_tool', { tool })}
        </TextLink>
      )}
      {canEdit && (step === 'target' || step === 'action_off') && action !== undefined && (
        <TextLink to="/actions" search={{ edit: action.id }}>
          {t('next.open_action')}
        </TextLink>
      )}
    </p>
  );
}
