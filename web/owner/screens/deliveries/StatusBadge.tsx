import { CircleCheck, CircleX, Clock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { DeliveryStatus } from '#contract/deliveries.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { statusTone } from './deliveries.logic.ts';

const ICONS = { arrived: <CircleCheck />, waiting: <Clock />, failed: <CircleX /> };

export function StatusBadge({ status }: { status: DeliveryStatus }) {
  const { t } = useTranslation('deliveries');
  return (
    <Badge tone={statusTone(status)} icon={ICONS[status]}>
      {t(`status.${status}`)}
    </Badge>
  );
}
