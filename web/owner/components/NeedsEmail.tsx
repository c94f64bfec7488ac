import { useTranslation } from 'react-i18next';
import { Notice } from '#web/ui/Notice.tsx';
import { useSendsEmail } from '../api/app-settings.ts';
import { OutboxHint } from './OutboxHint.tsx';

/** Warns that this server sends no email; renders nothing where it does. */
export function NeedsEmail() {
  const { t } = useTranslation('shell');
  if (useSendsEmail()) return null;
  return (
    <Notice tone="warning">
      <p className="text-pretty">{t('no_email')}</p>
      <OutboxHint />
    </Notice>
  );
}
