import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { Menu, MenuItem, MenuSection, MenuSeparator } from '#web/ui/Menu.tsx';
import { orderWithin } from '#web/ui/order.ts';
import { SortableList } from '#web/ui/SortableList.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { MANY_ROWS, RowMenu } from '../../components/RowMenu.tsx';
import { listsQuery } from '../../queries/list-queries.ts';
import type { SiteParams } from '../../site/site-params.ts';
import { PageListDialog } from './PageListDialog.tsx';
import { type FormList, keyOf, pageReducer } from './pages.logic.ts';
import { type SectionProps, memoSection } from './memo-section.ts';

export interface AskedList {
  /** The key of a list that a check is about, whose dialog opens. */
  askedList: string | null;
  askList: (key: string | null) => void;
}

interface PageListsSectionProps extends SectionProps, AskedList {
  site: SiteParams;
}

type Editing = { list: FormList | null } | null;

export const PageListsSection = memoSection(PageListsFields, ({ lists }) => [lists]);

function PageListsFields({ form, dispatch, site, askedList, askList }: PageListsSectionProps) {
  const { t } = useTranslation(['pages', 'editing']);
  const [chosen, setEditing] = useState<Editing>(null);
  const asked = form.lists.find((list) => keyOf(list) === askedList);
  const editing = asked ? { list: asked } : chosen;
  const [announcement, setAnnouncement] = useState('');
  const total = form.lists.length;
  const shown = useShownLists(form.lists);

  function move(list: FormList, from: number, to: number) {
    dispatch({ type: 'move', key: keyOf(list), by: to - from });
    setAnnouncement(t('editing:order.moved', { name: list.name, position: to + 1, total }));
  }

  function remove(list: FormList) {
    const operation = { type: 'remove', key: keyOf(list) } as const;
    const made = pageReducer(form, operation);
    dispatch(operation);
    toast(t('lists.removed', { name: list.name }), {
      onUndo: () => dispatch({ type: 'take_back', before: form, made }),
    });
  }

  return (
    <div data-page-field="lists">
      <Card
        title={t('section.lists')}
        description={t('section.lists_help')}
        action={
          <AddList
            lists={form.lists}
            site={site}
            onAdd={(list) => {
              dispatch({ type: 'add', list });
              shown.all();
            }}
            onNew={() => setEditing({ list: null })}
          />
        }
      >
        {total === 0 ? (
          <p className="rounded-lg border border-dashed border-line px-4 py-6 text-center text-ink-muted">
            {t('lists.empty')}
          </p>
        ) : (
          <ManyLists shown={shown} total={total}>
            <SortableList
              label={t('section.lists')}
              items={shown.lists}
              keyOf={keyOf}
              nameOf={(list) => list.name}
              handleLabel={(name) => t('editing:order.drag', { name })}
              onOrder={(keys) =>
                dispatch({ type: 'reorder', keys: orderWithin(form.lists.map(keyOf), keys) })
              }
              onOpen={(key) => setEditing({ list: form.lists.find((list) => keyOf(list) === key) ?? null })}
            >
              {(list) => (
                <>
                  <PageList list={list} />
                  <RowMenu
                    label={t('card.more', { name: list.name })}
                    deleteLabel={t('lists.remove')}
                    onEdit={() => setEditing({ list })}
                    onDelete={() => remove(list)}
                    move={{ position: list.show_order, total, to: (to) => move(list, list.show_order, to) }}
                  />
                </>
              )}
            </SortableList>
          </ManyLists>
        )}
        <p role="status" className="sr-only">
          {announcement}
        </p>
        {editing && (
          <PageListDialog
            {...(editing.list ? { list: editing.list } : {})}
            onClose={() => {
              setEditing(null);
              askList(null);
            }}
            onApply={(list) => {
              dispatch({ type: 'upsert', list });
              if (!editing.list) shown.all();
            }}
          />
        )}
      </Card>
    </div>
  );
}

type ShownLists = ReturnType<typeof useShownLists>;

/** Of many lists the first ones, until all are asked for or some are looked for by name. */
function useShownLists(lists: readonly FormList[]) {
  const [sought, setSought] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  const hasMany = lists.length > MANY_ROWS;
  const words = hasMany ? sought.trim().toLocaleLowerCase() : '';
  const found = words === '' ? lists : lists.filter(({ name }) => name.toLocaleLowerCase().includes(words));
  return {
    lists: hasMany && words === '' && !isWhole ? lists.slice(0, MANY_ROWS) : found,
    hasMany,
    sought,
    find: setSought,
    isFinding: words !== '',
    isWhole,
    setIsWhole,
    /** As after adding one, which is the last. */
    all() {
      setSought('');
      setIsWhole(true);
    },
  };
}

/** The rows, with a search above them and a button below where there are many. */
function ManyLists({ shown, total, children }: { shown: ShownLists; total: number; children: ReactNode }) {
  const { t } = useTranslation('pages');
  if (!shown.hasMany) return children;
  return (
    <div className="flex flex-col gap-3">
      <TextField
        type="search"
        label={t('lists.find')}
        isLabelHidden
        placeholder={t('lists.find')}
        value={shown.sought}
        onChange={shown.find}
      />
      {shown.lists.length > 0 && children}
      <p role="status" className="text-[13px] text-ink-muted empty:sr-only">
        {shown.isFinding && t('lists.found', { shown: shown.lists.length, total })}
      </p>
      {!shown.isFinding && (
        <Button
          size="sm"
          variant="ghost"
          icon={shown.isWhole ? <ChevronUp /> : <ChevronDown />}
          aria-expanded={shown.isWhole}
          onPress={() => shown.setIsWhole(!shown.isWhole)}
        >
          {shown.isWhole ? t('lists.fewer') : t('lists.all', { total })}
        </Button>
      )}
    </div>
  );
}

function PageList({ list }: { list: FormList }) {
  const { t } = useTranslation('pages');
  return (
    <div className="min-w-0 flex-1 py-1.5 pointer-coarse:py-3">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <span className="min-w-0 break-words">{list.name}</span>
        {list.id === undefined && <Badge tone="accent">{t('lists.not_saved')}</Badge>}
      </p>
      {list.description && <p className="truncate text-[13px] text-ink-muted">{list.description}</p>}
    </div>
  );
}

interface AddListProps {
  lists: readonly FormList[];
  site: SiteParams;
  onAdd: (list: FormList) => void;
  onNew: () => void;
}

function AddList({ lists, site, onAdd, onNew }: AddListProps) {
  const { t } = useTranslation('pages');
  const all = useQuery(listsQuery(site)).data ?? [];
  const addable = all.filter((list) => !lists.some((one) => one.id === list.id));
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
            <MenuItem key={list.id} id={list.id} onAction={() => onAdd(list)}>
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
