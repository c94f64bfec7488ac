import type { ReactNode, Ref } from 'react';
import {
  Input,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { FieldLayout, type FieldTexts } from './Field.tsx';

export interface TextFieldProps
  extends FieldTexts, Omit<AriaTextFieldProps, 'className' | 'style' | 'children' | 'isInvalid' | 'ref'> {
  placeholder?: string;
  autoCapitalize?: 'none';
  /** Fixed text after the value, like a domain suffix. */
  suffix?: ReactNode;
  ref?: Ref<HTMLInputElement>;
}

/** Works with react-hook-form: `<Controller render={({ field, fieldState }) => <TextField {...field} label=… errorMessage={fieldState.error?.message} />} />`. */
export function TextField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  successMessage,
  placeholder,
  autoCapitalize,
  suffix,
  ref,
  ...props
}: TextFieldProps) {
  return (
    <AriaTextField
      {...props}
      validationBehavior="aria"
      isInvalid={Boolean(errorMessage)}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <FieldLayout {...{ label, isLabelHidden, description, errorMessage, successMessage }}>
        <span className="flex min-w-0 items-center gap-2">
          <Input ref={ref} placeholder={placeholder} autoCapitalize={autoCapitalize} className="field-box" />
          {suffix && <span className="shrink-0 text-ink-muted">{suffix}</span>}
        </span>
      </FieldLayout>
    </AriaTextField>
  );
}
