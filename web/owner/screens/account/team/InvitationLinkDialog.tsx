import { useTranslation } from 'react-i18next';
import { useAppSettings } from '../../../api/app-settings.ts';
import { Copied } from '../../../components/Copied.tsx';
import { ShownOnceDialog } from '../../../components/ShownOnceDialog.tsx';

interface InvitationLinkDialogProps {
  email: string;
  link: string;
  onClose: () => void;
}

/** The link of an invitation that no email carries. */
export function InvitationLinkDialog({ email, link, onClose }: InvitationLinkDialogProps) {
  const { t } = useTranslation('team');
  const isStored = (useAppSettings()?.outbox_url ?? null) !== null;
  return (
    <ShownOnceDialog
      title={t('invite.link.title', { email })}
      description={`${t(isStored ? 'invite.link.stored' : 'invite.link.no_email')} ${t('invite.link.text')}`}
      done={t('invite.link.done')}
      onClose={onClose}
    >
      <Copied value={link} label={t('invite.link.copy')} />
    </ShownOnceDialog>
  );
}
