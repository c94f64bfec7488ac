import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';

export interface FreshSecret {
  value: string;
  isRotated: boolean;
}

/** A signing secret is shown only once, so only the button closes it. */
export function SecretDialog({ secret, onClose }: { secret: FreshSecret; onClose: () => void }) {
  const { t } = useTranslation('actions');
  return (
    <Dialog
      isOpen
      role="alertdialog"
      size="md"
      onOpenChange={onClose}
      title={t('secret.title')}
      description={t('secret.once')}
      footer={
        <Button variant="primary" onPress={onClose}>
          {t('secret.done')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-3">
          <code className="min-w-0 flex-1 font-mono text-[13px] wrap-anywhere">{secret.value}</code>
          <CopyButton value={secret.value} label={t('secret.copy')} />
        </p>
        <p className="text-pretty text-ink-muted">{t('secret.use')}</p>
        {secret.isRotated && <p className="text-pretty text-ink-muted">{t('secret.rotated')}</p>}
      </div>
    </Dialog>
  );
}
