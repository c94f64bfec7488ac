import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useExactTime } from '../../components/RelativeTime.tsx';
import { useEndLinks } from './customers.api.ts';

type Props = { customer: Customer; onEnded: () => void };

/** Ends all personal links of a customer. That cannot be undone, so it asks first. */
export function EndLinks({ customer, onEnded }: Props) {
  const { t } = useTranslation('customers');
  const exactTime = useExactTime();
  const [isAsking, setIsAsking] = useState(false);
  const end = useEndLinks(customer.id);
  const { email, links_ended_at: endedAt } = customer;
  return (
    <>
      {endedAt !== null && (
        <p className="text-[13px] text-ink-muted">{t('link.ended', { date: exactTime(endedAt) })}</p>
      )}
      <Button onPress={() => setIsAsking(true)}>{t('link.end')}</Button>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title={t('link.end_ask')}
        description={t('link.end_warning')}
        typedConfirmation={email}
        confirmLabel={t('link.end_confirm')}
        onConfirm={async () => {
          await end.mutateAsync();
          onEnded();
          toast(t('link.end_done', { email }));
        }}
      />
    </>
  );
}
