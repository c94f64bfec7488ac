import { Eye } from 'lucide-react';
import { type ReactNode, type RefObject, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Site } from '#contract/sites.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Tabs } from '#web/ui/Tabs.tsx';
import { useSendsEmail } from '../../api/app-settings.ts';
import { FormBar } from '../../components/FormBar.tsx';
import { useAfterFirstPaint } from '../../components/first-frame.ts';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import type { SiteParams } from '../../site/site-params.ts';
import { ChecksButton } from './ChecksButton.tsx';
import { ChecksPanel } from './ChecksPanel.tsx';
import { CreationQuestions } from './CreationQuestions.tsx';
import { DraftNotice } from './DraftNotice.tsx';
import { EDITOR_TABS, type EditorField, type EditorTab, tabsWith } from './editor-tabs.ts';
import { EmbedSection } from './EmbedSection.tsx';
import { LinksSection } from './LinksSection.tsx';
import { LookSection } from './LookSection.tsx';
import { type Finding, lintPage } from './page-lint.ts';
import { type AskedList, PageListsSection } from './PageListsSection.tsx';
import type { EditedPage } from './pages.api.ts';
import type { PageForm } from './pages.logic.ts';
import { PageSection } from './PageSection.tsx';
import { RulesSection } from './RulesSection.tsx';
import { TextsSection } from './TextsSection.tsx';
import { useDraftStatus } from './use-draft-status.ts';
import type { EditorTabState } from './use-editor-tab.ts';
import type { FieldErrors, PageEditorState } from './use-page-editor.ts';

interface EditorFormProps {
  ref: RefObject<HTMLFormElement | null>;
  site: Site;
  siteParams: SiteParams;
  edited: EditedPage | null;
  begin: PageForm;
  editor: PageEditorState;
  tabs: EditorTabState;
  onPublish: () => void;
  onPreview: () => void;
  /** While a conflict waits to be resolved, and its dialog is closed. */
  onResolve: (() => void) | undefined;
}

/** The tabs of a page, and below them its state and the buttons. */
export function EditorForm(props: EditorFormProps) {
  const { ref, site, edited, begin, editor, tabs, ...actions } = props;
  const { t } = useTranslation('editor');
  const findings = useFindings(editor.form, site, !editor.page);
  const [areChecksOpen, setAreChecksOpen] = useState(false);
  const [askedList, askList] = useState<string | null>(null);
  const isDrawn = useAfterFirstPaint();
  const contents = useContents(props, { askedList, askList }, isDrawn);
  const wrong = wrongTabs(editor.errors);

  function show(field: EditorField) {
    setAreChecksOpen(false);
    tabs.showField(field);
  }

  function editList(key: string) {
    setAreChecksOpen(false);
    tabs.open('content');
    askList(key);
  }

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
        isNew={!editor.page}
        isRestored={editor.isRestored}
        onStartAnew={() => {
          editor.questions.forget();
          editor.dispatch({ type: 'set', values: begin });
        }}
      />
      <Tabs
        label={t('tab.label')}
        selected={tabs.tab}
        onSelect={tabs.open}
        tabs={EDITOR_TABS.map((id) => ({
          id,
          label: t(`tab.${id}`),
          problem: wrong.includes(id) ? t('tab.wrong') : undefined,
        }))}
      >
        {contents[tabs.tab]()}
      </Tabs>
      <FormError error={editor.error} />
      <EditorFormBar
        {...actions}
        editor={editor}
        findings={findings}
        onChecks={() => setAreChecksOpen(true)}
      />
      {areChecksOpen && (
        <ChecksPanel
          findings={findings}
          onShow={show}
          onEditList={editList}
          onClose={() => setAreChecksOpen(false)}
        />
      )}
    </form>
  );
}

function wrongTabs(errors: FieldErrors): EditorTab[] {
  return tabsWith(Object.keys(errors) as (keyof FieldErrors)[]);
}

/** What each tab shows. @param isDrawn false during the first render, which leaves out what is below the fold */
function useContents({ site, siteParams, editor }: EditorFormProps, asked: AskedList, isDrawn: boolean) {
  const { form, dispatch, errors, page, questions } = editor;
  const fields = { form, dispatch, errors };
  return {
    content: () => (
      <>
        <PageSection {...fields} site={site} isNew={!page} />
        {!page && <CreationQuestions {...fields} off={questions.off} onAnswer={questions.answer} />}
        <PageListsSection form={form} dispatch={dispatch} site={siteParams} {...asked} />
        {isDrawn && <TextsSection form={form} dispatch={dispatch} />}
      </>
    ),
    look: () => <LookSection {...fields} site={siteParams} />,
    rules: () => <RulesSection form={form} dispatch={dispatch} />,
    links: () => (
      <>
        <LinksSection site={siteParams} page={page} />
        <EmbedSection {...fields} {...(page ? { url: page.url } : {})} />
      </>
    ),
  } satisfies Record<EditorTab, () => ReactNode>;
}

/** After the preview, which has to follow each keystroke. */
function useFindings(form: PageForm, site: Site, isNew: boolean) {
  const settled = useDeferredValue(form);
  const sendsEmail = useSendsEmail();
  return useMemo(() => lintPage(settled, site, { sendsEmail, isNew }), [settled, site, sendsEmail, isNew]);
}

interface EditorFormBarProps extends Pick<EditorFormProps, 'editor' | 'onPreview' | 'onResolve'> {
  findings: readonly Finding[];
  onChecks: () => void;
}

function EditorFormBar({ editor, findings, onChecks, onPreview, onResolve }: EditorFormBarProps) {
  const { t } = useTranslation(['editor', 'pages']);
  const { page, draftState, isDirty } = editor;
  const status = useDraftStatus(draftState, isDirty, !page);
  const problem = useProblemText(editor.errors);
  const canPublish = !page || isDirty || draftState.kind === 'saved';
  return (
    <FormBar status={problem ?? status.text} isPassing={problem === null && status.isPassing}>
      {onResolve && <Button onPress={onResolve}>{t('conflict.solve')}</Button>}
      <ChecksButton findings={findings} onPress={onChecks} />
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

/** On which tabs something has to be fixed; null where nothing has. */
function useProblemText(errors: FieldErrors): string | null {
  const { t } = useTranslation(['editor', 'pages']);
  const format = listFormat(useLanguage(), { type: 'conjunction' });
  const names = wrongTabs(errors).map((tab) => t(`tab.${tab}`));
  return names.length === 0 ? null : t('pages:error.check', { tabs: format.format(names) });
}
