import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { focusScreenIfLost } from './move-focus.ts';
import { IconButton } from './IconButton.tsx';

export interface DialogProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg';
  /** An alert dialog asks before something happens; it closes by its buttons only. */
  role?: 'dialog' | 'alertdialog';
  /** What it shows is shown only once: neither Escape nor a cross closes it. */
  isShownOnce?: boolean;
}

const SIZES = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-3xl' };

export function Dialog({
  isOpen,
  onOpenChange,
  title,
  description,
  children,
  footer,
  size = 'sm',
  role = 'dialog',
  isShownOnce = false,
}: DialogProps) {
  const { t } = useTranslation('ui');
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      isDismissable={role === 'dialog'}
      isKeyboardDismissDisabled={isShownOnce}
      className="fixed inset-0 z-50 flex animate-fade items-end justify-center bg-scrim p-0 sm:items-center sm:p-6"
    >
      <Modal
        className={`flex max-h-[calc(100dvh-1.5rem)] w-full animate-rise flex-col rounded-t-lg border border-line bg-raised shadow-lift sm:rounded-lg ${SIZES[size]}`}
      >
        <FocusReturn />
        <AriaDialog role={role} className="flex min-h-0 flex-col outline-none">
          <header className="px-6 pt-5 pb-3">
            <div className="flex items-start gap-4">
              <Heading
                slot="title"
                className="min-w-0 flex-1 text-lg font-semibold text-balance wrap-anywhere"
              >
                {title}
              </Heading>
              {!isShownOnce && (
                <IconButton label={t('close')} icon={<X />} onPress={() => onOpenChange(false)} />
              )}
            </div>
            {description && <div className="mt-1 text-pretty text-ink-muted">{description}</div>}
          </header>
          {children && <div className="min-h-0 flex-1 overflow-y-auto px-6 pt-1 pb-5">{children}</div>}
          {footer && (
            <footer className="flex flex-col-reverse gap-2 border-t border-line px-6 py-4 sm:flex-row sm:justify-end">
              {footer}
            </footer>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** What opened the dialog may have gone while it was open: then the focus goes to the screen. */
function FocusReturn() {
  useEffect(
    () => () => {
      // The overlay gives the focus back to what opened it in the next frame.
      requestAnimationFrame(() => requestAnimationFrame(focusScreenIfLost));
    },
    [],
  );
  return null;
}
