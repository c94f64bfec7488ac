import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SentInvitation } from '#contract/members.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../../account/permissions.ts';
import { InvitationLinkDialog } from './InvitationLinkDialog.tsx';
import { InvitationRow } from './InvitationRow.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { MemberRow } from './MemberRow.tsx';
import { useTeam, withdrawInvitation } from './team.api.ts';
import { useSite } from '../../../site/current-site.tsx';
import { useUndoableDelete } from '../../../components/use-undoable-delete.ts';

/** The members of the organization, and open invitations. */
export function TeamSection() {
  const { t } = useTranslation('team');
  const canInvite = usePermission('admin');
  const [isInviting, setIsInviting] = useState(false);
  const [unsent, setUnsent] = useState<{ email: string; link: string } | null>(null);

  function show({ email, link }: SentInvitation) {
    setIsInviting(false);
    if (link === null) toast(t('invite.sent', { email }));
    else setUnsent({ email, link });
  }

  return (
    <Card
      title={t('title')}
      description={t('description')}
      isPadded={false}
      action={
        canInvite && (
          <Button icon={<UserPlus />} onPress={() => setIsInviting(true)}>
            {t('invite.open')}
          </Button>
        )
      }
    >
      <Team onSent={show} />
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} onSent={show} />}
      {unsent && <InvitationLinkDialog {...unsent} onClose={() => setUnsent(null)} />}
    </Card>
  );
}

function Team({ onSent }: { onSent: (invitation: SentInvitation) => void }) {
  const { t } = useTranslation('team');
  const site = useSite();
  const query = useTeam();
  const withdrawal = useUndoableDelete((id) => withdrawInvitation(site, id), {
    deleted: (email) => t('invitation.withdrawn', { email }),
    failed: (email) => t('invitation.not_withdrawn', { email }),
  });

  if (query.isPending) {
    return (
      <div className="p-5">
        <Skeleton shape="text" />
      </div>
    );
  }
  if (query.isLoadingError) {
    return (
      <div className="p-5">
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  const invitations = query.data.invitations.filter(({ id }) => !withdrawal.isHidden(id));
  return (
    <>
      <ul aria-label={t('members')} className="divide-y divide-line">
        {query.data.results.map((member) => (
          <MemberRow key={member.id} member={member} />
        ))}
      </ul>
      {invitations.length > 0 && (
        <>
          <h3 className="border-y border-line bg-sunken px-5 py-2 text-[13px] font-medium text-ink-muted">
            {t('invitations')}
          </h3>
          <ul aria-label={t('invitations')} className="divide-y divide-line">
            {invitations.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                invitation={invitation}
                onSent={onSent}
                onWithdraw={() => withdrawal.remove({ id: invitation.id, name: invitation.email })}
              />
            ))}
          </ul>
        </>
      )}
    </>
  );
}
