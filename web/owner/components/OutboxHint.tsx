import { useTranslation } from 'react-i18next';
import { TextAnchor } from '#web/ui/Link.tsx';
import { useAppSettings } from '../api/app-settings.ts';

/** Where the mail can be read that a server without a mail server did not send; nothing where mails are sent. */
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
