import { useEffect, useState } from 'react';
import { type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import { readAuth } from '../session/session.ts';
import { draftStorage } from './draft-storage.ts';

/**
 * Keeps what was typed into a form through a reload, or a session that ends meanwhile: for one person, in this tab.
 * @param form names the form and what it is about, like `list:new`
 * @param isComplete tells a draft from what an older release may have stored
 */
export function useStoredDraft<T>(form: string, isComplete: (value: object) => boolean) {
  const storage = draftStorage(readAuth()?.id ?? '', form, isComplete);
  const [restored, setRestored] = useState<T | null>(() => storage.read() as T | null);
  return {
    /** What was found, until it is discarded or saved. */
    restored,
    /** null: there is nothing left to store. */
    store: (value: T | null) => {
      if (value === null) storage.evict();
      else storage.write(value);
    },
    evict: () => {
      storage.evict();
      setRestored(null);
    },
  };
}

/** The draft of a react-hook-form form: restores a stored one, and stores what differs from the form's defaults. */
export function useFormDraft<T extends FieldValues>(name: string, form: UseFormReturn<T>) {
  const { control, reset, formState, getValues } = form;
  const fields = Object.keys(formState.defaultValues ?? {});
  const draft = useStoredDraft<T>(name, (value) => fields.every((field) => field in value));
  const values = useWatch({ control });
  const { isDirty } = formState;
  const { restored, store, evict } = draft;

  useEffect(() => {
    if (restored) reset(restored, { keepDefaultValues: true });
    // Once: from then on the form holds the values.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  useEffect(() => {
    store(isDirty ? getValues() : null);
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isDirty, values]);

  return {
    isRestored: restored !== null && isDirty,
    evict,
    /** Back to what is saved. */
    discard: () => {
      evict();
      reset();
    },
  };
}
