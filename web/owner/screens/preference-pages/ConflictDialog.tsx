import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DraftConflict } from '#contract/page-drafts.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { toast } from '#web/ui/toast.tsx';
import { readAuth } from '../../session/session.ts';
import { useTimeText } from './use-draft-status.ts';

interface ConflictDialogProps {
  /** The server's current state. */
  found: DraftConflict;
  onClose: () => void;
  onLoadTheirs: () => Promise<void>;
  onOverwrite: () => void;
}

export function ConflictDialog({ found, onClose, onLoadTheirs, onOverwrite }: ConflictDialogProps) {
  const { t } = useTranslation('editor');
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const story = useStory(found);

  async function loadTheirs() {
    setIsPending(true);
    setError(null);
    try {
      await onLoadTheirs();
      toast(t('conflict.loaded'));
      onClose();
    } catch (cause) {
      setError(cause);
    } finally {
      setIsPending(false);
    }
  }

  function overwrite() {
    onOverwrite();
    onClose();
  }

  return (
    <Dialog
      isOpen
      role="alertdialog"
      onOpenChange={onClose}
      title={t('conflict.title')}
      description={`${story} ${t('conflict.question')}`}
      footer={
        <>
          <Button variant="danger" onPress={overwrite}>
            {t('conflict.mine')}
          </Button>
          <Button variant="primary" isPending={isPending} onPress={() => void loadTheirs()}>
            {t('conflict.theirs')}
          </Button>
        </>
      }
    >
      {error !== null && <FormError error={error} />}
    </Dialog>
  );
}

function useStory({ draft, published_by }: DraftConflict): string {
  const { t } = useTranslation('editor');
  const timeText = useTimeText();
  if (draft !== null) {
    const time = timeText(draft.saved_at);
    if (draft.saved_by?.id === readAuth()?.id) return t('conflict.draft_own', { time });
    return t('conflict.draft', { name: draft.saved_by?.name ?? t('somebody'), time });
  }
  return published_by === null ? t('conflict.gone') : t('conflict.published', { name: published_by.name });
}
