import type { ReactNode } from 'react';
import { FieldError, Label, Text } from 'react-aria-components';

export interface FieldTexts {
  label: string;
  /** For a label that a neighbour already shows: kept for screen readers only. */
  isLabelHidden?: boolean;
  description?: ReactNode;
  errorMessage?: string | undefined;
  /** Good news about the value ("This name is available"), announced politely. */
  successMessage?: string | undefined;
}

/** Label, input, help and error of a field in their one order; the surrounding React Aria field ties them by id. */
export function FieldLayout({
  label,
  isLabelHidden = false,
  description,
  errorMessage,
  successMessage,
  children,
}: FieldTexts & { children: ReactNode }) {
  return (
    <>
      <Label className={isLabelHidden ? 'sr-only' : 'font-medium'}>{label}</Label>
      {children}
      <FieldHelp description={description} errorMessage={errorMessage} />
      <span role="status" className="text-[13px] text-success empty:sr-only">
        {errorMessage ? '' : successMessage}
      </span>
    </>
  );
}

export function FieldHelp({ description, errorMessage }: Pick<FieldTexts, 'description' | 'errorMessage'>) {
  return (
    <>
      <FieldError className="text-[13px] break-words text-danger">{errorMessage}</FieldError>
      {description && (
        <Text slot="description" className="text-[13px] text-ink-muted">
          {description}
        </Text>
      )}
    </>
  );
}
