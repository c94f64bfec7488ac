import type { ReactNode } from 'react';
import { ToggleButton, ToggleButtonGroup, Tooltip, TooltipTrigger } from 'react-aria-components';

export interface SegmentedControlProps<Value extends string> {
  label: string;
  /** With an icon, the label is its accessible name and tooltip. */
  options: readonly { value: Value; label: string; icon?: ReactNode }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** One of a few ways to look at the same thing. */
export function SegmentedControl<Value extends string>({
  label,
  options,
  value,
  onChange,
}: SegmentedControlProps<Value>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const chosen = options.find((option) => keys.has(option.value));
        if (chosen) onChange(chosen.value);
      }}
      className="inline-flex rounded-lg border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <TooltipTrigger key={option.value} delay={500} isDisabled={!option.icon}>
          <ToggleButton
            id={option.value}
            {...(option.icon ? { 'aria-label': option.label } : {})}
            className="inline-flex min-h-7 cursor-pointer items-center rounded-md border border-transparent px-2.5 text-ink-muted hover:text-ink data-selected:border-line-strong data-selected:bg-raised data-selected:font-medium data-selected:text-ink pointer-coarse:min-h-10 [&_svg]:size-4"
          >
            {option.icon ?? option.label}
          </ToggleButton>
          <Tooltip offset={4} className="animate-fade rounded-md bg-ink px-2 py-1 text-xs text-canvas">
            {option.label}
          </Tooltip>
        </TooltipTrigger>
      ))}
    </ToggleButtonGroup>
  );
}
