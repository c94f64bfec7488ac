import { useTranslation } from 'react-i18next';
import type { NewApiKey } from '#contract/api-keys.ts';
import { API_PREFIX } from '#contract/route.ts';
import { Button } from '#web/ui/Button.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { useSite } from '../../../site/current-site.tsx';

/** A key is shown only once, so only the button closes it. */
export function ShowKeyDialog({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  const { t } = useTranslation('api-keys');
  const { organization_id, site_id } = useSite();
  const address = `${window.location.origin}${API_PREFIX}/core/v1/organizations/${organization_id}/sites/${site_id}`;
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
        <p className="text-pretty text-ink-muted">{t('shown.address')}</p>
        <Copied value={address} label={t('shown.copy_address')} />
      </div>
    </Dialog>
  );
}

function Copied({ value, label }: { value: string; label: string }) {
  return (
    <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 font-mono text-[13px] wrap-anywhere">{value}</code>
      <CopyButton value={value} label={label} />
    </p>
  );
}
