import { Link, useLocation, useSearch } from '@tanstack/react-router';
import { Copy, Eye, FlaskConical, KeyRound } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ActionFigures } from '#contract/dashboard.ts';
import type { Action } from '#contract/actions.ts';
import { useErrorText } from '#web/ui/error-text.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { MenuItem } from '#web/ui/Menu.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ActionTypeIcon } from '../../components/action-icons.tsx';
import { RowMenu } from '../../components/RowMenu.tsx';
import { useChangeAction } from './actions.api.ts';
import { isEndpoint } from './actions.logic.ts';
import { ActionNumbers } from './ActionNumbers.tsx';
import { ActionSentence } from './ActionSentence.tsx';

interface ActionRowProps {
  action: Action;
  lists: readonly { id: string; name: string }[];
  /** Missing while they load, or if that failed. */
  figures: ActionFigures | undefined;
  /** It stands further up, too, which is where links to it lead. */
  isRepeated: boolean;
  isFailingSaid: boolean;
  /** With another action, by what it changes in its tool. */
  isOverlapping: boolean;
  /** Customers are added to one thing in the tool and removed from another. */
  mismatch: { added: string; removed: string } | null;
  onEdit: () => void;
  onDuplicate: () => void;
  onTest: () => void;
  onPreview: () => void;
  onRotate: () => void;
  onDelete: () => void;
}

export function ActionRow({
  action,
  lists,
  figures,
  isRepeated,
  isFailingSaid,
  isOverlapping,
  mismatch,
  ...on
}: ActionRowProps) {
  const { t } = useTranslation('actions');
  const canEdit = usePermission('editor');
  const isSigned = isEndpoint(action.type);
  const [row, isHighlighted] = useHighlightedRow(isRepeated ? null : action.id);
  return (
    <li
      ref={row}
      id={isRepeated ? undefined : action.id}
      data-highlighted={isHighlighted || undefined}
      className="flex scroll-mt-20 items-start gap-3 py-4 pr-2 pl-4 transition-colors duration-150 first:rounded-t-lg last:rounded-b-lg data-highlighted:bg-accent-soft sm:gap-4 sm:pr-4 sm:pl-5"
    >
      <span
        title={t(`type.${action.type}`)}
        className="hidden size-9 shrink-0 items-center justify-center rounded-lg bg-accent-soft text-accent sm:flex"
      >
        <ActionTypeIcon type={action.type} operation={action.operation} />
      </span>
      <div className="min-w-0 flex-1">
        <p className={`text-pretty wrap-anywhere ${action.enabled ? '' : 'text-ink-muted'}`}>
          {canEdit ? (
            <EditLink id={action.id}>
              <ActionSentence action={action} lists={lists} />
            </EditLink>
          ) : (
            <ActionSentence action={action} lists={lists} />
          )}
        </p>
        <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-ink-muted">
          <span className="min-w-0 wrap-anywhere">{action.name}</span>
          <TextLink
            to="/deliveries"
            search={{ action_id: action.id }}
            aria-label={t('row.deliveries_of', { name: action.name })}
          >
            {t('row.deliveries')}
          </TextLink>
          {figures && <ActionNumbers figures={figures} isFailingSaid={isFailingSaid} />}
          {isOverlapping && <span className="text-warning">{t('row.overlaps')}</span>}
          {mismatch && <span className="text-pretty text-warning">{t('row.mismatch', mismatch)}</span>}
        </p>
        {action.disabled_because && (
          <p className="mt-2 rounded-lg bg-warning-soft px-3 py-2 text-[13px] break-words text-warning">
            {t(`row.switched_off.${action.disabled_because}`)}
          </p>
        )}
        {action.target_gone_since && (
          <p className="mt-2 rounded-lg bg-warning-soft px-3 py-2 text-[13px] break-words text-warning">
            {t('row.target_gone', { target: String(action.target['name']) })}
          </p>
        )}
      </div>
      <div className="flex shrink-0 items-center gap-1">
        <EnabledSwitch action={action} />
        <RowMenu
          label={t('row.more', { name: action.name })}
          onEdit={canEdit ? on.onEdit : undefined}
          onDelete={canEdit ? on.onDelete : undefined}
        >
          {canEdit && (
            <MenuItem icon={<Copy />} onAction={on.onDuplicate}>
              {t('row.duplicate')}
            </MenuItem>
          )}
          <MenuItem icon={<Eye />} onAction={on.onPreview}>
            {t('row.preview')}
          </MenuItem>
          {canEdit && (
            <MenuItem icon={<FlaskConical />} onAction={on.onTest}>
              {t('row.test')}
            </MenuItem>
          )}
          {canEdit && isSigned && (
            <MenuItem icon={<KeyRound />} onAction={on.onRotate}>
              {t('row.rotate')}
            </MenuItem>
          )}
        </RowMenu>
      </div>
    </li>
  );
}

const HIGHLIGHTED_MS = 2500;

/**
 * Brings a row that the URL names into view and marks it for a moment, also when it loads after the navigation.
 * @param id null: links don't lead to this row
 */
function useHighlightedRow(id: string | null) {
  const row = useRef<HTMLLIElement>(null);
  const isNamed = useLocation({ select: ({ hash }) => id !== null && hash === id });
  const [isHighlighted, setIsHighlighted] = useState(false);
  useEffect(() => {
    if (!isNamed) return undefined;
    row.current?.scrollIntoView();
    setIsHighlighted(true);
    const timer = setTimeout(() => setIsHighlighted(false), HIGHLIGHTED_MS);
    return () => {
      clearTimeout(timer);
      setIsHighlighted(false);
    };
  }, [isNamed]);
  return [row, isHighlighted] as const;
}

/** The sentence itself opens the action: that is where people click. */
function EditLink({ id, children }: { id: string; children: ReactNode }) {
  const by = useSearch({ from: '/shell/actions', select: (search) => search.by });
  return (
    <Link
      to="/actions"
      search={{ edit: id, ...(by ? { by } : {}) }}
      resetScroll={false}
      className="-mx-2 -my-1 block rounded-md px-2 py-1 text-inherit no-underline hover:bg-hover pointer-coarse:-my-2.5 pointer-coarse:py-2.5"
    >
      {children}
    </Link>
  );
}

function EnabledSwitch({ action }: { action: Action }) {
  const { t } = useTranslation('actions');
  const errorText = useErrorText();
  const change = useChangeAction(action.id);
  const canEdit = usePermission('editor');
  const name = action.name;

  // Undo works on another screen, too, where the callbacks of `mutate` would no longer run.
  async function switchTo(enabled: boolean) {
    try {
      await change.mutateAsync({ enabled });
      if (enabled) toast(t('row.turned_on', { name }));
      else toast(t('row.turned_off', { name }), { onUndo: () => void switchTo(true) });
    } catch (error) {
      toast(errorText(error), { tone: 'error' });
    }
  }

  return (
    <SwitchField
      label=""
      aria-label={t('row.is_on', { name })}
      isSelected={change.isPending ? (change.variables.enabled ?? action.enabled) : action.enabled}
      isDisabled={!canEdit}
      onChange={(enabled) => void switchTo(enabled)}
    />
  );
}
