import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { textsOf } from '#web/page/locales.ts';
import { Card } from '#web/ui/Card.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { embedSnippet, frameHeight } from './embed-snippet.ts';
import { originsOf } from './pages.logic.ts';
import { type CheckedSectionProps, memoSection } from './memo-section.ts';

interface EmbedSectionProps extends CheckedSectionProps {
  /** Of the saved page; a new one has none yet. */
  url?: string;
}

/** Which sites may show the page in a frame, and the code that does it. */
export const EmbedSection = memoSection(EmbedFields, (form) =>
  originsOf(form).length > 0 ? [form] : [form.embed_origins],
);

function EmbedFields({ form, dispatch, errors, url }: EmbedSectionProps) {
  const { t } = useTranslation('pages');
  const snippetLabel = useId();
  const heading = textsOf(form.attrs.language)['document.title'];
  const snippet = url && embedSnippet({ url, title: `${heading} – ${form.name}`, height: frameHeight(form) });
  return (
    <Card title={t('section.embed')} description={t('section.embed_help')}>
      <div className="flex flex-col gap-5">
        <TextAreaField
          label={t('field.embed_origins')}
          description={t('field.embed_origins_help')}
          placeholder="https://www.example.com"
          rows={Math.min(8, Math.max(2, form.embed_origins.length + 1))}
          value={form.embed_origins.join('\n')}
          onChange={(typed) =>
            dispatch({ type: 'set', values: { embed_origins: typed === '' ? [] : typed.split('\n') } })
          }
          autoComplete="off"
          spellCheck="false"
          errorMessage={errors.embed_origins}
        />
        {originsOf(form).length > 0 && !snippet && (
          <p className="text-[13px] text-ink-muted">{t('embed.save_first')}</p>
        )}
        {originsOf(form).length > 0 && snippet && (
          <div className="min-w-0">
            <div className="flex min-h-8 items-center justify-between gap-2">
              <p id={snippetLabel} className="font-medium">
                {t('embed.snippet')}
              </p>
              <CopyButton value={snippet} label={t('embed.copy')} />
            </div>
            <pre
              // What scrolls has to be reachable with the keyboard.
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
              tabIndex={0}
              role="group"
              aria-labelledby={snippetLabel}
              className="mt-1 overflow-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[13px] break-words whitespace-pre-wrap"
            >
              {snippet}
            </pre>
            <p className="mt-1.5 text-[13px] text-ink-muted">{t('embed.snippet_help')}</p>
          </div>
        )}
      </div>
    </Card>
  );
}
