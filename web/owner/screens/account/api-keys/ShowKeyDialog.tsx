import { useTranslation } from 'react-i18next';
import type { NewApiKey } from '#contract/api-keys.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { BaseUrl, Copied } from './Copied.tsx';

/** A key is shown only once, so only the button closes it. */
export function ShowKeyDialog({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  const { t } = useTranslation('api-keys');
  return (
    <Dialog
      isOpen
      role="alertdialog"
      size="md"
      onOpenChange={onClose}
      title={t('shown.title', { name: made.name })}
      description={t('shown.once')}
      footer={
        <Button variant="primary" onPress={onClose}>
          {t('shown.done')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Copied value={made.key} label={t('shown.copy_key')} />
        <p className="text-pretty text-ink-muted">{t('shown.use')}</p>
        <Copied value={`Authorization: Bearer ${made.key}`} label={t('shown.copy_header')} />
        <BaseUrl />
      </div>
    </Dialog>
  );
}
