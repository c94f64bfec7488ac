import { useEffect, useState } from 'react';
import { type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import { keyOfDraft } from './kept.ts';
import { readAuth } from './session.ts';

/**
 * What was typed into a form outlives a session that ends in the middle, and a reload: for one person, in this tab.
 * @param form names the form and what it is about, like `list:new`
 * @param isWhole tells a draft from what an older release may have kept
 */
export function useKeptDraft<T>(form: string, isWhole: (value: object) => boolean) {
  const key = keyOfDraft(readAuth()?.id ?? '', form);
  const [restored, setRestored] = useState<T | null>(() => readDraft(key, isWhole) as T | null);
  return {
    /** What was found, until it is thrown away or saved. */
    restored,
    /** null: there is nothing to keep any more. */
    keep: (value: T | null) => {
      if (value === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(value));
    },
    forget: () => {
      sessionStorage.removeItem(key);
      setRestored(null);
    },
  };
}

function readDraft(key: string, isWhole: (value: object) => boolean): object | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return typeof value === 'object' && value !== null && isWhole(value) ? value : null;
  } catch {
    return null;
  }
}

/** Drafts of a form of react-hook-form: puts a kept one in, and keeps what differs from the form's defaults. */
export function useFormDraft<T extends FieldValues>(name: string, form: UseFormReturn<T>) {
  const { control, reset, formState, getValues } = form;
  const fields = Object.keys(formState.defaultValues ?? {});
  const draft = useKeptDraft<T>(name, (value) => fields.every((field) => field in value));
  const values = useWatch({ control });
  const { isDirty } = formState;
  const { restored, keep, forget } = draft;

  useEffect(() => {
    if (restored) reset(restored, { keepDefaultValues: true });
    // Once: from then on the form leads.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  useEffect(() => {
    keep(isDirty ? getValues() : null);
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isDirty, values]);

  return {
    isRestored: restored !== null && isDirty,
    forget,
    /** Back to what is saved. */
    discard: () => {
      forget();
      reset();
    },
  };
}
