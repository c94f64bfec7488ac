import { Bookmark, BookmarkPlus, Pencil, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CustomerView } from '#contract/customer-views.ts';
import type { CustomerFilter } from '#contract/customers.ts';
import { Button } from '#web/ui/Button.tsx';
import { Menu, MenuItem, MenuSection, MenuSeparator } from '#web/ui/Menu.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useUndoableDelete } from '../../components/use-undoable-delete.ts';
import { useSite } from '../../site/current-site.tsx';
import { filterOf, isFiltered, isSameFilter } from './customer-filter.logic.ts';
import { deleteView, useCustomerViews } from './customer-views.api.ts';
import { ViewDialog } from './ViewDialog.tsx';

interface ViewsMenuProps {
  filter: CustomerFilter;
  onOpen: (filter: CustomerFilter) => void;
}

/** The team's saved views; its button names the one that is open. */
export function ViewsMenu({ filter, onOpen }: ViewsMenuProps) {
  const { t } = useTranslation(['customer-filters', 'ui']);
  const site = useSite();
  const canEdit = usePermission('editor');
  const query = useCustomerViews();
  const [dialog, setDialog] = useState<CustomerView | 'new' | null>(null);
  const deletion = useUndoableDelete((id) => deleteView(site, id), {
    deleted: (name) => t('views.deleted', { name }),
    failed: (name) => t('views.delete_failed', { name }),
  });
  const views = (query.data ?? []).filter((view) => !deletion.isHidden(view.id));
  const open = views.find((view) => isSameFilter(filterOf(view.filter), filter));
  const canSave = canEdit && query.data !== undefined && open === undefined && isFiltered(filter);

  return (
    <>
      <Menu
        label={t('views.button')}
        trigger={
          <Button icon={<Bookmark />}>
            <span className="max-w-40 truncate">{open?.name ?? t('views.button')}</span>
          </Button>
        }
      >
        {query.isPending ? (
          <MenuItem isDisabled>{t('ui:loading')}</MenuItem>
        ) : query.isLoadingError ? (
          <MenuSection title={t('ui:failed_title')}>
            <MenuItem icon={<RotateCw />} shouldCloseOnSelect={false} onAction={() => void query.refetch()}>
              {t('ui:try_again')}
            </MenuItem>
          </MenuSection>
        ) : views.length === 0 ? (
          <MenuItem isDisabled>{t('views.none')}</MenuItem>
        ) : (
          <MenuSection
            title={t('views.title')}
            selectionMode="single"
            selectedKeys={open === undefined ? [] : [open.id]}
            onSelectionChange={(keys) => {
              const chosen = views.find((view) => keys === 'all' || keys.has(view.id));
              onOpen(chosen === undefined ? {} : filterOf(chosen.filter));
            }}
          >
            {views.map((view) => (
              <MenuItem key={view.id} id={view.id}>
                {view.name}
              </MenuItem>
            ))}
          </MenuSection>
        )}
        {canSave && (
          <>
            <MenuSeparator />
            <MenuItem icon={<BookmarkPlus />} onAction={() => setDialog('new')}>
              {t('views.save')}
            </MenuItem>
          </>
        )}
        {canEdit && open !== undefined && (
          <>
            <MenuSeparator />
            <MenuItem icon={<Pencil />} onAction={() => setDialog(open)}>
              {t('views.rename')}
            </MenuItem>
            <MenuItem icon={<Trash2 />} variant="danger" onAction={() => deletion.remove(open)}>
              {t('views.delete')}
            </MenuItem>
          </>
        )}
      </Menu>
      {dialog !== null && (
        <ViewDialog view={dialog === 'new' ? null : dialog} filter={filter} onClose={() => setDialog(null)} />
      )}
    </>
  );
}
