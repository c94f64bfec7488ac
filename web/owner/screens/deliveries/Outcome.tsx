import { CircleCheck, CircleMinus, CircleX, Clock, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Delivery, DeliveryDetail } from '#contract/deliveries.ts';
import { isReceiverGone, outcomeKey, type OutcomeTone, outcomeTone } from './outcome.logic.ts';
import { useIntegrationOf } from './use-integration-of.ts';

const TONES: Record<OutcomeTone, string> = {
  success: 'text-success',
  neutral: 'text-ink-muted',
  warning: 'text-warning',
  danger: 'text-danger',
};

const ICONS: Record<OutcomeTone, ReactNode> = {
  success: <CircleCheck />,
  neutral: <CircleMinus />,
  warning: <Clock />,
  danger: <CircleX />,
};

export function useOutcomeText() {
  const { t } = useTranslation('deliveries');
  const integrationOf = useIntegrationOf();
  return (delivery: Delivery | DeliveryDetail) => {
    const isGone = 'attempts' in delivery && isReceiverGone(delivery);
    const key = isGone ? 'endpoint_gone' : outcomeKey(delivery, integrationOf(delivery).isByKey);
    return t(`outcomes.${key}`, {
      tool: delivery.tool_name ?? '',
      person: delivery.customer_email ?? t('row.erased'),
    });
  };
}

/** A delivery's outcome, in one sentence. */
export function Outcome({ delivery }: { delivery: Delivery | DeliveryDetail }) {
  const text = useOutcomeText();
  const tone = outcomeTone(delivery.outcome);
  return (
    <span className="flex items-start gap-2">
      <span aria-hidden className={`mt-0.5 shrink-0 [&_svg]:size-4 ${TONES[tone]}`}>
        {delivery.outcome === 'unconfirmed' ? <TriangleAlert /> : ICONS[tone]}
      </span>
      <span className="min-w-0 text-pretty wrap-anywhere">{text(delivery)}</span>
    </span>
  );
}
