import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { Menu, MenuItem, MenuSection, MenuSeparator } from '#web/ui/Menu.tsx';
import { SortableList } from '#web/ui/SortableList.tsx';
import { toast } from '#web/ui/toast.tsx';
import { RowMenu } from '../../components/RowMenu.tsx';
import { listsQuery } from '../../queries/list-queries.ts';
import type { SiteParams } from '../../site/site-params.ts';
import { PageListDialog } from './PageListDialog.tsx';
import { type FormList, keyOf } from './pages.logic.ts';
import { type SectionProps, memoSection } from './memo-section.ts';

interface PageListsSectionProps extends SectionProps {
  site: SiteParams;
}

type Editing = { list: FormList | null } | null;

export const PageListsSection = memoSection(PageListsFields, ({ lists }) => [lists]);

function PageListsFields({ form, dispatch, site }: PageListsSectionProps) {
  const { t } = useTranslation(['pages', 'editing']);
  const [editing, setEditing] = useState<Editing>(null);
  const [announcement, setAnnouncement] = useState('');
  const total = form.lists.length;

  function move(list: FormList, from: number, to: number) {
    dispatch({ type: 'move', key: keyOf(list), by: to - from });
    setAnnouncement(t('editing:order.moved', { name: list.name, position: to + 1, total }));
  }

  function remove(list: FormList) {
    const before = form.lists;
    dispatch({ type: 'remove', key: keyOf(list) });
    toast(t('lists.removed', { name: list.name }), {
      onUndo: () => dispatch({ type: 'set', values: { lists: before } }),
    });
  }

  return (
    <div data-page-field="lists">
      <Card
        title={t('section.lists')}
        description={t('section.lists_help')}
        action={
          <AddList form={form} dispatch={dispatch} site={site} onNew={() => setEditing({ list: null })} />
        }
      >
        {total === 0 ? (
          <p className="rounded-lg border border-dashed border-line px-4 py-6 text-center text-ink-muted">
            {t('lists.empty')}
          </p>
        ) : (
          <SortableList
            label={t('section.lists')}
            items={form.lists}
            keyOf={keyOf}
            nameOf={(list) => list.name}
            handleLabel={(name) => t('editing:order.drag', { name })}
            onOrder={(keys) => dispatch({ type: 'reorder', keys })}
            onOpen={(key) => setEditing({ list: form.lists.find((list) => keyOf(list) === key) ?? null })}
          >
            {(list, position) => (
              <>
                <PageList list={list} />
                <RowMenu
                  label={t('card.more', { name: list.name })}
                  deleteLabel={t('lists.remove')}
                  onEdit={() => setEditing({ list })}
                  onDelete={() => remove(list)}
                  move={{ position, total, to: (to) => move(list, position, to) }}
                />
              </>
            )}
          </SortableList>
        )}
        <p role="status" className="sr-only">
          {announcement}
        </p>
        {editing && (
          <PageListDialog
            {...(editing.list ? { list: editing.list } : {})}
            onClose={() => setEditing(null)}
            onApply={(list) => dispatch({ type: 'upsert', list })}
          />
        )}
      </Card>
    </div>
  );
}

function PageList({ list }: { list: FormList }) {
  const { t } = useTranslation('pages');
  return (
    <div className="min-w-0 flex-1 py-1">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <span className="min-w-0 break-words">{list.name}</span>
        {list.id === undefined && <Badge tone="accent">{t('lists.not_saved')}</Badge>}
      </p>
      {list.description && <p className="truncate text-[13px] text-ink-muted">{list.description}</p>}
    </div>
  );
}

function AddList({ form, dispatch, site, onNew }: PageListsSectionProps & { onNew: () => void }) {
  const { t } = useTranslation('pages');
  const all = useQuery(listsQuery(site)).data ?? [];
  const addable = all.filter((list) => !form.lists.some((one) => one.id === list.id));
  return (
    <Menu
      label={t('lists.add')}
      trigger={
        <Button size="sm" icon={<Plus />}>
          {t('lists.add')}
        </Button>
      }
    >
      {addable.length > 0 && (
        <MenuSection title={t('lists.existing')}>
          {addable.map((list) => (
            <MenuItem key={list.id} id={list.id} onAction={() => dispatch({ type: 'add', list })}>
              {list.name}
            </MenuItem>
          ))}
        </MenuSection>
      )}
      {addable.length > 0 && <MenuSeparator />}
      <MenuItem id="new" icon={<Plus />} onAction={onNew}>
        {t('lists.create_new')}
      </MenuItem>
    </Menu>
  );
}
