import { useTranslation } from 'react-i18next';
import { TextAnchor } from '#web/ui/Link.tsx';
import { useAppSettings } from '../api/app-settings.ts';

/** Links to the outbox of a server that sends no email; renders nothing where it does. */
export function OutboxHint() {
  const { t } = useTranslation('shell');
  const outbox = useAppSettings()?.outbox_url ?? null;
  if (outbox === null) return null;
  return (
    <p className="text-[13px] text-pretty text-ink-muted">
      {t('outbox.kept')}{' '}
      <TextAnchor href={outbox} target="_blank" rel="noreferrer">
        {t('outbox.read')}
      </TextAnchor>
    </p>
  );
}
