import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAppSettings } from '../api/app-settings.ts';
import { OutboxHint } from './OutboxHint.tsx';

/** Says that an email was sent; on a server that sends none, where it is instead. */
export function EmailSent({ children }: { children: ReactNode }) {
  const { t } = useTranslation('shell');
  const settings = useAppSettings();
  if (settings?.sends_email !== false) return children;
  return settings.outbox_url === null ? (
    <p className="text-[13px] text-pretty text-ink-muted">{t('no_email')}</p>
  ) : (
    <OutboxHint />
  );
}
