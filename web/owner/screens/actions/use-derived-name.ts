import { useEffect, useRef } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { type ActionForm, fittingName } from './actions.logic.ts';

/** A suggested name follows what it says, until it is given another one. @param original what the action is a copy of */
export function useDerivedName(
  { getValues, setValue }: UseFormReturn<ActionForm>,
  suggestion: string,
  original: Action | undefined,
): void {
  const { t } = useTranslation('actions');
  const last = useRef(suggestion);
  useEffect(() => {
    const nameOf = (name: string) =>
      name === original?.name ? fittingName(t('duplicate.name', { name })) : name;
    const isSuggested = getValues('name') === nameOf(last.current);
    if (isSuggested && last.current !== suggestion)
      setValue('name', nameOf(suggestion), { shouldDirty: true });
    last.current = suggestion;
  }, [suggestion, original, getValues, setValue, t]);
}
