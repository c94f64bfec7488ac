import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { OutboxHint } from '../../../components/OutboxHint.tsx';
import { Copied } from '../api-keys/Copied.tsx';

interface InvitationLinkDialogProps {
  email: string;
  link: string;
  onClose: () => void;
}

/** The link of an invitation that no email carries. It is shown only once, so only the button closes it. */
export function InvitationLinkDialog({ email, link, onClose }: InvitationLinkDialogProps) {
  const { t } = useTranslation('team');
  return (
    <Dialog
      isOpen
      role="alertdialog"
      size="md"
      onOpenChange={onClose}
      title={t('invite.link.title', { email })}
      description={t('invite.link.text')}
      footer={
        <Button variant="primary" onPress={onClose}>
          {t('invite.link.done')}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Copied value={link} label={t('invite.link.copy')} />
        <OutboxHint />
      </div>
    </Dialog>
  );
}
