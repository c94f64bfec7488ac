import { Link, useNavigate } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ListedPreferencePage } from '#contract/preference-pages.ts';
import type { Site } from '#contract/sites.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { breakable } from '#web/ui/breakable.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { languageName } from '../../i18n/language-name.ts';
import { usePermission } from '../../account/permissions.ts';
import { useAfterFirstPaint } from '../../components/first-frame.ts';
import { RowMenu } from '../../components/RowMenu.tsx';
import { pageFormOf } from './pages.logic.ts';
import { previewView } from './preview-view.ts';
import { PreviewFrame } from './PreviewFrame.tsx';

interface PageCardProps {
  page: ListedPreferencePage;
  site: Site;
  onDelete: () => void;
}

export function PageCard({ page, site, onDelete }: PageCardProps) {
  const { t } = useTranslation('pages');
  const shown = useLanguage();
  const navigate = useNavigate();
  const canEdit = usePermission('editor');
  const isDrawn = useAfterFirstPaint();
  const editor = { to: '/edit-preference-page/$site/$id', params: { site: site.id, id: page.id } } as const;
  const languages = [...new Set([page.attrs.language, ...page.active_languages])];
  const languageNames = languages.map((one) => languageName(one, shown)).join(', ');
  return (
    <li className="relative flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface focus-within:border-line-strong hover:border-line-strong">
      <div className="border-b border-line">
        <div className="aspect-4/3">
          {isDrawn && (
            <PreviewFrame
              isPicture
              title={page.name}
              width={720}
              height={540}
              view={previewView(pageFormOf(page), site, 'preferences', page.attrs.language)}
            />
          )}
        </div>
      </div>
      <div className="flex flex-1 flex-col gap-1 py-3 pr-2 pl-4">
        <div className="flex items-start gap-1">
          <h2 className="min-w-0 flex-1 pt-1.5 font-semibold break-words">
            {canEdit ? (
              <Link
                {...editor}
                // The editor always asks for the latest draft, so what is read before the click would be thrown away.
                preload={false}
                className="rounded-sm no-underline after:absolute after:inset-0"
              >
                {page.name}
              </Link>
            ) : (
              page.name
            )}
          </h2>
          {canEdit && (
            <span className="relative">
              <RowMenu
                label={t('card.more', { name: page.name })}
                onEdit={() => void navigate(editor)}
                onDelete={onDelete}
              />
            </span>
          )}
        </div>
        <p className="relative flex items-center gap-0.5">
          <a
            href={page.url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-w-0 items-center gap-1.5 rounded-sm text-accent no-underline hover:underline"
          >
            <span className="min-w-0 wrap-anywhere">{breakable(page.url.replace(/^https?:\/\//, ''))}</span>
            <ExternalLink size={14} aria-hidden className="shrink-0" />
            <span className="sr-only">{t('card.open', { name: page.name })}</span>
          </a>
          <CopyButton value={page.url} label={t('card.copy', { name: page.name })} />
        </p>
        {page.draft_saved_at !== null && (
          <p className="pt-1">
            <Badge tone="warning">{t('card.draft')}</Badge>
          </p>
        )}
        <p className="mt-auto flex flex-wrap gap-x-3 pt-1 pr-2 text-[13px] text-ink-muted">
          <span>
            {t(`template.${page.attrs.template_id}`)} · {t('card.lists', { count: page.lists.length })}
          </span>
          <span title={languageNames}>
            <span aria-hidden className="uppercase">
              {languages.join(' ')}
            </span>
            <span className="sr-only">{languageNames}</span>
          </span>
        </p>
      </div>
    </li>
  );
}
