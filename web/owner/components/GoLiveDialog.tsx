import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useChangeSite } from '../queries/site-queries.ts';

interface GoLiveDialogProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

/** Ends test mode, after saying what is sent then and what never is. */
export function GoLiveDialog({ isOpen, onOpenChange }: GoLiveDialogProps) {
  const { t } = useTranslation('test-mode');
  const change = useChangeSite();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title={t('go_live.title')}
      description={
        <span className="flex flex-col gap-2">
          <span>{t('go_live.sent')}</span>
          <span>{t('go_live.held')}</span>
          <span>{t('go_live.tests')}</span>
        </span>
      }
      confirmLabel={t('go_live.action')}
      variant="primary"
      onConfirm={async () => {
        await change.mutateAsync({ test_mode: false });
        toast(t('go_live.done'));
      }}
    />
  );
}
