import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { useNumber } from '../i18n/use-number.ts';

interface CountTabsProps<Id extends string> {
  label: string;
  options: readonly { id: Id; count: number; label: string }[];
  selected: Id;
  onSelect: (id: Id) => void;
  /** The columns of the grid. */
  className: string;
}

/** Large figures, one of which is selected: what it counts is listed below. */
export function CountTabs<Id extends string>({
  label,
  options,
  selected,
  onSelect,
  className,
}: CountTabsProps<Id>) {
  const number = useNumber();
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[selected]}
      onSelectionChange={(keys) => {
        const chosen = options.find(({ id }) => keys.has(id));
        if (chosen) onSelect(chosen.id);
      }}
      className={`grid gap-2 ${className}`}
    >
      {options.map((one) => (
        <ToggleButton
          key={one.id}
          id={one.id}
          className="flex min-w-0 cursor-pointer flex-col items-start rounded-lg border border-line bg-surface px-4 py-3 text-left hover:bg-hover data-selected:border-accent data-selected:bg-accent-soft"
        >
          <span className="text-2xl font-semibold tracking-tight tabular-nums">{number(one.count)}</span>
          <span className="max-w-full text-[13px] break-words text-ink-muted">{one.label}</span>
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
