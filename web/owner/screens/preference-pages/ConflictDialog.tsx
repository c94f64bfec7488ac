import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { toast } from '#web/ui/toast.tsx';

interface ConflictDialogProps {
  onClose: () => void;
  onLoadTheirs: () => Promise<void>;
  onOverwrite: () => Promise<void>;
}

export function ConflictDialog({ onClose, onLoadTheirs, onOverwrite }: ConflictDialogProps) {
  const { t } = useTranslation('pages');
  const [pending, setPending] = useState<'theirs' | 'mine' | null>(null);
  const [error, setError] = useState<unknown>(null);

  async function resolve(how: 'theirs' | 'mine') {
    setPending(how);
    setError(null);
    try {
      await (how === 'theirs' ? onLoadTheirs() : onOverwrite());
      if (how === 'theirs') toast(t('conflict.loaded'));
      onClose();
    } catch (cause) {
      setError(cause);
    } finally {
      setPending(null);
    }
  }

  return (
    <Dialog
      isOpen
      role="alertdialog"
      onOpenChange={onClose}
      title={t('conflict.title')}
      description={t('conflict.text')}
      footer={
        <>
          <Button variant="danger" isPending={pending === 'mine'} onPress={() => void resolve('mine')}>
            {t('conflict.mine')}
          </Button>
          <Button variant="primary" isPending={pending === 'theirs'} onPress={() => void resolve('theirs')}>
            {t('conflict.theirs')}
          </Button>
        </>
      }
    >
      {error !== null && <FormError error={error} />}
    </Dialog>
  );
}
