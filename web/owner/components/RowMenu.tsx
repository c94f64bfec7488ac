import { ArrowDown, ArrowUp, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '#web/ui/IconButton.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/Menu.tsx';

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

/** The menu of a row. Without a handler, its item is missing. */
export function RowMenu({ label, onEdit, onDelete, deleteLabel, move, children }: RowMenuProps) {
  const { t } = useTranslation('editing');
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
