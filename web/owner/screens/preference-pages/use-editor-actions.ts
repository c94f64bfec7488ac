import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/toast.tsx';
import type { PageEditorState } from './use-page-editor.ts';
import { useUndoKeys } from './use-undo-keys.ts';

/** What can be done with the form as a whole; the callbacks are stable. `announcement` is for screen readers. */
export function useEditorActions(editor: PageEditorState) {
  const { t } = useTranslation(['editor', 'pages']);
  const { dispatch, saved, canUndo, canRedo, undo: stepBack, redo: stepForward } = editor;
  const [announcement, setAnnouncement] = useState('');

  const undo = useCallback(() => {
    if (canUndo) setAnnouncement(t('undone'));
    stepBack();
  }, [canUndo, stepBack, t]);

  const redo = useCallback(() => {
    if (canRedo) setAnnouncement(t('redone'));
    stepForward();
  }, [canRedo, stepForward, t]);
  useUndoKeys(undo, redo);

  const clear = useCallback(() => {
    dispatch({ type: 'clear' });
    toast(t('pages:editor.cleared'), { onUndo: stepBack });
  }, [dispatch, stepBack, t]);

  const discard = useCallback(() => {
    dispatch({ type: 'set', values: saved });
    toast(t('draft.discarded'), { onUndo: stepBack });
  }, [dispatch, saved, stepBack, t]);

  return { announcement, undo, redo, clear, discard };
}
