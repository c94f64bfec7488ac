import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { Site } from '#contract/sites.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { usePermission } from '../../account/permissions.ts';
import { NeedsRole } from '../../components/NeedsRole.tsx';
import { useSite } from '../../site/current-site.tsx';
import { listsQuery } from '../../queries/list-queries.ts';
import { EDITOR_COLUMNS, PageEditor } from './PageEditor.tsx';
import { editedPageQuery, pagesQuery } from './pages.api.ts';
import { firstPage } from './pages.logic.ts';

export { prefetchEditedPage as prefetch } from './pages.api.ts';

interface EditorProps {
  siteId: string;
  /** None: a new page. */
  id?: string;
}

export function PreferencePageEditorScreen({ siteId, id }: EditorProps) {
  const { sites } = useSite();
  const canEdit = usePermission('editor');
  const site = sites.find((one) => one.id === siteId);
  if (!site) return <Gone />;
  if (!canEdit) return <ReadOnlyPage />;
  if (id !== undefined) return <ExistingPage siteId={siteId} id={id} />;
  return <NewPage site={site} />;
}

/** A site's first page starts with all of its lists. If they fail to load, it starts empty. */
function NewPage({ site }: { site: Site }) {
  const { t } = useTranslation('pages');
  const { organization_id } = useSite();
  const params = { organization_id, site_id: site.id };
  const pages = useQuery(pagesQuery(params));
  const lists = useQuery(listsQuery(params));
  if (pages.isPending || lists.isPending) return <Waiting title={t('editor.new')} />;
  const isFirst = pages.data?.length === 0;
  return (
    <PageEditor
      site={site}
      edited={null}
      {...(isFirst ? { begin: firstPage(site, lists.data ?? []) } : {})}
      header={{ title: t('editor.new'), back: <Back /> }}
    />
  );
}

function ExistingPage({ siteId, id }: Required<EditorProps>) {
  const { t } = useTranslation('pages');
  const { organization_id, sites } = useSite();
  const site = sites.find((one) => one.id === siteId);
  const query = useQuery(editedPageQuery({ organization_id, site_id: siteId }, id));

  // Until the page's name, its title, is known.
  const title = t('editor.edit');
  if (query.isPending || !site) return <Waiting title={title} />;
  if (query.isLoadingError && query.error instanceof ApiError && query.error.status === 404) return <Gone />;
  if (query.isLoadingError) {
    return (
      <Unready title={title}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Unready>
    );
  }
  return (
    <PageEditor site={site} edited={query.data} header={{ title: query.data.page.name, back: <Back /> }} />
  );
}

function Unready({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <PageHeader title={title} back={<Back />} />
      {children}
    </>
  );
}

function Waiting({ title }: { title: string }) {
  return (
    <Unready title={title}>
      <div className={EDITOR_COLUMNS}>
        <Skeleton shape="panels" count={3} />
        <div className="hidden lg:block">
          <Skeleton shape="preview" count={1} />
        </div>
      </div>
    </Unready>
  );
}

function ReadOnlyPage() {
  const { t } = useTranslation('pages');
  return (
    <>
      <PageHeader title={t('title')} back={<Back />} />
      <NeedsRole needs="editor" action={<LinkButton to="/preference-pages">{t('editor.back')}</LinkButton>} />
    </>
  );
}

function Back() {
  const { t } = useTranslation('pages');
  return <BackLink to="/preference-pages">{t('editor.back')}</BackLink>;
}

function Gone() {
  const { t } = useTranslation('pages');
  return (
    <>
      <PageHeader title={t('title')} />
      <EmptyState
        icon={<SearchX />}
        title={t('editor.gone')}
        text={t('editor.gone_text')}
        action={
          <LinkButton to="/preference-pages" icon={<ArrowLeft />}>
            {t('editor.back')}
          </LinkButton>
        }
      />
    </>
  );
}
