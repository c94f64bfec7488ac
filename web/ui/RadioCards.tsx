import type { ReactNode } from 'react';
import { Radio, RadioGroup } from 'react-aria-components';
import { FieldLayout, type FieldTexts } from './Field.tsx';

export interface RadioCard<Value extends string> {
  value: Value;
  label: string;
  description?: string;
  icon?: ReactNode;
}

export interface RadioCardsProps<Value extends string> extends FieldTexts {
  options: readonly RadioCard<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  columns?: 1 | 2 | 3;
  name?: string;
  isDisabled?: boolean;
}

const COLUMNS = { 1: '', 2: 'sm:grid-cols-2', 3: 'sm:grid-cols-3' };

export function RadioCards<Value extends string>({
  options,
  value,
  onChange,
  columns = 1,
  name,
  isDisabled = false,
  ...texts
}: RadioCardsProps<Value>) {
  return (
    <RadioGroup
      {...(name === undefined ? {} : { name })}
      value={value}
      onChange={(chosen) => {
        const option = options.find((one) => one.value === chosen);
        if (option) onChange(option.value);
      }}
      isDisabled={isDisabled}
      validationBehavior="aria"
      isInvalid={Boolean(texts.errorMessage)}
      className="flex min-w-0 flex-col gap-2"
    >
      <FieldLayout {...texts}>
        <div className={`grid gap-2 ${COLUMNS[columns]}`}>
          {options.map((option) => (
            <Radio
              key={option.value}
              value={option.value}
              className="group flex min-h-11 cursor-pointer items-center gap-3 rounded-lg border border-line bg-surface px-4 py-3 transition-colors duration-100 hover:bg-hover data-disabled:cursor-not-allowed data-disabled:opacity-50 data-focus-visible:outline-2 data-focus-visible:outline-offset-2 data-focus-visible:outline-accent data-selected:border-accent data-selected:bg-accent-soft"
            >
              {option.icon && (
                <span className="shrink-0 text-ink-muted group-data-selected:text-accent">{option.icon}</span>
              )}
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{option.label}</span>
                {option.description && (
                  <span className="block text-[13px] text-ink-muted">{option.description}</span>
                )}
              </span>
              <span
                aria-hidden
                className="flex size-4.5 shrink-0 items-center justify-center rounded-full border border-line-strong bg-surface group-data-selected:border-accent group-data-selected:bg-accent"
              >
                <span className="size-1.5 rounded-full group-data-selected:bg-on-accent" />
              </span>
            </Radio>
          ))}
        </div>
      </FieldLayout>
    </RadioGroup>
  );
}
