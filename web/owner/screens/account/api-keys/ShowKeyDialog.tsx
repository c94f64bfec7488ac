import { useTranslation } from 'react-i18next';
import type { NewApiKey } from '#contract/api-keys.ts';
import { Copied } from '../../../components/Copied.tsx';
import { ShownOnceDialog } from '../../../components/ShownOnceDialog.tsx';
import { BaseUrl } from './ApiUsage.tsx';

export function ShowKeyDialog({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  const { t } = useTranslation('api-keys');
  return (
    <ShownOnceDialog
      title={t('shown.title', { name: made.name })}
      description={t('shown.once')}
      done={t('shown.done')}
      onClose={onClose}
    >
      <Copied value={made.key} label={t('shown.copy_key')} />
      <p className="text-pretty text-ink-muted">{t('shown.use')}</p>
      <Copied value={`Authorization: Bearer ${made.key}`} label={t('shown.copy_header')} />
      <BaseUrl />
    </ShownOnceDialog>
  );
}
