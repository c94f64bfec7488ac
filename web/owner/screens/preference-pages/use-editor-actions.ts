import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/toast.tsx';
import type { PageEditorState } from './use-page-editor.ts';
import type { PageOperation } from './pages.logic.ts';
import { useUndoKeys } from './use-undo-keys.ts';

/** What can be done with the form as a whole; the callbacks are stable. `announcement` is for screen readers. */
export function useEditorActions(editor: PageEditorState) {
  const { t } = useTranslation(['editor', 'pages']);
  const { undoable, saved, canUndo, canRedo, undo: stepBack, redo: stepForward } = editor;
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

  /** With a message whose Undo takes back just this, whatever was changed since. */
  const operate = useCallback(
    (operation: PageOperation, text: string) => toast(text, { onUndo: undoable(operation) }),
    [undoable],
  );
  const clear = useCallback(() => operate({ type: 'clear' }, t('pages:editor.cleared')), [operate, t]);
  const discard = useCallback(
    () => operate({ type: 'set', values: saved }, t('draft.discarded')),
    [operate, saved, t],
  );

  return { announcement, undo, redo, clear, discard };
}
