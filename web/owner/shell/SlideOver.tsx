import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Sidebar } from './Sidebar.tsx';

/** The sidebar on narrow windows. */
export function SlideOver({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('shell');
  return (
    <ModalOverlay
      isOpen
      onOpenChange={onClose}
      isDismissable
      className="fixed inset-0 z-40 animate-fade bg-scrim xl:hidden"
    >
      <Modal className="h-full w-72 max-w-[85vw] animate-slide border-r border-line bg-surface">
        <Dialog aria-label={t('navigation')} className="h-full outline-none">
          <Sidebar onNavigate={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
