import type { ReactNode } from 'react';
import { SwitchButton, SwitchField as AriaSwitchField } from 'react-aria-components';
import { FieldHelp } from './Field.tsx';

export interface SwitchFieldProps {
  label: ReactNode;
  description?: ReactNode;
  errorMessage?: string | undefined;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  isDisabled?: boolean;
  /** When the label is not to be seen (a row that shows the name already). */
  'aria-label'?: string;
}

export function SwitchField({
  label,
  description,
  errorMessage,
  isSelected,
  onChange,
  isDisabled = false,
  'aria-label': ariaLabel,
}: SwitchFieldProps) {
  return (
    <AriaSwitchField
      {...(ariaLabel === undefined ? {} : { 'aria-label': ariaLabel })}
      isSelected={isSelected}
      onChange={onChange}
      isDisabled={isDisabled}
      isInvalid={Boolean(errorMessage)}
      className="flex min-w-0 flex-col gap-1"
    >
      <SwitchButton className="group flex cursor-pointer items-center gap-3 rounded-md font-medium data-disabled:cursor-not-allowed data-disabled:opacity-50 data-focus-visible:outline-2 data-focus-visible:outline-offset-2 data-focus-visible:outline-accent pointer-coarse:min-h-11">
        <span
          aria-hidden
          className="flex h-5 w-9 shrink-0 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition-colors duration-150 group-data-selected:border-accent group-data-selected:bg-accent"
        >
          <span className="size-3.5 rounded-full bg-line-strong transition-all duration-150 group-data-selected:translate-x-4 group-data-selected:bg-on-accent" />
        </span>
        {label}
      </SwitchButton>
      <span className="flex flex-col pl-12 empty:hidden">
        <FieldHelp description={description} errorMessage={errorMessage} />
      </span>
    </AriaSwitchField>
  );
}
