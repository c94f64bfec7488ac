import { useNavigate, useSearch } from '@tanstack/react-router';
import { CircleHelp, Plus, ScrollText } from 'lucide-react';
import { memo, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { overlapping } from '#contract/action-overlaps.ts';
import type { Action } from '#contract/actions.ts';
import type { List } from '#contract/lists.ts';
import { Button } from '#web/ui/Button.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { SegmentedControl } from '#web/ui/SegmentedControl.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { useRowLimit } from '../../components/first-frame.ts';
import { useSite } from '../../site/current-site.tsx';
import { useUndoableDelete } from '../../components/use-undoable-delete.ts';
import { useConnectors, useIntegrations } from '../../queries/integration-queries.ts';
import { useLists } from '../../queries/list-queries.ts';
import { ActionDialog } from './ActionDialog.tsx';
import { ActionRow } from './ActionRow.tsx';
import { Group } from './Group.tsx';
import { type ActionGroup, failingSince, groupByList, groupByTool, startOf } from './grouping.logic.ts';
import { type Grouping, GROUPINGS } from './groupings.ts';
import { deleteAction, useActionFigures } from './actions.api.ts';
import { useActions } from '../../queries/action-queries.ts';
import { ActionsScene } from '../../components/scenes/scenes.tsx';
import { duplicateForm, editedActionForm, newActionForm } from './actions.logic.ts';
import { mismatchOf } from './partners.logic.ts';
import { PreviewDialog } from './PreviewDialog.tsx';
import { RotateDialog } from './RotateDialog.tsx';
import { type FreshSecret, SecretDialog } from './SecretDialog.tsx';
import { TestDialog } from './TestDialog.tsx';
import { WhatIfScreen } from './WhatIfScreen.tsx';

export { prefetchActions as prefetch } from './actions.api.ts';

type Open = { kind: 'none' } | { kind: 'preview' | 'test' | 'rotate'; action: Action };

const CLOSED: Open = { kind: 'none' };
/** Takes the place of an id in the URL of a new action. */
const NEW = 'new';

interface FormInUrl {
  edit?: string;
  copy?: string;
}

/** Takes the place of a customer's id in the URL of what would happen. */
const ANYBODY = 'anybody';

export function ActionsScreen() {
  const { what_if: who } = useSearch({ from: '/shell/actions' });
  if (who === undefined) return <AllActions />;
  return <WhatIfScreen key={who} customerId={who === ANYBODY ? undefined : who} />;
}

function AllActions() {
  const { t } = useTranslation('actions');
  const { site_id } = useSite();
  const canEdit = usePermission('editor');
  const [open, setOpen] = useState<Open>(CLOSED);
  const [secret, setSecret] = useState<FreshSecret | null>(null);
  const close = () => setOpen(CLOSED);
  const navigate = useNavigate();
  const { edit, copy, tool, list, by } = useSearch({ from: '/shell/actions' });
  const showForm = useCallback(
    (form: FormInUrl) =>
      void navigate({ to: '/actions', search: { ...form, ...(by ? { by } : {}) }, resetScroll: false }),
    [navigate, by],
  );
  const shown = { preferred: { tool, list }, onClose: () => showForm({}), onSecret: setSecret };

  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('subtitle')}
        action={
          <>
            <LinkButton to="/actions" search={{ what_if: ANYBODY }} icon={<CircleHelp />}>
              {t('what_if.title')}
            </LinkButton>
            <LinkButton to="/deliveries" icon={<ScrollText />}>
              {t('log')}
            </LinkButton>
            {canEdit && (
              <Button variant="primary" icon={<Plus />} onPress={() => showForm({ edit: NEW })}>
                {t('new')}
              </Button>
            )}
          </>
        }
      />
      <ReadOnlyNotice needs="editor" />
      <Actions key={site_id} by={by ?? 'tool'} onOpen={setOpen} onForm={showForm} />
      {canEdit && <OpenForm edit={edit} copy={copy} {...shown} />}
      {open.kind === 'preview' && <PreviewDialog action={open.action} onClose={close} />}
      {open.kind === 'test' && <TestDialog action={open.action} onClose={close} />}
      {open.kind === 'rotate' && <RotateDialog action={open.action} onClose={close} onSecret={setSecret} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

interface NewActionProps {
  /** The integration and the list that a new action is for. */
  preferred: { tool: string | undefined; list: string | undefined };
  onClose: () => void;
  onSecret: (secret: FreshSecret) => void;
}

/** The form that the URL names. */
function OpenForm({ edit, copy, ...props }: NewActionProps & FormInUrl) {
  if (edit === NEW) return <NewAction {...props} />;
  if (edit !== undefined) return <EditedAction key={edit} id={edit} {...props} />;
  if (copy !== undefined) return <DuplicatedAction key={copy} id={copy} {...props} />;
  return null;
}

function EditedAction({ id, preferred: _, ...props }: NewActionProps & { id: string }) {
  const query = useActions();
  const lists = useLists();
  // A reload in the background must not make the form believe that its values are those of now.
  const [opened, setOpened] = useState<{ action: Action; round: number } | null>(null);
  const current = query.data?.find((one) => one.id === id);
  if (opened === null && current !== undefined) setOpened({ action: current, round: 0 });
  if (opened === null || lists.data === undefined) return null;

  async function reload() {
    // A failed one would give the version that was read before.
    const { data } = await query.refetch({ throwOnError: true });
    const now = data?.find((one) => one.id === id);
    if (now) setOpened((before) => ({ action: now, round: (before?.round ?? 0) + 1 }));
    else props.onClose();
  }

  return (
    <ActionDialog
      key={opened.round}
      start={editedActionForm(opened.action, lists.data)}
      action={opened.action}
      onReload={reload}
      {...props}
    />
  );
}

function DuplicatedAction({ id, preferred: _, ...props }: NewActionProps & { id: string }) {
  const { t } = useTranslation('actions');
  const original = useActions().data?.find((one) => one.id === id);
  const lists = useLists().data;
  if (original === undefined || lists === undefined) return null;
  const start = duplicateForm(original, lists, t('duplicate.name', { name: original.name }));
  return <ActionDialog start={start} original={original} {...props} />;
}

function NewAction({ preferred, ...props }: NewActionProps) {
  const integrations = useIntegrations();
  const connectors = useConnectors();
  const lists = useLists();
  if (integrations.isPending || connectors.isPending || lists.isPending) return null;
  const start = newActionForm(integrations.data ?? [], connectors.data ?? [], lists.data ?? [], preferred);
  return <ActionDialog start={start} {...props} />;
}

interface ActionsProps {
  by: Grouping;
  onOpen: (open: Open) => void;
  onForm: (form: FormInUrl) => void;
}

/** Memoized: opening a dialog must not re-render every row. */
const Actions = memo(function AllRows({ by, onOpen, onForm }: ActionsProps) {
  const { t } = useTranslation('actions');
  const site = useSite();
  const query = useActions();
  const lists = useLists();
  const integrations = useIntegrations();
  const canEdit = usePermission('editor');
  const navigate = useNavigate();
  const deletion = useUndoableDelete((id) => deleteAction(site, id), {
    deleted: (name) => t('deleted', { name }),
    failed: (name) => t('delete_failed', { name }),
  });

  if (query.isPending || lists.isPending || integrations.isPending) return <Skeleton count={3} />;
  const failed = [query, lists, integrations].filter((one) => one.isLoadingError);
  if (failed[0]) {
    const retry = () => failed.forEach((one) => void one.refetch());
    return <ErrorState error={failed[0].error} onRetry={retry} />;
  }
  const [actions, allLists, tools] = [query.data ?? [], lists.data ?? [], integrations.data ?? []];
  const shown = actions.filter((action) => !deletion.isHidden(action.id));
  if (shown.length === 0) {
    return (
      <EmptyState
        art={<ActionsScene />}
        title={t('empty.title')}
        text={t('empty.text')}
        example={t('empty.example')}
        action={
          canEdit && (
            <Button icon={<Plus />} onPress={() => onForm({ edit: NEW })}>
              {t('new')}
            </Button>
          )
        }
      />
    );
  }
  const groups = by === 'tool' ? groupByTool(shown, tools) : groupByList(shown, allLists);
  return (
    <>
      <div className="mb-5">
        <SegmentedControl
          label={t('group.by')}
          options={GROUPINGS.map((value) => ({ value, label: t(`group.by_${value}`) }))}
          value={by}
          onChange={(next) =>
            void navigate({
              to: '/actions',
              search: next === 'tool' ? {} : { by: next },
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      <Groups
        groups={groups}
        actions={shown}
        lists={allLists}
        onDelete={deletion.remove}
        {...{ onOpen, onForm }}
      />
    </>
  );
});

/** In pixels: two lines, with their padding and the line below. */
const ROW_HEIGHT = 78;

interface GroupsProps extends Pick<ActionsProps, 'onOpen' | 'onForm'> {
  groups: readonly ActionGroup[];
  /** Of all groups, each once. */
  actions: readonly Action[];
  lists: readonly List[];
  onDelete: (action: Action) => void;
}

function Groups({ groups, actions, lists, onOpen, onForm, onDelete }: GroupsProps) {
  const figures = useActionFigures();
  const shown = startOf(groups, useRowLimit(ROW_HEIGHT));
  return (
    <div className="flex flex-col gap-8">
      {shown.map(({ group, first }) => {
        const since = failingSince(group, figures.data);
        return (
          <Group key={'id' in group ? group.id : group.kind} group={group} failingSince={since}>
            {first.map(({ action, isRepeated }) => (
              <ActionRow
                key={action.id}
                action={action}
                lists={lists}
                figures={figures.data?.get(action.id)}
                isRepeated={isRepeated}
                isFailingSaid={since !== null}
                isOverlapping={overlapping(action, actions, lists).length > 0}
                mismatch={mismatchOf(action, actions, lists)}
                onEdit={() => onForm({ edit: action.id })}
                onDuplicate={() => onForm({ copy: action.id })}
                onPreview={() => onOpen({ kind: 'preview', action })}
                onTest={() => onOpen({ kind: 'test', action })}
                onRotate={() => onOpen({ kind: 'rotate', action })}
                onDelete={() => onDelete(action)}
              />
            ))}
          </Group>
        );
      })}
    </div>
  );
}
