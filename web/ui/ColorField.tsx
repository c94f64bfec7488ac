import type { Ref } from 'react';
import { Input, TextField } from 'react-aria-components';
import { FieldLayout, type FieldTexts } from './Field.tsx';

export interface ColorFieldProps extends FieldTexts {
  /** `#rrggbb`; may be half typed while the owner writes. */
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  name?: string;
  isDisabled?: boolean;
  ref?: Ref<HTMLInputElement>;
}

const WHOLE_COLOUR = /^#[0-9a-f]{6}$/i;

export function ColorField({
  value,
  onChange,
  onBlur,
  name,
  isDisabled = false,
  ref,
  ...texts
}: ColorFieldProps) {
  return (
    <TextField
      {...(name === undefined ? {} : { name })}
      value={value}
      onChange={onChange}
      onBlur={() => onBlur?.()}
      isDisabled={isDisabled}
      validationBehavior="aria"
      isInvalid={Boolean(texts.errorMessage)}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <FieldLayout {...texts}>
        <span className="flex items-center gap-2">
          <input
            type="color"
            aria-label={texts.label}
            disabled={isDisabled}
            value={WHOLE_COLOUR.test(value) ? value : '#000000'}
            onChange={(event) => onChange(event.target.value)}
            className="size-9 shrink-0 cursor-pointer rounded-lg border border-line-strong bg-surface p-1 pointer-coarse:size-11 [&::-webkit-color-swatch]:rounded-sm [&::-webkit-color-swatch]:border-none [&::-webkit-color-swatch-wrapper]:p-0"
          />
          <Input
            ref={ref}
            spellCheck={false}
            autoComplete="off"
            maxLength={7}
            className="field-box font-mono"
          />
        </span>
      </FieldLayout>
    </TextField>
  );
}
