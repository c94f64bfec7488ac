import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useEraseCustomer } from './customers.api.ts';

export function EraseCard({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const erase = useEraseCustomer(customer.id);

  async function confirm() {
    await erase.mutateAsync();
    toast(t('erase.done'));
    await navigate({ to: '/customers' });
  }

  return (
    <Card title={t('erase.title')} description={t('erase.help')}>
      <Button onPress={() => setIsAsking(true)}>{t('erase.button')}</Button>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title={t('erase.ask')}
        description={t('erase.warning')}
        typedConfirmation={customer.email}
        confirmLabel={t('erase.confirm')}
        onConfirm={confirm}
      />
    </Card>
  );
}
