import { useNavigate } from '@tanstack/react-router';
import { Eye, ListChecks } from 'lucide-react';
import { type ReactNode, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DraftConflict } from '#contract/page-drafts.ts';
import type { Site } from '#contract/sites.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { toast } from '#web/ui/toast.tsx';
import { FormBar } from '../../components/FormBar.tsx';
import { useSendsEmail } from '../../api/app-settings.ts';
import { useSite } from '../../site/current-site.tsx';
import { ConfirmQuestion } from './ConfirmQuestion.tsx';
import { ConflictDialog } from './ConflictDialog.tsx';
import { DraftNotice } from './DraftNotice.tsx';
import { EditorActions } from './EditorActions.tsx';
import { EmbedSection } from './EmbedSection.tsx';
import { HistoryPanel } from './HistoryPanel.tsx';
import { LinksSection } from './LinksSection.tsx';
import { LintCard, showField } from './LintCard.tsx';
import { LookSection } from './LookSection.tsx';
import { type LintField, lintPage } from './page-lint.ts';
import { PageListsSection } from './PageListsSection.tsx';
import type { EditedPage } from './pages.api.ts';
import { emptyPage, type PageForm } from './pages.logic.ts';
import { PageSection } from './PageSection.tsx';
import { PreviewPane } from './PreviewPane.tsx';
import { RulesSection } from './RulesSection.tsx';
import { TextsSection } from './TextsSection.tsx';
import { useDraftStatus } from './use-draft-status.ts';
import { usePageEditor } from './use-page-editor.ts';
import { useUndoKeys } from './use-undo-keys.ts';

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
  const { t } = useTranslation(['editor', 'pages']);
  const { organization_id } = useSite();
  const siteParams = useMemo(() => ({ organization_id, site_id: site.id }), [organization_id, site.id]);
  const editor = usePageEditor(siteParams, edited, begin);
  const { form, saved, dispatch, errors, draftState } = editor;
  const page = editor.page;
  const [panel, setPanel] = useState<'preview' | 'history' | null>(null);
  const formElement = useRef<HTMLFormElement>(null);
  const [said, setSaid] = useState('');
  const conflict = useConflict(draftState.kind === 'conflict' ? draftState.found : null);
  const publish = usePublishing(editor, site, formElement);
  const status = useDraftStatus(draftState, editor.isDirty, !page);
  // After the preview, which has to follow each keystroke.
  const settled = useDeferredValue(form);
  const sendsEmail = useSendsEmail();
  const findings = useMemo(() => lintPage(settled, site, { sendsEmail }), [settled, site, sendsEmail]);
  // Hints wait until somebody looks for them.
  const grave = findings.filter(({ severity }) => severity !== 'hint').length;
  const { canUndo, canRedo, undo: stepBack, redo: stepForth } = editor;
  const undo = useCallback(() => {
    if (canUndo) setSaid(t('undone'));
    stepBack();
  }, [canUndo, stepBack, t]);
  const redo = useCallback(() => {
    if (canRedo) setSaid(t('redone'));
    stepForth();
  }, [canRedo, stepForth, t]);
  useUndoKeys(undo, redo);

  const clear = useCallback(() => {
    dispatch({ type: 'clear' });
    toast(t('pages:editor.cleared'), { onUndo: stepBack });
  }, [dispatch, stepBack, t]);

  const discard = useCallback(() => {
    dispatch({ type: 'set', values: saved });
    toast(t('draft.discarded'), { onUndo: stepBack });
  }, [dispatch, saved, stepBack, t]);

  const showHistory = useCallback(() => setPanel('history'), []);
  const show = useCallback((field: LintField) => showField(formElement.current, field), []);

  const hasErrors = Object.keys(errors).length > 0;
  const canPublish = !page || editor.isDirty || draftState.kind === 'saved';

  return (
    <>
      <PageHeader
        {...header}
        action={
          <EditorActions
            url={page?.url}
            canUndo={canUndo}
            canRedo={canRedo}
            onUndo={undo}
            onRedo={redo}
            onClear={clear}
            onHistory={showHistory}
            onDiscard={page && editor.isDirty ? discard : undefined}
          />
        }
      />
      <p role="status" className="sr-only">
        {said}
      </p>
      <div className={EDITOR_COLUMNS}>
        <form
          ref={formElement}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void publish();
          }}
          className="flex min-w-0 flex-col gap-6"
        >
          <DraftNotice
            draft={edited?.draft ?? null}
            isNew={!page}
            isRestored={editor.isRestored}
            onStartAnew={() => dispatch({ type: 'set', values: begin })}
          />
          <PageSection form={form} dispatch={dispatch} errors={errors} site={site} isNew={!page} />
          {!page && <ConfirmQuestion isOn={form.attrs.confirm_changes} dispatch={dispatch} />}
          <PageListsSection form={form} dispatch={dispatch} site={siteParams} />
          <LookSection form={form} dispatch={dispatch} errors={errors} site={siteParams} />
          <RulesSection form={form} dispatch={dispatch} />
          <TextsSection form={form} dispatch={dispatch} />
          <div data-page-field="checks" tabIndex={-1} className="outline-none">
            <LintCard findings={findings} onShow={show} />
          </div>
          <LinksSection site={siteParams} page={page} />
          <EmbedSection
            form={form}
            dispatch={dispatch}
            errors={errors}
            {...(page ? { url: page.url } : {})}
          />
          <FormError error={editor.error} />
          <FormBar
            status={hasErrors ? t('pages:error.check') : status.text}
            isPassing={!hasErrors && status.isPassing}
          >
            {draftState.kind === 'conflict' && !conflict.isOpen && (
              <Button onPress={conflict.open}>{t('conflict.solve')}</Button>
            )}
            {grave > 0 && (
              <Button variant="ghost" icon={<ListChecks />} onPress={() => showChecks(formElement.current)}>
                {t('lint.count', { count: grave })}
              </Button>
            )}
            <span className="lg:hidden">
              <Button icon={<Eye />} onPress={() => setPanel('preview')}>
                {t('pages:preview.title')}
              </Button>
            </span>
            <Button type="submit" variant="primary" isPending={editor.isPublishing} isDisabled={!canPublish}>
              {page ? t('publish') : t('pages:editor.create')}
            </Button>
          </FormBar>
        </form>
        <div className="hidden min-w-0 lg:sticky lg:top-20 lg:block">
          <PreviewPane form={form} site={site} />
        </div>
      </div>
      <Dialog
        isOpen={panel === 'preview'}
        onOpenChange={() => setPanel(null)}
        size="md"
        title={t('pages:preview.title')}
      >
        <PreviewPane form={form} site={site} />
      </Dialog>
      {panel === 'history' && page && (
        <HistoryPanel
          site={siteParams}
          pageId={page.id}
          onRestore={(values) => dispatch({ type: 'set', values })}
          onUndo={editor.undo}
          onClose={() => setPanel(null)}
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

function showChecks(form: HTMLElement | null) {
  const checks = form?.querySelector<HTMLElement>('[data-page-field="checks"]');
  checks?.scrollIntoView({ block: 'center' });
  checks?.focus({ preventScroll: true });
}

/** The dialog opens by itself for everything new that is found; closed, it waits to be opened. */
function useConflict(found: DraftConflict | null) {
  const [closed, setClosed] = useState<DraftConflict | null>(null);
  return {
    found,
    isOpen: found !== null && found !== closed,
    open: () => setClosed(null),
    close: () => setClosed(found),
  };
}

/** Publishes, says so, and leads to what is wrong when it cannot. */
function usePublishing(
  editor: ReturnType<typeof usePageEditor>,
  site: Site,
  form: { readonly current: HTMLFormElement | null },
) {
  const { t } = useTranslation(['editor', 'pages']);
  const navigate = useNavigate();
  return async () => {
    const result = await editor.publish();
    if (result.kind === 'refused') {
      requestAnimationFrame(() =>
        form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus(),
      );
    }
    if (result.kind !== 'published') return;
    if (editor.page) return void toast(t('published'));
    toast(t('pages:editor.created'));
    await navigate({
      to: '/edit-preference-page/$site/$id',
      params: { site: site.id, id: result.page.id },
      replace: true,
    });
  };
}
