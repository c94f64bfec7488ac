import { useTranslation } from 'react-i18next';
import { useUtcDay } from './RelativeTime.tsx';
import { FilterChip } from './FilterChip.tsx';

/** Shows the day from which rows are listed, and removes that filter. `since` is the start of a UTC day. */
export function SinceFilter({ since, onClear }: { since: string; onClear: () => void }) {
  const { t } = useTranslation('figures');
  return <FilterChip label={t('filter.since', { day: useUtcDay()(since) })} onClear={onClear} />;
}
