import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { useChangeAction } from './actions.api.ts';
import type { FreshSecret } from './SecretDialog.tsx';

interface RotateDialogProps {
  action: Action;
  onClose: () => void;
  onSecret: (secret: FreshSecret) => void;
}

export function RotateDialog({ action, onClose, onSecret }: RotateDialogProps) {
  const { t } = useTranslation('actions');
  const change = useChangeAction(action.id);
  return (
    <ConfirmDialog
      isOpen
      variant="primary"
      onOpenChange={onClose}
      title={t('rotate.title')}
      description={t('rotate.text')}
      confirmLabel={t('rotate.confirm')}
      onConfirm={async () => {
        const { signing_secret: value } = await change.mutateAsync({ rotate_secret: true });
        if (value) onSecret({ value, isRotated: true });
      }}
    />
  );
}
