import { Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useUndoableDelete } from '../../components/use-undoable-delete.ts';
import { PagesScene } from '../../components/scenes/scenes.tsx';
import { PageCard } from './PageCard.tsx';
import { deletePage, usePages } from './pages.api.ts';

export { prefetchPages as prefetch } from './pages.api.ts';

export function PreferencePagesScreen() {
  const { t } = useTranslation('pages');
  const { site_id } = useSite();
  const canEdit = usePermission('editor');
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        action={
          canEdit && (
            <LinkButton
              to="/create-preference-page/$site"
              params={{ site: site_id }}
              variant="primary"
              icon={<Plus />}
            >
              {t('new')}
            </LinkButton>
          )
        }
      />
      <ReadOnlyNotice needs="editor" />
      <Pages key={site_id} />
    </>
  );
}

function Pages() {
  const { t } = useTranslation('pages');
  const site = useSite();
  const query = usePages();
  const canEdit = usePermission('editor');
  const deletion = useUndoableDelete((id) => deletePage(site, id), {
    deleted: (name) => t('deleted', { name }),
    failed: (name) => t('delete_failed', { name }),
  });

  if (query.isPending) return <Skeleton shape="cards" />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const pages = query.data.filter((page) => !deletion.isHidden(page.id));
  if (pages.length === 0) {
    return (
      <EmptyState
        art={<PagesScene />}
        title={t('empty.title')}
        text={t('empty.text')}
        example={t('empty.example', { url: `${site.site.url}/news` })}
        action={
          canEdit && (
            <LinkButton to="/create-preference-page/$site" params={{ site: site.site_id }} icon={<Plus />}>
              {t('new')}
            </LinkButton>
          )
        }
      />
    );
  }
  return (
    <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      {pages.map((page) => (
        <PageCard key={page.id} page={page} site={site.site} onDelete={() => deletion.remove(page)} />
      ))}
    </ul>
  );
}
