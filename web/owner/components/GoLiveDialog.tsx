import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useHeldCount } from '../queries/held-queries.ts';
import { useChangeSite } from '../queries/site-queries.ts';

interface GoLiveDialogProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

/** Ends test mode, after saying what is sent then and what never is. */
export function GoLiveDialog({ isOpen, onOpenChange }: GoLiveDialogProps) {
  const { t } = useTranslation('test-mode');
  const change = useChangeSite();
  const held = useHeldCount();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title={t('go_live.title')}
      description={
        <span className="flex flex-col gap-2">
          <span>{t('go_live.sent')}</span>
          {held?.count === 0 ? (
            <span>{t('go_live.none_held')}</span>
          ) : (
            <span>
              {held === undefined ? t('go_live.some_held') : t('go_live.held', held)} {t('go_live.latest')}
            </span>
          )}
          <span>{t('go_live.tests')}</span>
        </span>
      }
      confirmLabel={held === undefined || held.count === 0 ? t('go_live.action') : t('go_live.send', held)}
      variant="primary"
      onConfirm={async () => {
        await change.mutateAsync({ test_mode: false });
        toast(t('go_live.done'));
      }}
    />
  );
}
