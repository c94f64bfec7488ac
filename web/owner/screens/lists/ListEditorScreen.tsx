import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ArrowLeft, SearchX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { List } from '#contract/lists.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { usePermission } from '../../account/permissions.ts';
import { NeedsRole } from '../../components/NeedsRole.tsx';
import { useSite } from '../../site/current-site.tsx';
import { ListEditor, type ListEditorProps } from './ListEditor.tsx';
import { listQuery } from './lists.api.ts';

const NEW = 'new';

/** Spec section 2: the id is handed down as a prop; `new` creates. */
export function ListEditorScreen({ id }: { id: string }) {
  const { t } = useTranslation('lists');
  const canEdit = usePermission('editor');
  return (
    <>
      <PageHeader
        title={id === NEW ? t('editor.new') : t('editor.edit')}
        back={<BackLink to="/lists">{t('editor.back')}</BackLink>}
      />
      <NeedsRole needs="editor" action={<LinkButton to="/lists">{t('editor.back')}</LinkButton>} />
      {canEdit && (id === NEW ? <Editor /> : <ExistingList id={id} />)}
    </>
  );
}

function ExistingList({ id }: { id: string }) {
  const query = useQuery(listQuery(useSite(), id));
  async function reload(): Promise<List> {
    // A failed one would give the version that was read before.
    const { data } = await query.refetch({ throwOnError: true });
    if (data === undefined) throw new Error('The list was to be read');
    return data;
  }

  if (query.isPending) {
    return (
      <div className="max-w-4xl">
        <Skeleton shape="panels" count={2} />
      </div>
    );
  }
  if (query.isLoadingError && isGone(query.error)) return <GoneList />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <OpenedEditor list={query.data} onReload={reload} />;
}

interface OpenedEditorProps {
  list: List;
  onReload: () => Promise<List>;
}

/** A reload in the background must not make the form believe that its values are those of now. */
function OpenedEditor({ list, onReload }: OpenedEditorProps) {
  const [opened, setOpened] = useState(list);
  return <Editor key={opened.updated_at} list={opened} onReload={async () => setOpened(await onReload())} />;
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function GoneList() {
  const { t } = useTranslation('lists');
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('editor.gone')}
      text={t('editor.gone_text')}
      action={
        <LinkButton to="/lists" icon={<ArrowLeft />}>
          {t('editor.back')}
        </LinkButton>
      }
    />
  );
}

function Editor({ list, onReload }: Pick<ListEditorProps, 'list' | 'onReload'>) {
  const { t } = useTranslation('lists');
  const navigate = useNavigate();
  return (
    <ListEditor
      {...(list ? { list } : {})}
      {...(onReload ? { onReload } : {})}
      onDone={(saved) => {
        if (saved) toast(t(list ? 'editor.saved' : 'editor.created', { name: saved.name }));
        void navigate({ to: '/lists' });
      }}
    />
  );
}
