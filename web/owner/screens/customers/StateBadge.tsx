import { CirclePause, MailX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { useDay } from '../../components/RelativeTime.tsx';
import { stateOf } from './customers.logic.ts';

/** Whether a customer receives anything at all. */
export function StateBadge({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  const day = useDay();
  switch (stateOf(customer)) {
    case 'left':
      return (
        <Badge tone="danger" icon={<MailX />}>
          {t('state.left')}
        </Badge>
      );
    case 'paused':
      return (
        <Badge tone="warning" icon={<CirclePause />}>
          {t('state.paused', { date: day(customer.paused_until ?? '') })}
        </Badge>
      );
    case 'active':
      return <Badge>{t('state.active')}</Badge>;
  }
}
