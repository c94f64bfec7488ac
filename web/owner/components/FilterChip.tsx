import { X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { moveFocusToNextFilter } from './filter-focus.ts';

/** Shows a filter that is on, and removes it. */
export function FilterChip({ label, onClear }: { label: string; onClear: () => void }) {
  const { t } = useTranslation('ui');
  return (
    <button
      ref={moveFocusToNextFilter}
      data-filter-chip
      type="button"
      onClick={onClear}
      aria-label={t('remove_filter', { filter: label })}
      className="inline-flex min-h-9 max-w-full cursor-pointer items-center gap-1.5 rounded-full bg-accent-soft px-3 text-[13px] font-medium text-accent hover:bg-hover"
    >
      <span className="min-w-0 truncate">{label}</span>
      <X size={14} aria-hidden className="shrink-0" />
    </button>
  );
}
