import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KEPT_VERSIONS, type PageChange, type PageVersion } from '#contract/page-drafts.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { SidePanel } from '#web/ui/SidePanel.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { queryClient } from '../../api/query-client.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { listsQuery } from '../../queries/list-queries.ts';
import { type SiteParams } from '../../site/site-params.ts';
import { versionQuery, versionsQuery } from './pages.api.ts';
import { formOfContent, type PageForm, restoredForm } from './pages.logic.ts';
import { previewView } from './preview-view.ts';
import { PreviewFrame } from './PreviewFrame.tsx';

interface HistoryPanelProps {
  site: SiteParams;
  pageId: string;
  /** Gives what takes it back. */
  onRestore: (form: PageForm) => () => void;
  onClose: () => void;
}

/** Earlier versions: to look at, and to restore as a draft. */
export function HistoryPanel({ site, pageId, onRestore, onClose }: HistoryPanelProps) {
  const { t } = useTranslation('editor');
  const query = useQuery(versionsQuery(site, pageId));

  async function restore(version: number) {
    const [{ content }, lists] = await Promise.all([
      queryClient.fetchQuery(versionQuery(site, pageId, version)),
      queryClient.fetchQuery({ ...listsQuery(site), staleTime: 0 }),
    ]);
    const { form, gone } = restoredForm(content, lists);
    const onUndo = onRestore(form);
    onClose();
    const text =
      gone.length === 0
        ? t('history.restored', { version })
        : t('history.restored_without', { version, lists: gone.join(', ') });
    toast(text, { onUndo });
  }

  return (
    <SidePanel title={t('history.title')} onClose={onClose}>
      <p className="mb-4 text-pretty text-ink-muted">
        {t('history.text', { count: KEPT_VERSIONS })} {t('history.note')}
      </p>
      {query.isPending && <Skeleton />}
      {query.isLoadingError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && (
        <ol className="flex flex-col gap-3">
          {query.data.map((version, position) => (
            <VersionItem
              key={version.version}
              {...{ site, pageId, version }}
              isCurrent={position === 0}
              onRestore={() => restore(version.version)}
            />
          ))}
        </ol>
      )}
    </SidePanel>
  );
}

interface VersionItemProps {
  site: SiteParams;
  pageId: string;
  version: PageVersion;
  isCurrent: boolean;
  onRestore: () => Promise<void>;
}

function VersionItem({ site, pageId, version, isCurrent, onRestore }: VersionItemProps) {
  const { t } = useTranslation('editor');
  const [isShown, setIsShown] = useState(false);
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const name = t('history.version', { version: version.version });

  async function restore() {
    setIsPending(true);
    setError(null);
    try {
      await onRestore();
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {name}
            {isCurrent && <Badge tone="success">{t('history.current')}</Badge>}
          </p>
          <p className="text-[13px] text-ink-muted">
            <RelativeTime at={version.saved_at} />
            {version.saved_by && ` · ${t('history.by', { name: version.saved_by.name })}`}
          </p>
          <p className="mt-1 break-words">{useChangesText()(version)}</p>
        </div>
        <div className="flex gap-2 max-sm:-ml-2.5">
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={isShown}
            aria-label={`${t(isShown ? 'history.hide' : 'history.view')}: ${name}`}
            onPress={() => setIsShown(!isShown)}
          >
            {t(isShown ? 'history.hide' : 'history.view')}
          </Button>
          {!isCurrent && (
            <Button
              size="sm"
              isPending={isPending}
              aria-label={`${t('history.restore')}: ${name}`}
              onPress={() => void restore()}
            >
              {t('history.restore')}
            </Button>
          )}
        </div>
      </div>
      <FormError error={error} />
      {isShown && <VersionPreview {...{ site, pageId, name }} version={version.version} />}
    </li>
  );
}

interface VersionPreviewProps {
  site: SiteParams;
  pageId: string;
  version: number;
  name: string;
}

function VersionPreview({ site, pageId, version, name }: VersionPreviewProps) {
  const query = useQuery(versionQuery(site, pageId, version));
  if (query.isPending) return <Skeleton shape="text" />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const form = formOfContent(query.data.content);
  return (
    <div className="mt-3 overflow-hidden rounded-lg border border-line bg-sunken">
      <PreviewFrame
        view={previewView(form, { id: site.site_id, operator: null }, 'preferences', form.attrs.language)}
        title={name}
        width={375}
        height={560}
      />
    </div>
  );
}

const FIELD_LABELS = {
  name: 'field.name',
  custom_path: 'field.path',
  allow_customer_create: 'rule.allow_customer_create',
  favicon: 'field.favicon',
  logo: 'field.logo',
  active_languages: 'field.active_languages',
  embed_origins: 'field.embed_origins',
  primary_color: 'field.primary',
  text_color: 'field.text',
  background_color: 'field.background',
  template_id: 'template.label',
  language: 'field.language',
  allow_email_change: 'rule.allow_email_change',
  unsubscribe_all: 'rule.unsubscribe_all',
  enhanced_security: 'rule.enhanced_security',
  remove_badge: 'rule.remove_badge',
  confirm_links: 'rule.confirm_links',
  confirm_changes: 'rule.confirm_changes',
  offer_pause: 'rule.offer_pause',
  tag_subject: 'field.tag_subject',
  tag_pre_name: 'field.tag_pre_name',
  saved_preferences_msg: 'field.saved_message',
} as const;

/** The fields that a version changed. */
function useChangesText(): (version: PageVersion) => string {
  const { t } = useTranslation(['editor', 'pages']);
  const changeText = ({ what, lists }: PageChange): string => {
    switch (what) {
      case 'lists_added':
      case 'lists_removed':
      case 'lists_words':
      case 'lists_order':
        return t(`history.change.${what}`, { lists: lists.join(', ') });
      default:
        return t(`pages:${FIELD_LABELS[what]}`);
    }
  };
  return ({ version, changes }) => {
    if (changes.length > 0) return changes.map(changeText).join(' · ');
    return version === 1 ? t('history.first') : t('history.nothing');
  };
}
