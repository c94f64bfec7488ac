import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportDetail } from '#contract/imports.ts';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { useCancel } from './imports.api.ts';
import { stageOf } from './imports.logic.ts';

export function CancelButton({ id, status }: Pick<ImportDetail, 'id' | 'status'>) {
  const { t } = useTranslation('imports');
  const [isAsking, setIsAsking] = useState(false);
  const cancel = useCancel(id);
  return (
    <>
      <Button onPress={() => setIsAsking(true)}>{t('cancel.button')}</Button>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title={t('cancel.title')}
        description={t(`cancel.text.${stageOf(status)}`)}
        confirmLabel={t('cancel.button')}
        cancelLabel={t('cancel.keep')}
        onConfirm={() => cancel.mutateAsync()}
      />
    </>
  );
}
