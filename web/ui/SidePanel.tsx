import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { IconButton } from './IconButton.tsx';

export interface SidePanelProps {
  title: ReactNode;
  onClose: () => void;
  /** Buttons beside the title. */
  action?: ReactNode;
  children: ReactNode;
}

/** Details of one row, over the right of the screen. */
export function SidePanel({ title, onClose, action, children }: SidePanelProps) {
  const { t } = useTranslation('ui');
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      className="fixed inset-0 z-50 flex animate-fade justify-end bg-scrim"
    >
      <Modal className="h-dvh w-full max-w-2xl animate-fade border-l border-line bg-canvas shadow-lift">
        <AriaDialog className="flex h-full flex-col outline-none">
          <header className="flex items-center gap-2 border-b border-line bg-surface py-3 pr-3 pl-5 sm:pl-6">
            <Heading slot="title" className="min-w-0 flex-1 text-lg font-semibold wrap-anywhere">
              {title}
            </Heading>
            {action}
            <IconButton label={t('close')} icon={<X />} onPress={onClose} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-5 sm:p-6">{children}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
