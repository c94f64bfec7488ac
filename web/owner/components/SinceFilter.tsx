import { X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../i18n/i18n.ts';

/** Shows the day from which rows are listed, and removes that filter. `since` is the start of a UTC day. */
export function SinceFilter({ since, onClear }: { since: string; onClear: () => void }) {
  const { t } = useTranslation('figures');
  const day = new Intl.DateTimeFormat(useLanguage(), { dateStyle: 'medium', timeZone: 'UTC' });
  const label = t('filter.since', { day: day.format(new Date(since)) });
  return (
    <button
      type="button"
      onClick={onClear}
      aria-label={t('filter.without', { filter: label })}
      className="inline-flex min-h-9 cursor-pointer items-center gap-1.5 rounded-full bg-accent-soft px-3 text-[13px] font-medium text-accent hover:bg-hover"
    >
      {label}
      <X size={14} aria-hidden />
    </button>
  );
}
