import { useTranslation } from 'react-i18next';
import { TextAnchor } from '#web/ui/Link.tsx';
import { Copied } from '../../components/Copied.tsx';
import { ShownOnceDialog } from '../../components/ShownOnceDialog.tsx';

export interface FreshSecret {
  value: string;
  isRotated: boolean;
}

export function SecretDialog({ secret, onClose }: { secret: FreshSecret; onClose: () => void }) {
  const { t } = useTranslation('actions');
  return (
    <ShownOnceDialog
      title={t('secret.title')}
      description={t('secret.once')}
      done={t('secret.done')}
      onClose={onClose}
    >
      <Copied value={secret.value} label={t('secret.copy')} />
      <p className="text-pretty text-ink-muted">
        {t('secret.use')}{' '}
        <TextAnchor href="/docs/webhooks#verify-the-signature" target="_blank" rel="noreferrer">
          {t('secret.how')}
        </TextAnchor>
      </p>
      {secret.isRotated && <p className="text-pretty text-ink-muted">{t('secret.rotated')}</p>}
    </ShownOnceDialog>
  );
}
