import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';

export interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly { id: Id; label: string; content: ReactNode }[];
  selected?: Id;
  onSelect?: (id: Id) => void;
}

export function Tabs<Id extends string>({ label, tabs, selected, onSelect }: TabsProps<Id>) {
  return (
    <AriaTabs
      {...(selected === undefined ? {} : { selectedKey: selected })}
      onSelectionChange={(key) => {
        const tab = tabs.find((one) => one.id === key);
        if (tab) onSelect?.(tab.id);
      }}
      className="min-w-0"
    >
      <TabList aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Tab
            key={tab.id}
            id={tab.id}
            className="-mb-px flex cursor-pointer items-center border-b-2 border-transparent px-3 py-2 font-medium whitespace-nowrap text-ink-muted -outline-offset-2 hover:text-ink data-selected:border-accent data-selected:text-ink pointer-coarse:min-h-11"
          >
            {tab.label}
          </Tab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className="pt-5 outline-none">
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
