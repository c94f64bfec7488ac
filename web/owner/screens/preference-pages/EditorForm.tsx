import { Eye, ListChecks } from 'lucide-react';
import { type RefObject, useCallback, useDeferredValue, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Site } from '#contract/sites.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useSendsEmail } from '../../api/app-settings.ts';
import { FormBar } from '../../components/FormBar.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import { ConfirmQuestion } from './ConfirmQuestion.tsx';
import { DraftNotice } from './DraftNotice.tsx';
import { EmbedSection } from './EmbedSection.tsx';
import { LinksSection } from './LinksSection.tsx';
import { LintCard, showField } from './LintCard.tsx';
import { LookSection } from './LookSection.tsx';
import { type LintField, lintPage } from './page-lint.ts';
import { PageListsSection } from './PageListsSection.tsx';
import type { EditedPage } from './pages.api.ts';
import type { PageForm } from './pages.logic.ts';
import { PageSection } from './PageSection.tsx';
import { RulesSection } from './RulesSection.tsx';
import { TextsSection } from './TextsSection.tsx';
import { useDraftStatus } from './use-draft-status.ts';
import type { PageEditorState } from './use-page-editor.ts';

interface EditorFormProps {
  ref: RefObject<HTMLFormElement | null>;
  site: Site;
  siteParams: SiteParams;
  edited: EditedPage | null;
  begin: PageForm;
  editor: PageEditorState;
  onPublish: () => void;
  onPreview: () => void;
  /** While a conflict waits to be resolved, and its dialog is closed. */
  onResolve: (() => void) | undefined;
}

/** The sections of a page, and below them its state and the buttons. */
export function EditorForm({ ref, site, siteParams, edited, begin, editor, ...actions }: EditorFormProps) {
  const { form, dispatch, errors, page } = editor;
  const findings = useFindings(form, site);
  const show = useCallback((field: LintField) => showField(ref.current, field), [ref]);
  // Hints are not counted: they are only suggestions.
  const graveCount = findings.filter(({ severity }) => severity !== 'hint').length;
  return (
    <form
      ref={ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        actions.onPublish();
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
      <EmbedSection form={form} dispatch={dispatch} errors={errors} {...(page ? { url: page.url } : {})} />
      <FormError error={editor.error} />
      <EditorFormBar
        {...actions}
        editor={editor}
        graveCount={graveCount}
        onShowChecks={() => showChecks(ref.current)}
      />
    </form>
  );
}

/** After the preview, which has to follow each keystroke. */
function useFindings(form: PageForm, site: Site) {
  const settled = useDeferredValue(form);
  const sendsEmail = useSendsEmail();
  return useMemo(() => lintPage(settled, site, { sendsEmail }), [settled, site, sendsEmail]);
}

function showChecks(form: HTMLElement | null) {
  const checks = form?.querySelector<HTMLElement>('[data-page-field="checks"]');
  checks?.scrollIntoView({ block: 'center' });
  checks?.focus({ preventScroll: true });
}

interface EditorFormBarProps extends Pick<EditorFormProps, 'editor' | 'onPreview' | 'onResolve'> {
  graveCount: number;
  onShowChecks: () => void;
}

function EditorFormBar({ editor, graveCount, onShowChecks, onPreview, onResolve }: EditorFormBarProps) {
  const { t } = useTranslation(['editor', 'pages']);
  const { page, draftState, isDirty } = editor;
  const status = useDraftStatus(draftState, isDirty, !page);
  const hasErrors = Object.keys(editor.errors).length > 0;
  const canPublish = !page || isDirty || draftState.kind === 'saved';
  return (
    <FormBar
      status={hasErrors ? t('pages:error.check') : status.text}
      isPassing={!hasErrors && status.isPassing}
    >
      {onResolve && <Button onPress={onResolve}>{t('conflict.solve')}</Button>}
      {graveCount > 0 && (
        <Button variant="ghost" icon={<ListChecks />} onPress={onShowChecks}>
          {t('lint.count', { count: graveCount })}
        </Button>
      )}
      <span className="lg:hidden">
        <Button icon={<Eye />} onPress={onPreview}>
          {t('pages:preview.title')}
        </Button>
      </span>
      <Button type="submit" variant="primary" isPending={editor.isPublishing} isDisabled={!canPublish}>
        {page ? t('publish') : t('pages:editor.create')}
      </Button>
    </FormBar>
  );
}
