import type { Ref } from 'react';
import {
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { FieldLayout, type FieldTexts } from './Field.tsx';

export interface TextAreaFieldProps
  extends FieldTexts, Omit<AriaTextFieldProps, 'className' | 'style' | 'children' | 'isInvalid' | 'ref'> {
  placeholder?: string;
  rows?: number;
  ref?: Ref<HTMLTextAreaElement>;
}

/** As high as its text, `rows` lines at least. With `maxLength`, a count of what is left stands beside the label's end. */
export function TextAreaField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  successMessage,
  placeholder,
  rows = 3,
  ref,
  ...props
}: TextAreaFieldProps) {
  return (
    <AriaTextField
      {...props}
      validationBehavior="aria"
      isInvalid={Boolean(errorMessage)}
      className="relative flex min-w-0 flex-col gap-1.5"
    >
      <FieldLayout {...{ label, isLabelHidden, description, errorMessage, successMessage }}>
        <TextArea
          ref={ref}
          rows={rows}
          placeholder={placeholder}
          className="field-box max-h-60 resize-y field-sizing-content"
          style={{ minHeight: `calc(${rows} * 1lh + 1rem)` }}
        />
      </FieldLayout>
      {props.maxLength !== undefined && props.value !== undefined && (
        <span aria-hidden className="absolute top-0 right-0 text-[13px] text-ink-faint tabular-nums">
          {props.value.length}/{props.maxLength}
        </span>
      )}
    </AriaTextField>
  );
}
