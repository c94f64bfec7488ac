import { Check } from 'lucide-react';
import { type ReactNode, type Ref, useDeferredValue } from 'react';
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue, Text } from 'react-aria-components';
import { FieldLayout, type FieldTexts } from './Field.tsx';
import { SELECT_BOX, SELECT_COLUMN, SelectChevron } from './SelectBox.tsx';
import { SelectOutline } from './SelectOutline.tsx';

export interface SelectOption<Value extends string> {
  value: Value;
  label: string;
  description?: string;
  icon?: ReactNode;
}

export interface SelectFieldProps<Value extends string> extends FieldTexts {
  options: readonly SelectOption<Value>[];
  /** null: nothing chosen yet. */
  value: Value | null;
  onChange: (value: Value) => void;
  onBlur?: () => void;
  placeholder?: string;
  name?: string;
  isDisabled?: boolean;
  /** Only its outline in the first frame, so that what it stands in is painted sooner. */
  deferRender?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function SelectField<Value extends string>({
  label,
  isLabelHidden,
  description,
  errorMessage,
  successMessage,
  options,
  value,
  onChange,
  onBlur,
  placeholder,
  name,
  isDisabled = false,
  deferRender = false,
  ref,
}: SelectFieldProps<Value>) {
  const isDrawn = useDeferredValue(true, !deferRender);
  const texts = { label, isLabelHidden, description, errorMessage, successMessage };
  if (!isDrawn) {
    const chosen = options.find((option) => option.value === value);
    return (
      <SelectOutline {...texts} isDisabled={isDisabled}>
        <span className={`flex min-w-0 items-center gap-2 truncate ${chosen ? '' : 'text-ink-faint'}`}>
          {chosen?.icon}
          <span className="block truncate">{chosen?.label ?? placeholder}</span>
        </span>
      </SelectOutline>
    );
  }
  return (
    <Select
      {...(name === undefined ? {} : { name })}
      {...(placeholder === undefined ? {} : { placeholder })}
      isDisabled={isDisabled}
      value={value}
      onChange={(key) => {
        const chosen = options.find((option) => option.value === key);
        if (chosen) onChange(chosen.value);
      }}
      onBlur={() => onBlur?.()}
      validationBehavior="aria"
      isInvalid={Boolean(errorMessage)}
      className={SELECT_COLUMN}
    >
      <FieldLayout {...texts}>
        <Button ref={ref} className={`${SELECT_BOX} cursor-pointer`}>
          <SelectValue className="flex min-w-0 items-center gap-2 truncate data-placeholder:text-ink-faint [&_[slot=description]]:hidden [&>svg:last-child]:hidden" />
          <SelectChevron />
        </Button>
      </FieldLayout>
      <Popover className="max-h-80 min-w-(--trigger-width) animate-fade overflow-auto rounded-lg border border-line bg-raised p-1 shadow-lift">
        <ListBox className="outline-none">
          {options.map((option) => (
            <ListBoxItem
              key={option.value}
              id={option.value}
              textValue={option.label}
              className="flex cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 outline-none data-focused:bg-hover pointer-coarse:min-h-11"
            >
              {({ isSelected }) => <Option option={option} isSelected={isSelected} />}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}

function Option({ option, isSelected }: { option: SelectOption<string>; isSelected: boolean }) {
  return (
    <>
      {option.icon}
      <span className="min-w-0 flex-1">
        <Text slot="label" className="block truncate">
          {option.label}
        </Text>
        {option.description && (
          <Text slot="description" className="block text-[13px] text-ink-muted">
            {option.description}
          </Text>
        )}
      </span>
      <Check size={16} aria-hidden className={`shrink-0 text-accent ${isSelected ? '' : 'invisible'}`} />
    </>
  );
}
