import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { List } from '#contract/lists.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { SortableList } from '#web/ui/SortableList.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useUndoableDelete } from '../../components/use-undoable-delete.ts';
import { ListAbout, ListRow } from './ListRow.tsx';
import { deleteList, useListFigures, useOrderLists } from './lists.api.ts';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { useLists } from '../../queries/list-queries.ts';
import { ListsScene } from '../../components/scenes/scenes.tsx';

export { prefetchLists as prefetch } from './lists.api.ts';

export function ListsScreen() {
  const { t } = useTranslation('lists');
  const { site_id } = useSite();
  const canEdit = usePermission('editor');
  const newList = canEdit && (
    <LinkButton to="/create-list/$id" params={{ id: 'new' }} variant="primary" icon={<Plus />}>
      {t('new')}
    </LinkButton>
  );
  return (
    <>
      <PageHeader title={t('title')} description={t('subtitle')} action={newList} />
      <ReadOnlyNotice needs="editor" />
      <Lists key={site_id} />
    </>
  );
}

function Lists() {
  const { t } = useTranslation('lists');
  const site = useSite();
  const query = useLists();
  const canEdit = usePermission('editor');
  const deletion = useUndoableDelete((id) => deleteList(site, id), {
    deleted: (name) => t('deleted', { name }),
    failed: (name) => t('delete_failed', { name }),
  });

  if (query.isPending) return <Skeleton count={4} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const lists = query.data.filter((list) => !deletion.isHidden(list.id));
  if (lists.length === 0) return <NoLists />;
  if (!canEdit) return <ReadOnlyLists lists={lists} />;
  return <OrderedLists lists={lists} onDelete={deletion.remove} />;
}

function ReadOnlyLists({ lists }: { lists: List[] }) {
  const figures = useListFigures();
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {lists.map((list) => (
        <li key={list.id} className="px-4 py-3 sm:px-5">
          <ListAbout list={list} figures={figures.data?.get(list.id)} />
        </li>
      ))}
    </ul>
  );
}

function NoLists() {
  const { t } = useTranslation('lists');
  const canEdit = usePermission('editor');
  return (
    <EmptyState
      art={<ListsScene />}
      title={t('empty.title')}
      text={t('empty.text')}
      example={t('empty.example')}
      action={
        canEdit && (
          <div className="flex flex-col items-center gap-3">
            <LinkButton to="/create-list/$id" params={{ id: 'new' }} icon={<Plus />}>
              {t('new')}
            </LinkButton>
            <FromTool />
          </div>
        )
      }
    />
  );
}

/** The lists that a connected tool has already. */
function FromTool() {
  const { t } = useTranslation('lists');
  const [tool] = useIntegrations().data ?? [];
  if (tool === undefined) return null;
  return (
    <TextLink to="/integrations/$id/set-up" params={{ id: tool.id }}>
      {t('empty.from_tool', { tool: tool.name })}
    </TextLink>
  );
}

function OrderedLists({ lists, onDelete }: { lists: List[]; onDelete: (list: List) => void }) {
  const { t } = useTranslation(['lists', 'editing']);
  const navigate = useNavigate();
  const [announcement, setAnnouncement] = useState('');
  const figures = useListFigures();
  const order = useOrderLists((error) => {
    const isConflict = error instanceof ApiError && error.status === 409;
    toast(isConflict ? t('order.conflict') : t('order.failed'), { tone: 'error' });
  });
  const open = (id: string) => void navigate({ to: '/create-list/$id', params: { id } });

  function reorder(ids: string[], moved?: List) {
    order.mutate(ids);
    if (!moved) return;
    const position = ids.indexOf(moved.id) + 1;
    setAnnouncement(t('editing:order.moved', { name: moved.name, position, total: ids.length }));
  }

  return (
    <>
      <SortableList
        label={t('order.label')}
        items={lists}
        keyOf={(list) => list.id}
        nameOf={(list) => list.name}
        handleLabel={(name) => t('editing:order.drag', { name })}
        onOrder={(ids) => reorder(ids)}
        onOpen={open}
      >
        {(list, position) => (
          <ListRow
            list={list}
            figures={figures.data?.get(list.id)}
            ids={lists.map((one) => one.id)}
            position={position}
            onOrder={(ids) => reorder(ids, list)}
            onEdit={() => open(list.id)}
            onDelete={() => onDelete(list)}
          />
        )}
      </SortableList>
      <p role="status" className="sr-only">
        {announcement}
      </p>
    </>
  );
}
