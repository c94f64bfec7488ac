import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { BackLink } from '../../parts/BackLink.tsx';
import { useMay } from '../../may.ts';
import { NeedsRole } from '../../parts/NeedsRole.tsx';
import { useSite } from '../../site.tsx';
import { EDITOR_COLUMNS, PageEditor } from './PageEditor.tsx';
import { editedPageQuery } from './pages.api.ts';

interface EditorProps {
  siteId: string;
  /** None: a new page. */
  id?: string;
}

export function PreferencePageEditorScreen({ siteId, id }: EditorProps) {
  const { t } = useTranslation('pages');
  const { sites } = useSite();
  const mayEdit = useMay('editor');
  const site = sites.find((one) => one.id === siteId);
  if (!site) return <Gone />;
  if (!mayEdit) return <ToSee />;
  if (id !== undefined) return <ExistingPage siteId={siteId} id={id} />;
  return <PageEditor site={site} edited={null} header={{ title: t('editor.new'), back: <Back /> }} />;
}

function ExistingPage({ siteId, id }: Required<EditorProps>) {
  const { organization_id, sites } = useSite();
  const site = sites.find((one) => one.id === siteId);
  const query = useQuery(editedPageQuery({ organization_id, site_id: siteId }, id));

  if (query.isPending || !site) return <Waiting />;
  if (query.isLoadingError && query.error instanceof ApiError && query.error.status === 404) return <Gone />;
  if (query.isLoadingError) {
    return (
      <Unready>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Unready>
    );
  }
  return (
    <PageEditor site={site} edited={query.data} header={{ title: query.data.page.name, back: <Back /> }} />
  );
}

/** The page has no name yet that could stand above it. */
function Unready({ children }: { children: ReactNode }) {
  const { t } = useTranslation('pages');
  return (
    <>
      <PageHeader title={t('editor.edit')} back={<Back />} />
      {children}
    </>
  );
}

function Waiting() {
  return (
    <Unready>
      <div className={EDITOR_COLUMNS}>
        <Skeleton shape="panels" count={3} />
        <div className="hidden lg:block">
          <Skeleton shape="cards" count={1} />
        </div>
      </div>
    </Unready>
  );
}

function ToSee() {
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
