import { useTranslation } from 'react-i18next';
import type { Trigger } from '#contract/actions.ts';
import { useLanguage } from '../../i18n.ts';
import { triggerLists } from './actions.logic.ts';

/** As many as a sentence bears. */
const MOST_NAMES = 4;

/** `Offers or Weekly news`, `any list`; deleted lists are said too, and of very many the number. */
export function useTriggerWords(): (
  trigger: Trigger,
  lists: readonly { id: string; name: string }[],
) => string {
  const { t } = useTranslation('actions');
  const language = useLanguage();
  return (trigger, lists) => {
    const { names, missing } = triggerLists(trigger, lists);
    const shown = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES - 1) : names;
    const all = [...shown];
    if (shown.length < names.length) all.push(t('more_lists', { count: names.length - shown.length }));
    if (missing > 0) all.push(t('deleted_lists', { count: missing }));
    if (all.length === 0) return t('any_list');
    return new Intl.ListFormat(language, { type: 'disjunction' }).format(all);
  };
}
