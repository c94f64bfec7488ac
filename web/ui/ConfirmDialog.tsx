import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { useErrorText } from './error-text.ts';
import { TextField } from './TextField.tsx';

export interface ConfirmDialogProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: string;
  description?: ReactNode;
  /** Further questions, above what has to be typed. */
  children?: ReactNode;
  confirmLabel: string;
  /** Where "Cancel" would be unclear beside the button that confirms. */
  cancelLabel?: string;
  /** Text that has to be typed before the button works, for what cannot be undone. */
  typedConfirmation?: string;
  variant?: 'primary' | 'danger';
  /** The dialog closes when it resolves and shows the reason when it rejects. */
  onConfirm: () => Promise<unknown> | void;
}

export function ConfirmDialog({
  isOpen,
  onOpenChange,
  title,
  description,
  children,
  confirmLabel,
  cancelLabel,
  typedConfirmation,
  variant = 'danger',
  onConfirm,
}: ConfirmDialogProps) {
  const { t } = useTranslation('ui');
  const errorText = useErrorText();
  const [typed, setTyped] = useState('');
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  useEffect(() => {
    if (isOpen) return;
    setTyped('');
    setError(null);
  }, [isOpen]);

  async function confirm() {
    setIsPending(true);
    setError(null);
    try {
      await onConfirm();
      onOpenChange(false);
    } catch (cause) {
      setError(cause);
    } finally {
      setIsPending(false);
    }
  }

  return (
    <Dialog
      role="alertdialog"
      {...{ isOpen, onOpenChange, title, description }}
      footer={
        <>
          <Button onPress={() => onOpenChange(false)}>{cancelLabel ?? t('cancel')}</Button>
          <Button
            variant={variant}
            isPending={isPending}
            isDisabled={typedConfirmation !== undefined && typed.trim() !== typedConfirmation}
            onPress={() => void confirm()}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {(children !== undefined || typedConfirmation !== undefined || error !== null) && (
        <div className="flex flex-col gap-3">
          {children}
          {typedConfirmation !== undefined && (
            <TextField
              label={t('type_to_confirm', { text: typedConfirmation })}
              value={typed}
              onChange={setTyped}
              autoComplete="off"
            />
          )}
          {error !== null && (
            <p role="alert" className="text-danger">
              {errorText(error)}
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}
