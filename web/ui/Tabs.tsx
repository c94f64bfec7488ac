import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';

interface TabItem<Id extends string> {
  id: Id;
  label: string;
  /** What is wrong in it, in words. */
  problem?: string | undefined;
}

interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly TabItem<Id>[];
  selected: Id;
  onSelect: (id: Id) => void;
  /** Of the selected tab; the others are not rendered. */
  children: ReactNode;
}

/** The parts of a screen about one thing, one at a time. On a phone they scroll sideways. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
  return (
    <AriaTabs
      selectedKey={selected}
      onSelectionChange={(key) => {
        const chosen = tabs.find(({ id }) => id === key);
        if (chosen && chosen.id !== selected) onSelect(chosen.id);
      }}
      className="flex min-w-0 flex-col gap-6"
    >
      <TabList
        aria-label={label}
        className="flex [scrollbar-width:none] gap-1 overflow-x-auto border-b border-line"
      >
        {tabs.map(({ id, label: name, problem }) => (
          <Tab
            key={id}
            id={id}
            {...(id === selected ? { ref: scrollToTab } : {})}
            className="-mb-px inline-flex min-h-10 shrink-0 cursor-pointer items-center gap-1.5 rounded-t-md border-b-2 border-transparent px-2 font-medium text-ink-muted -outline-offset-2 hover:text-ink data-focus-visible:outline-2 data-focus-visible:outline-accent data-selected:border-accent data-selected:text-ink sm:px-3 pointer-coarse:min-h-11"
          >
            {name}
            {problem !== undefined && (
              <>
                <CircleAlert size={16} aria-hidden className="text-danger" />
                <span className="sr-only">{problem}</span>
              </>
            )}
          </Tab>
        ))}
      </TabList>
      {/* A panel of its own for each tab: a kept one would keep the name that the first tab knows it by. */}
      <TabPanel
        key={selected}
        id={selected}
        className="flex min-w-0 flex-col gap-6 outline-none data-focus-visible:rounded-lg data-focus-visible:outline-2 data-focus-visible:outline-offset-4 data-focus-visible:outline-accent"
      >
        {children}
      </TabPanel>
    </AriaTabs>
  );
}

/**
 * Centers the tab, so that its neighbors show. Only the row scrolls: the page may just have been scrolled to a field. Waits
 * for the next frame, because measuring during a commit forces an extra layout.
 */
function scrollToTab(tab: HTMLDivElement | null): void {
  if (tab !== null) requestAnimationFrame(() => centreInRow(tab));
}

function centreInRow(tab: HTMLDivElement): void {
  const row = tab.parentElement;
  if (!row) return;
  const centre = (element: Element) => {
    const { left, width } = element.getBoundingClientRect();
    return left + width / 2;
  };
  row.scrollBy({ left: centre(tab) - centre(row) });
}
