import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { toast } from '#web/ui/toast.tsx';
import { useSetLeft } from './customers.api.ts';
import { subscriptionStateOf } from './customers.logic.ts';

/** Unsubscribes a customer from everything, with undo; resubscribing asks first. */
export function LeaveButton({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  const errorText = useErrorText();
  const [isAsking, setIsAsking] = useState(false);
  const set = useSetLeft(customer.id);
  const fail = (error: unknown) => toast(`${t('not_saved')} ${errorText(error)}`, { tone: 'error' });

  function leave() {
    const { email } = customer;
    set.mutate(true, {
      onSuccess: () =>
        toast(t('leave.done', { email }), { onUndo: () => set.mutate(false, { onError: fail }) }),
      onError: fail,
    });
  }

  return (
    <>
      {subscriptionStateOf(customer) === 'active' ? (
        <Button isPending={set.isPending} onPress={leave}>
          {t('leave.button')}
        </Button>
      ) : (
        <Button isPending={set.isPending} onPress={() => setIsAsking(true)}>
          {t('return.button')}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        variant="primary"
        title={t('return.title', { email: customer.email })}
        description={t('return.text')}
        confirmLabel={t('return.confirm')}
        onConfirm={async () => {
          await set.mutateAsync(false);
          toast(t('return.done', { email: customer.email }));
        }}
      />
    </>
  );
}
