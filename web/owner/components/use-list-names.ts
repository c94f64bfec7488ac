import { useTranslation } from 'react-i18next';
import { listFormat } from '../i18n/formats.ts';
import { useLanguage } from '../i18n/i18n.ts';
import { truncatedNames } from './truncated-names.ts';

/** Names of lists for a sentence; of many, the first and how many more there are. */
export function useListNames(): (names: readonly string[]) => string {
  const { t } = useTranslation('editor');
  const format = listFormat(useLanguage(), { type: 'conjunction' });
  return (names) => {
    const { shown, more } = truncatedNames(names);
    return format.format(more === 0 ? shown : [...shown, t('lint.more_lists', { count: more })]);
  };
}
