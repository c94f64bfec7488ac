import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DraftConflict } from '#contract/page-drafts.ts';
import type { FailedCheck } from '#contract/page-checks.ts';
import type { Site } from '#contract/sites.ts';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { toast } from '#web/ui/toast.tsx';
import { OverrideDialog } from '../../components/OverrideDialog.tsx';
import { useAfterFirstPaint } from '../../components/first-frame.ts';
import { useSite } from '../../site/current-site.tsx';
import { ConflictDialog } from './ConflictDialog.tsx';
import { EditorActions } from './EditorActions.tsx';
import { EditorForm } from './EditorForm.tsx';
import { HistoryPanel } from './HistoryPanel.tsx';
import type { CheckedField } from './page-problems.ts';
import type { EditedPage } from './pages.api.ts';
import { emptyPage, type PageForm } from './pages.logic.ts';
import { PreviewPane } from './PreviewPane.tsx';
import { useEditorActions } from './use-editor-actions.ts';
import { useEditorTab } from './use-editor-tab.ts';
import { type PageEditorState, usePageEditor } from './use-page-editor.ts';

const EMPTY = emptyPage();

interface PageEditorProps {
  site: Site;
  /** null: a new page. */
  edited: EditedPage | null;
  /** What a new page begins as. */
  begin?: PageForm;
  header: { title: string; back: ReactNode };
}

/** The form, and beside it the preview where there is room. */
export const EDITOR_COLUMNS = 'grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,25rem)]';

export function PageEditor({ site, edited, begin = EMPTY, header }: PageEditorProps) {
  const { t } = useTranslation(['pages', 'editor']);
  const { organization_id } = useSite();
  const siteParams = useMemo(() => ({ organization_id, site_id: site.id }), [organization_id, site.id]);
  const editor = usePageEditor(siteParams, edited, begin);
  const { form, page, draftState, isDirty } = editor;
  const actions = useEditorActions(editor);
  const [panel, setPanel] = useState<'preview' | 'history' | null>(null);
  const showHistory = useCallback(() => setPanel('history'), []);
  const formElement = useRef<HTMLFormElement>(null);
  const conflict = useConflict(draftState.kind === 'conflict' ? draftState.found : null);
  const tabs = useEditorTab(formElement);
  const publish = usePublishing(editor, site, tabs.showErrors);
  const isNew = page === undefined;
  const isDrawn = useAfterFirstPaint();

  return (
    <>
      <PageHeader
        {...header}
        action={
          <EditorActions
            page={page}
            siteParams={siteParams}
            canUndo={editor.canUndo}
            canRedo={editor.canRedo}
            onUndo={actions.undo}
            onRedo={actions.redo}
            onClear={actions.clear}
            onHistory={showHistory}
            onDiscard={page && isDirty ? actions.discard : undefined}
          />
        }
      />
      <p role="status" className="sr-only">
        {actions.announcement}
      </p>
      <div className={EDITOR_COLUMNS}>
        <EditorForm
          ref={formElement}
          site={site}
          siteParams={siteParams}
          edited={edited}
          begin={begin}
          editor={editor}
          tabs={tabs}
          onPublish={publish.start}
          onPreview={() => setPanel('preview')}
          onResolve={conflict.found && !conflict.isOpen ? conflict.open : undefined}
        />
        <div className="hidden min-w-0 lg:sticky lg:top-20 lg:block">
          {isDrawn && <PreviewPane form={form} site={site} />}
        </div>
      </div>
      <Dialog
        isOpen={panel === 'preview'}
        onOpenChange={() => setPanel(null)}
        size="md"
        title={t('preview.title')}
      >
        <PreviewPane form={form} site={site} />
      </Dialog>
      {panel === 'history' && page && (
        <HistoryPanel
          site={siteParams}
          pageId={page.id}
          onRestore={(values) => editor.undoable({ type: 'set', values })}
          onClose={() => setPanel(null)}
        />
      )}
      <ConfirmDialog
        isOpen={publish.isAsking}
        onOpenChange={publish.close}
        variant="primary"
        title={t(isNew ? 'editor:no_lists.create' : 'editor:no_lists.publish')}
        description={t('editor:no_lists.text')}
        confirmLabel={isNew ? t('editor.create') : t('editor:publish')}
        // Closes at once: what is then refused is shown in the form.
        onConfirm={() => void publish.go()}
      />
      {publish.held && (
        <OverrideDialog
          checks={publish.held}
          page={form.name.trim()}
          onClose={publish.giveUp}
          onPublish={publish.go}
        />
      )}
      {conflict.isOpen && conflict.found && (
        <ConflictDialog
          found={conflict.found}
          onClose={conflict.close}
          onLoadTheirs={editor.loadTheirs}
          onOverwrite={() => editor.keepMine(conflict.found)}
        />
      )}
    </>
  );
}

/** The dialog opens for each new conflict; once closed, a button opens it again. */
function useConflict(found: DraftConflict | null) {
  const [closed, setClosed] = useState<DraftConflict | null>(null);
  return {
    found,
    isOpen: found !== null && found !== closed,
    open: () => setClosed(null),
    close: () => setClosed(found),
  };
}

/** Publishes and says so, or leads to what is wrong. Asks first about a page with nothing to choose. */
function usePublishing(editor: PageEditorState, site: Site, onRefused: (fields: CheckedField[]) => void) {
  const { t } = useTranslation(['editor', 'pages']);
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const [held, setHeld] = useState<FailedCheck[] | null>(null);

  function start() {
    const wrong = editor.check();
    if (wrong.length > 0) onRefused(wrong);
    else if (editor.form.lists.length === 0) setIsAsking(true);
    else void go();
  }

  async function go(reason?: string) {
    const result = await editor.publish(reason);
    setHeld(result.kind === 'held' ? result.checks : null);
    if (result.kind === 'refused') onRefused(result.fields);
    if (result.kind !== 'published') return;
    if (editor.page) return void toast(t('published'));
    const route = {
      to: '/edit-preference-page/$site/$id',
      params: { site: site.id, id: result.page.id },
      replace: true,
    } as const;
    toast(t('pages:editor.created'), {
      action: {
        label: t('pages:editor.get_links'),
        onPress: () => void navigate({ ...route, search: { tab: 'links' } }),
      },
    });
    await navigate(route);
  }

  return {
    start,
    go,
    isAsking,
    close: () => setIsAsking(false),
    held,
    giveUp: () => setHeld(null),
  };
}
