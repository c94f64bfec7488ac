import { useNavigate } from '@tanstack/react-router';
import { ExternalLink, Eye, RotateCcw } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PreferencePage } from '#contract/preference-pages.ts';
import type { Site } from '#contract/sites.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { ButtonAnchor } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { toast } from '#web/ui/toast.tsx';
import { FormBar } from '../../parts/FormBar.tsx';
import { RestoredNotice } from '../../parts/RestoredNotice.tsx';
import { useSite } from '../../site.tsx';
import { useUnsavedGuard } from '../../unsaved-guard.tsx';
import { ConflictDialog } from './ConflictDialog.tsx';
import { EmbedSection } from './EmbedSection.tsx';
import { LookSection } from './LookSection.tsx';
import { PageListsSection } from './PageListsSection.tsx';
import { PageSection } from './PageSection.tsx';
import { PreviewPane } from './PreviewPane.tsx';
import { RulesSection } from './RulesSection.tsx';
import { TextsSection } from './TextsSection.tsx';
import { usePageEditor } from './use-page-editor.ts';

interface PageEditorProps {
  site: Site;
  page?: PreferencePage;
  header: { title: string; back: ReactNode };
}

export function PageEditor({ site, page, header }: PageEditorProps) {
  const { t } = useTranslation(['pages', 'editing', 'ui']);
  const navigate = useNavigate();
  const { organization_id } = useSite();
  const siteParams = { organization_id, site_id: site.id };
  const editor = usePageEditor(siteParams, page);
  const guard = useUnsavedGuard(editor.isDirty, editor.draft.forget);
  const [isPreviewOpen, setIsPreviewOpen] = useState(false);
  const [hasConflict, setHasConflict] = useState(false);
  const formElement = useRef<HTMLFormElement>(null);
  const { form, dispatch, errors } = editor;

  async function save(options?: { overwrite: boolean }) {
    const result = await editor.save(options);
    setHasConflict(result.kind === 'conflict');
    if (result.kind === 'refused') focusFirstError();
    if (result.kind !== 'saved') return;
    if (page) return void toast(t('editor.saved'));
    guard.allow();
    toast(t('editor.created'));
    await navigate({
      to: '/edit-preference-page/$site/$id',
      params: { site: site.id, id: result.page.id },
      replace: true,
    });
  }

  function focusFirstError() {
    requestAnimationFrame(() => {
      formElement.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus();
    });
  }

  function clear() {
    const before = form;
    dispatch({ type: 'clear' });
    toast(t('editor.cleared'), { onUndo: () => dispatch({ type: 'set', values: before }) });
  }

  const unsaved = editor.isDirty ? t('editing:unsaved') : '';
  const status = Object.keys(errors).length > 0 ? t('error.check') : unsaved;

  return (
    <>
      <PageHeader
        {...header}
        action={
          <>
            <Button variant="ghost" icon={<RotateCcw />} onPress={clear}>
              {t('editor.clear')}
            </Button>
            {page && (
              <ButtonAnchor href={page.url} target="_blank" rel="noreferrer" icon={<ExternalLink />}>
                {t('editor.open')}
              </ButtonAnchor>
            )}
          </>
        }
      />
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,25rem)]">
        <form
          ref={formElement}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
          className="flex min-w-0 flex-col gap-6"
        >
          <RestoredNotice isShown={editor.draft.isRestored} onDiscard={editor.draft.discard} />
          <PageSection form={form} dispatch={dispatch} errors={errors} site={site} isNew={!page} />
          <PageListsSection form={form} dispatch={dispatch} site={siteParams} />
          <LookSection form={form} dispatch={dispatch} errors={errors} site={siteParams} />
          <RulesSection form={form} dispatch={dispatch} />
          <TextsSection form={form} dispatch={dispatch} />
          <EmbedSection
            form={form}
            dispatch={dispatch}
            errors={errors}
            {...(page ? { url: page.url } : {})}
          />
          <FormError error={editor.error} />
          <FormBar status={status}>
            <span className="lg:hidden">
              <Button icon={<Eye />} onPress={() => setIsPreviewOpen(true)}>
                {t('preview.title')}
              </Button>
            </span>
            <Button type="submit" variant="primary" isPending={editor.isSaving}>
              {page ? t('ui:save') : t('editor.create')}
            </Button>
          </FormBar>
        </form>
        <div className="hidden min-w-0 lg:sticky lg:top-20 lg:block">
          <PreviewPane form={form} siteId={site.id} />
        </div>
      </div>
      <Dialog isOpen={isPreviewOpen} onOpenChange={setIsPreviewOpen} size="md" title={t('preview.title')}>
        <PreviewPane form={form} siteId={site.id} />
      </Dialog>
      {hasConflict && (
        <ConflictDialog
          onClose={() => setHasConflict(false)}
          onLoadTheirs={editor.loadTheirs}
          onOverwrite={() => save({ overwrite: true })}
        />
      )}
      {guard.dialog}
    </>
  );
}
