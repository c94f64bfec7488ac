import { useNavigate, useSearch } from '@tanstack/react-router';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { oneOf } from '../../routing/search-params.logic.ts';
import { EDITOR_TABS, type EditorField, type EditorTab, nearestTab, tabOf } from './editor-tabs.ts';
import { focusField, focusFirstError } from './focus-field.ts';

interface Sought {
  tab: EditorTab;
  focus: (form: HTMLElement | null) => void;
}

export type EditorTabState = ReturnType<typeof useEditorTab>;

/** The tab in the URL, and ways to what is on another one. The callbacks are stable, and know the tab that is open. */
export function useEditorTab(form: RefObject<HTMLFormElement | null>) {
  const { tab: inUrl } = useSearch({ strict: false });
  const tab = oneOf(inUrl, EDITOR_TABS) ?? 'content';
  const here = useRef<EditorTab>(tab);
  useEffect(() => {
    here.current = tab;
  }, [tab]);
  const navigate = useNavigate();
  const [sought, setSought] = useState<Sought | null>(null);

  const open = useCallback(
    (wanted: EditorTab) => {
      const search = (before: object) => ({ ...before, tab: wanted === 'content' ? undefined : wanted });
      void navigate({ to: '.', search, replace: true, resetScroll: false });
    },
    [navigate],
  );

  const seek = useCallback(
    (wanted: Sought) => {
      setSought(wanted);
      if (wanted.tab !== here.current) open(wanted.tab);
    },
    [open],
  );

  // Once the tab is there, with what was found wrong on it.
  useEffect(() => {
    if (sought?.tab !== tab) return;
    setSought(null);
    sought.focus(form.current);
  }, [sought, tab, form]);

  const showField = useCallback(
    (field: EditorField) => seek({ tab: tabOf(field), focus: (shown) => focusField(shown, field) }),
    [seek],
  );
  const showErrors = useCallback(
    (fields: readonly EditorField[]) =>
      seek({ tab: nearestTab(fields, here.current), focus: focusFirstError }),
    [seek],
  );
  return { tab, open, showField, showErrors };
}
