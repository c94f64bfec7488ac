import { ArrowDown, ArrowDownToLine, ArrowUp, ArrowUpToLine, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton, IconButtonOutline } from '#web/ui/IconButton.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/Menu.tsx';
import { useAfterFirstPaint } from './first-frame.ts';

/** More rows than this take more than single steps to order, and a search to find. */
export const MANY_ROWS = 8;

interface RowMenuProps {
  label: string;
  onEdit?: (() => void) | undefined;
  onDelete?: (() => void) | undefined;
  deleteLabel?: string;
  /** For ordered rows. */
  move?: { position: number; total: number; to: (position: number) => void };
  /** Items between Edit and Delete. */
  children?: ReactNode;
}

/** The menu of a row, drawn after the rows themselves. Without a handler, its item is missing. */
export function RowMenu({ label, onEdit, onDelete, deleteLabel, move, children }: RowMenuProps) {
  const { t } = useTranslation('editing');
  const isDrawn = useAfterFirstPaint();
  if (!isDrawn) return <IconButtonOutline icon={<Ellipsis />} />;
  return (
    <Menu label={label} trigger={<IconButton label={label} icon={<Ellipsis />} />}>
      {onEdit && (
        <MenuItem icon={<Pencil />} onAction={onEdit}>
          {t('edit')}
        </MenuItem>
      )}
      {move && (
        <>
          <MenuItem
            icon={<ArrowUp />}
            isDisabled={move.position === 0}
            onAction={() => move.to(move.position - 1)}
          >
            {t('order.up')}
          </MenuItem>
          <MenuItem
            icon={<ArrowDown />}
            isDisabled={move.position === move.total - 1}
            onAction={() => move.to(move.position + 1)}
          >
            {t('order.down')}
          </MenuItem>
          {move.total > MANY_ROWS && (
            <>
              <MenuItem icon={<ArrowUpToLine />} isDisabled={move.position === 0} onAction={() => move.to(0)}>
                {t('order.first')}
              </MenuItem>
              <MenuItem
                icon={<ArrowDownToLine />}
                isDisabled={move.position === move.total - 1}
                onAction={() => move.to(move.total - 1)}
              >
                {t('order.last')}
              </MenuItem>
            </>
          )}
        </>
      )}
      {children}
      {onDelete && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Trash2 />} variant="danger" onAction={onDelete}>
            {deleteLabel ?? t('delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
