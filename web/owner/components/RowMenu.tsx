import { ArrowDown, ArrowUp, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '#web/ui/IconButton.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/Menu.tsx';

interface RowMenuProps {
  label: string;
  /** Without it there is nothing to edit here. */
  onEdit?: (() => void) | undefined;
  /** Without it nothing can be deleted here. */
  onDelete?: (() => void) | undefined;
  deleteLabel?: string;
  /** For rows with an order. */
  move?: { position: number; total: number; to: (position: number) => void };
  /** Items between Edit and Delete. */
  children?: ReactNode;
}

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
