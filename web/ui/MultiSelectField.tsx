import { Check } from 'lucide-react';
import { useDeferredValue } from 'react';
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue, Text } from 'react-aria-components';
import { FieldLayout, type FieldTexts } from './Field.tsx';
import { SELECT_BOX, SELECT_COLUMN, SelectChevron } from './SelectBox.tsx';
import { SelectOutline } from './SelectOutline.tsx';

export interface MultiSelectFieldProps<Value extends string> extends FieldTexts {
  options: readonly { value: Value; label: string }[];
  value: readonly Value[];
  onChange: (value: Value[]) => void;
  /** Said for what is chosen, and for nothing. */
  summary: string;
  /** Only its outline in the first frame, so that what it stands in is painted sooner. */
  deferRender?: boolean;
}

/** Several of a list; the values come back in the options' order. */
export function MultiSelectField<Value extends string>({
  options,
  value,
  onChange,
  summary,
  deferRender = false,
  ...texts
}: MultiSelectFieldProps<Value>) {
  const isDrawn = useDeferredValue(true, !deferRender);
  const summaryClass = `min-w-0 truncate ${value.length === 0 ? 'text-ink-muted' : ''}`;
  if (!isDrawn)
    return (
      <SelectOutline {...texts}>
        <span className={summaryClass}>{summary}</span>
      </SelectOutline>
    );
  return (
    <Select
      selectionMode="multiple"
      value={[...value]}
      onChange={(keys) => {
        onChange(options.map((option) => option.value).filter((one) => keys.includes(one)));
      }}
      validationBehavior="aria"
      isInvalid={Boolean(texts.errorMessage)}
      className={SELECT_COLUMN}
    >
      <FieldLayout {...texts}>
        <Button className={`${SELECT_BOX} cursor-pointer`}>
          <SelectValue className={summaryClass}>{() => summary}</SelectValue>
          <SelectChevron />
        </Button>
      </FieldLayout>
      <Popover className="max-h-80 max-w-[calc(100vw-2rem)] min-w-(--trigger-width) animate-fade overflow-auto rounded-lg border border-line bg-raised p-1 shadow-lift">
        <ListBox className="outline-none">
          {options.map((option) => (
            <ListBoxItem
              key={option.value}
              id={option.value}
              textValue={option.label}
              className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-focused:bg-hover pointer-coarse:min-h-11"
            >
              {({ isSelected }) => (
                <>
                  <span
                    aria-hidden
                    className={`flex size-4.5 shrink-0 items-center justify-center rounded-sm border text-on-accent ${isSelected ? 'border-accent bg-accent' : 'border-line-strong bg-surface'}`}
                  >
                    {isSelected && <Check size={12} strokeWidth={3} />}
                  </span>
                  <Text slot="label" className="min-w-0 break-words">
                    {option.label}
                  </Text>
                </>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
