import type { ReactNode } from 'react';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';

interface ShownOnceDialogProps {
  title: string;
  description: string;
  /** Of the button that closes it. */
  done: string;
  onClose: () => void;
  children: ReactNode;
}

/** For a key, a secret or a link that is shown only once: only its button closes it. */
export function ShownOnceDialog({ title, description, done, onClose, children }: ShownOnceDialogProps) {
  return (
    <Dialog
      isOpen
      isShownOnce
      role="alertdialog"
      size="md"
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <Button variant="primary" onPress={onClose}>
          {done}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">{children}</div>
    </Dialog>
  );
}
