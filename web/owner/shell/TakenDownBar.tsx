import { Ban } from 'lucide-react';
import { useTranslation } from 'react-i18next';

/** On every screen of a site whose pages the people who run this server took down. */
export function TakenDownBar({ reason }: { reason: string }) {
  const { t } = useTranslation('site');
  return (
    <aside
      aria-label={t('taken_down.label')}
      className="flex min-h-13 items-center gap-x-3 border-b border-line bg-danger-soft px-4 py-2 sm:px-6 print:hidden"
    >
      <Ban size={16} aria-hidden className="shrink-0 text-danger" />
      <p className="min-w-0 text-pretty break-words">
        <span className="font-medium">{t('taken_down.text')}</span> {t('taken_down.reason', { reason })}
      </p>
    </aside>
  );
}
