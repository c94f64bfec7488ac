import { useTranslation } from 'react-i18next';
import type { Delivery } from '#contract/deliveries.ts';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { namedLists } from './deliveries.logic.ts';

/** What a delivery is about, with the lists by name: `Unsubscribed from Weekly news`. */
export function useHeadline(): (delivery: Pick<Delivery, 'event' | 'lists'>) => string {
  const { t } = useTranslation(['deliveries', 'customers']);
  const names = listFormat(useLanguage());
  return (delivery) => {
    const { joined, left, declined } = namedLists(delivery);
    const moves = [
      ...(joined.length > 0 ? [t('customers:choice.joined', { lists: names.format(joined) })] : []),
      ...(left.length > 0 ? [t('customers:choice.unsubscribed', { lists: names.format(left) })] : []),
      ...(left.length === 0 && declined.length > 0
        ? [t('customers:choice.declined', { lists: names.format(declined) })]
        : []),
    ];
    const isNamed = moves.length > 0 && delivery.event !== 'customer_created';
    return [...(isNamed ? [] : [t(`deliveries:event.${delivery.event}`)]), ...moves].join(' · ');
  };
}
