import { CircleCheck, CircleMinus, CircleX, Clock, FlaskConical, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Delivery } from '#contract/deliveries.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { statusTone } from './deliveries.logic.ts';
import { wasAlreadyInSync } from './outcome.logic.ts';

const ICONS = { arrived: <CircleCheck />, waiting: <Clock />, failed: <CircleX /> };

export function StatusBadge({
  delivery,
}: {
  delivery: Pick<Delivery, 'status'> & Partial<Pick<Delivery, 'outcome'>>;
}) {
  const { t } = useTranslation('deliveries');
  const { status, outcome } = delivery;
  if (outcome === 'test') {
    return (
      <Badge tone="accent" icon={<FlaskConical />}>
        {t('status.test')}
      </Badge>
    );
  }
  if (outcome === 'held') {
    return (
      <Badge tone="warning" icon={<FlaskConical />}>
        {t('status.held')}
      </Badge>
    );
  }
  // The tool took it, and the customer gets nothing by it so far.
  if (outcome === 'blocked' || outcome === 'awaits_person') {
    return (
      <Badge tone="warning" icon={outcome === 'blocked' ? <TriangleAlert /> : <Clock />}>
        {t(`status.${outcome}`)}
      </Badge>
    );
  }
  if (outcome !== undefined && wasAlreadyInSync(outcome))
    return <Badge icon={<CircleMinus />}>{t('status.nothing')}</Badge>;
  return (
    <Badge tone={statusTone(status)} icon={ICONS[status]}>
      {t(`status.${status}`)}
    </Badge>
  );
}
