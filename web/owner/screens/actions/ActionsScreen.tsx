import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, ScrollText, Zap } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useUndoableDelete } from '../../components/use-undoable-delete.ts';
import { useConnectors, useIntegrations } from '../../queries/integration-queries.ts';
import { useLists } from '../../queries/list-queries.ts';
import { ActionDialog } from './ActionDialog.tsx';
import { ActionRow } from './ActionRow.tsx';
import { deleteAction, useActionFigures } from './actions.api.ts';
import { useActions } from '../../queries/action-queries.ts';
import { actionFormOf, newActionForm } from './actions.logic.ts';
import { PreviewDialog } from './PreviewDialog.tsx';
import { RotateDialog } from './RotateDialog.tsx';
import { type FreshSecret, SecretDialog } from './SecretDialog.tsx';

export { prefetchActions as prefetch } from './actions.api.ts';

type Open = { kind: 'none' } | { kind: 'preview' | 'rotate'; action: Action };

const CLOSED: Open = { kind: 'none' };
/** Takes the place of an id in the URL of a new action. */
const NEW = 'new';

export function ActionsScreen() {
  const { t } = useTranslation('actions');
  const { site_id } = useSite();
  const canEdit = usePermission('editor');
  const [open, setOpen] = useState<Open>(CLOSED);
  const [secret, setSecret] = useState<FreshSecret | null>(null);
  const close = () => setOpen(CLOSED);
  const navigate = useNavigate();
  const { edit, tool } = useSearch({ from: '/shell/actions' });
  const setEdit = (id?: string) =>
    void navigate({ to: '/actions', search: id === undefined ? {} : { edit: id }, resetScroll: false });

  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        action={
          <>
            <LinkButton to="/deliveries" icon={<ScrollText />}>
              {t('log')}
            </LinkButton>
            {canEdit && (
              <Button variant="primary" icon={<Plus />} onPress={() => setEdit(NEW)}>
                {t('new')}
              </Button>
            )}
          </>
        }
      />
      <ReadOnlyNotice needs="editor" />
      <Actions key={site_id} onOpen={setOpen} onEdit={setEdit} />
      {edit !== undefined && (
        <EditedAction key={edit} id={edit} tool={tool} onClose={() => setEdit()} onSecret={setSecret} />
      )}
      {open.kind === 'preview' && <PreviewDialog action={open.action} onClose={close} />}
      {open.kind === 'rotate' && <RotateDialog action={open.action} onClose={close} onSecret={setSecret} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

interface NewActionProps {
  /** The integration that the action is for. */
  tool: string | undefined;
  onClose: () => void;
  onSecret: (secret: FreshSecret) => void;
}

function EditedAction({ id, tool, ...props }: NewActionProps & { id: string }) {
  const action = useActions().data?.find((one) => one.id === id);
  if (id === NEW) return <NewAction tool={tool} {...props} />;
  return action ? <ActionDialog start={actionFormOf(action)} action={action} {...props} /> : null;
}

function NewAction({ tool, ...props }: NewActionProps) {
  const integrations = useIntegrations();
  const connectors = useConnectors();
  const lists = useLists();
  if (integrations.isPending || connectors.isPending || lists.isPending) return null;
  const start = newActionForm(integrations.data ?? [], connectors.data ?? [], lists.data ?? [], tool);
  return <ActionDialog start={start} {...props} />;
}

interface ActionsProps {
  onOpen: (open: Open) => void;
  onEdit: (id: string) => void;
}

function Actions({ onOpen, onEdit }: ActionsProps) {
  const { t } = useTranslation('actions');
  const site = useSite();
  const query = useActions();
  const lists = useLists();
  const canEdit = usePermission('editor');
  const figures = useActionFigures();
  const deletion = useUndoableDelete((id) => deleteAction(site, id), {
    deleted: (name) => t('deleted', { name }),
    failed: (name) => t('delete_failed', { name }),
  });

  if (query.isPending || lists.isPending) return <Skeleton count={3} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (lists.isLoadingError) return <ErrorState error={lists.error} onRetry={() => void lists.refetch()} />;
  const actions = query.data.filter((action) => !deletion.isHidden(action.id));
  if (actions.length === 0) {
    return (
      <EmptyState
        icon={<Zap />}
        title={t('empty.title')}
        text={t('empty.text')}
        example={t('empty.example')}
        action={
          canEdit && (
            <Button icon={<Plus />} onPress={() => onEdit(NEW)}>
              {t('new')}
            </Button>
          )
        }
      />
    );
  }
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {actions.map((action) => (
        <ActionRow
          key={action.id}
          action={action}
          lists={lists.data}
          figures={figures.data?.get(action.id)}
          onEdit={() => onEdit(action.id)}
          onPreview={() => onOpen({ kind: 'preview', action })}
          onRotate={() => onOpen({ kind: 'rotate', action })}
          onDelete={() => deletion.remove(action)}
        />
      ))}
    </ul>
  );
}
