import { CirclePause, MailWarning, MailX, UserX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { useDay } from '../../components/RelativeTime.tsx';
import { stateOf } from './customers.logic.ts';

/** Whether a customer receives anything at all. */
export function StateBadge({ customer, isBounced }: { customer: Customer; isBounced: boolean }) {
  const { t } = useTranslation('customers');
  const day = useDay();
  switch (stateOf(customer, isBounced)) {
    case 'unsubscribed':
      return (
        <Badge tone="danger" icon={<MailX />}>
          {t('state.unsubscribed')}
        </Badge>
      );
    case 'paused':
      return (
        <Badge tone="warning" icon={<CirclePause />}>
          {t('state.paused_until', { date: day(customer.paused_until ?? '') })}
        </Badge>
      );
    case 'wrong_recipient':
      return (
        <Badge tone="warning" icon={<UserX />}>
          {t('state.wrong_recipient')}
        </Badge>
      );
    case 'bounced':
      return (
        <Badge tone="warning" icon={<MailWarning />}>
          {t('state.bounced')}
        </Badge>
      );
    case 'active':
      return <Badge>{t('state.active')}</Badge>;
  }
}
