import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { CheckboxButton, CheckboxField as AriaCheckboxField } from 'react-aria-components';
import { FieldHelp } from './Field.tsx';

export interface CheckboxFieldProps {
  label: ReactNode;
  description?: ReactNode;
  errorMessage?: string | undefined;
  isSelected?: boolean;
  isIndeterminate?: boolean;
  onChange?: (isSelected: boolean) => void;
  isDisabled?: boolean;
  name?: string;
  /** For a checkbox inside a group. */
  value?: string;
}

export function CheckboxField({ label, description, errorMessage, ...props }: CheckboxFieldProps) {
  return (
    <AriaCheckboxField
      {...props}
      validationBehavior="aria"
      isInvalid={Boolean(errorMessage)}
      className="flex min-w-0 flex-col gap-1"
    >
      <CheckboxButton className="group flex cursor-pointer items-center gap-3 rounded-md data-disabled:cursor-not-allowed data-disabled:opacity-50 pointer-coarse:min-h-11">
        {({ isSelected, isIndeterminate }) => (
          <>
            <span
              aria-hidden
              className="flex size-4.5 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface text-on-accent group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-accent group-data-invalid:border-danger group-data-selected:border-accent group-data-selected:bg-accent group-data-indeterminate:border-accent group-data-indeterminate:bg-accent"
            >
              {isIndeterminate ? (
                <Minus size={12} strokeWidth={3} />
              ) : (
                isSelected && <Check size={12} strokeWidth={3} />
              )}
            </span>
            <span className="min-w-0">{label}</span>
          </>
        )}
      </CheckboxButton>
      <span className="flex flex-col pl-7.5 empty:hidden">
        <FieldHelp description={description} errorMessage={errorMessage} />
      </span>
    </AriaCheckboxField>
  );
}
