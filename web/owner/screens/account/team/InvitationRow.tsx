import { Ellipsis, Link2, MailX, Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Invitation, SentInvitation } from '#contract/members.ts';
import { isAtLeast } from '#contract/roles.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { IconButton } from '#web/ui/IconButton.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/Menu.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission, useRole } from '../../../account/permissions.ts';
import { useSendsEmail } from '../../../api/app-settings.ts';
import { useNow, RelativeTime } from '../../../components/RelativeTime.tsx';
import { useResend } from './team.api.ts';

interface InvitationRowProps {
  invitation: Invitation;
  onWithdraw: () => void;
  onSent: (invitation: SentInvitation) => void;
}

export function InvitationRow(props: InvitationRowProps) {
  const { invitation } = props;
  const { t } = useTranslation('team');
  const { email, role, invited_by_name: inviter, expires_at } = invitation;
  const canManage = usePermission('admin');
  const own = useRole();
  const isOver = Date.parse(expires_at) <= useNow();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 wrap-anywhere">{email}</span>
          {isOver && <Badge tone="warning">{t('invitation.expired')}</Badge>}
        </p>
        <p className="text-[13px] wrap-anywhere text-ink-muted">
          {t('invitation.by', { name: inviter })}
          {!isOver && (
            <>
              {' · '}
              {t('invitation.expires')} <RelativeTime at={expires_at} isAhead />
            </>
          )}
        </p>
      </div>
      <div className="flex items-center gap-1 max-sm:w-full max-sm:justify-between">
        <span className="text-ink-muted sm:px-2">{t(`role.${role}`)}</span>
        {canManage && own !== null && isAtLeast(own, role) && <InvitationMenu {...props} />}
      </div>
    </li>
  );
}

function InvitationMenu({ invitation: { id, email }, onWithdraw, onSent }: InvitationRowProps) {
  const { t } = useTranslation('team');
  const errorText = useErrorText();
  const resend = useResend();
  const sendsEmail = useSendsEmail();
  const label = t('more', { name: email });

  function send() {
    resend.mutate(id, {
      onSuccess: onSent,
      onError: (error) => toast(errorText(error), { tone: 'error' }),
    });
  }

  return (
    <Menu label={label} trigger={<IconButton label={label} icon={<Ellipsis />} />}>
      <MenuItem icon={sendsEmail ? <Send /> : <Link2 />} onAction={send}>
        {t(sendsEmail ? 'invitation.resend' : 'invitation.new_link')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<MailX />} variant="danger" onAction={onWithdraw}>
        {t('invitation.withdraw')}
      </MenuItem>
    </Menu>
  );
}
