import { useTranslation } from 'react-i18next';
import type { Trigger } from '#contract/actions.ts';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { triggerLists } from './actions.logic.ts';

/** `Offers or Weekly news`, `any list`; mentions deleted lists, and counts surplus ones. */
export function useTriggerWords(): (
  trigger: Trigger,
  lists: readonly { id: string; name: string }[],
) => string {
  const { t } = useTranslation('actions');
  const language = useLanguage();
  return (trigger, lists) => {
    const { names, more, missing } = triggerLists(trigger, lists);
    const all = [...names];
    if (more > 0) all.push(t('more_lists', { count: more }));
    if (missing > 0) all.push(t('deleted_lists', { count: missing }));
    if (all.length === 0) return t('any_list');
    return listFormat(language, { type: 'disjunction' }).format(all);
  };
}
