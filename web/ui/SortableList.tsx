import { GripVertical } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, DropIndicator, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { dropAt } from './order.ts';

export interface SortableListProps<Item> {
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  /** Accessible name of a row's handle. */
  handleLabel: (name: string) => string;
  /** All keys in their new order. */
  onOrder: (keys: string[]) => void;
  /** Enter, or a press on the row. */
  onOpen?: (key: string) => void;
  children: (item: Item, position: number) => ReactNode;
}

/** Rows that are ordered by dragging, or with the keyboard: Enter on the handle, arrows, Enter. */
export function SortableList<Item>({
  label,
  items,
  keyOf,
  nameOf,
  handleLabel,
  onOrder,
  onOpen,
  children,
}: SortableListProps<Item>) {
  const keys = items.map(keyOf);
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (moved) =>
      items.filter((item) => moved.has(keyOf(item))).map((item) => ({ 'text/plain': nameOf(item) })),
    onReorder: ({ keys: moved, target }) => {
      if (target.dropPosition === 'on') return;
      onOrder(dropAt(keys, new Set([...moved].map(String)), String(target.key), target.dropPosition));
    },
    renderDropIndicator: (target) => (
      <DropIndicator
        target={target}
        className="h-0 outline-2 outline-transparent data-drop-target:outline-accent"
      />
    ),
  });
  return (
    <GridList
      aria-label={label}
      dragAndDropHooks={dragAndDropHooks}
      {...(onOpen ? { onAction: (key) => onOpen(String(key)) } : {})}
      className="overflow-hidden rounded-lg border border-line bg-surface outline-none"
    >
      {items.map((item, position) => (
        <GridListItem
          key={keyOf(item)}
          id={keyOf(item)}
          textValue={nameOf(item)}
          className={`flex items-start gap-1 border-b border-line py-2 pr-2 pl-1 -outline-offset-2 last:border-b-0 data-dragging:opacity-40 data-focus-visible:outline-2 data-focus-visible:outline-accent sm:pr-3 sm:pl-2 ${onOpen ? 'cursor-pointer hover:bg-hover' : ''}`}
        >
          <Button
            slot="drag"
            aria-label={handleLabel(nameOf(item))}
            className="flex h-8 w-7 shrink-0 cursor-grab items-center justify-center rounded-md text-ink-faint hover:bg-hover hover:text-ink pointer-coarse:h-11 pointer-coarse:w-8"
          >
            <GripVertical size={16} aria-hidden />
          </Button>
          {children(item, position)}
        </GridListItem>
      ))}
    </GridList>
  );
}
