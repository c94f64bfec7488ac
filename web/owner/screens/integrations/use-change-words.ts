import { useTranslation } from 'react-i18next';
import type { Difference } from '#contract/comparisons.ts';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useLists } from '../../queries/list-queries.ts';
import { placeOf } from './integrations.logic.ts';

/**
 * Says what differs (`Should be on “Weekly” in Brevo, but isn’t.`) or what a fix does (`Add to “Weekly” in Brevo`).
 */
export function useChangeWords(
  form: 'should' | 'fix',
  tool: string,
): (change: Difference['change']) => string {
  const { t } = useTranslation('integrations');
  const { data: lists = [] } = useLists();
  const language = useLanguage();
  return (change) => {
    if (change.in === 'here') {
      const names = lists.filter(({ id }) => change.list_ids.includes(id)).map(({ name }) => name);
      if (change.list_ids.length === 0) return t(`difference.${form}.here_all`);
      return t(`difference.${form}.here_lists`, { lists: listFormat(language).format(names) });
    }
    const target = change.target?.name ?? '';
    return t(`difference.${form}.${placeOf(change)}_${change.on ? 'on' : 'off'}`, { tool, target });
  };
}
