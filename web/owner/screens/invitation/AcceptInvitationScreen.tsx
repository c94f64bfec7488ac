import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NO_ORGANIZATION } from '#contract/accounts.ts';
import { ApiError } from '#contract/client.ts';
import type { Offer } from '#contract/members.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useAccount } from '../../account/account.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSession } from '../../session/session.ts';
import { AuthLayout } from '../auth/AuthLayout.tsx';
import { Join } from './Join.tsx';
import { SignUpInvited } from './SignUpInvited.tsx';
import { type Enter, useOffer } from './invitation.api.ts';

/** The target of an invitation link. Opening it is read-only. */
export function AcceptInvitationScreen({ token }: { token: string | undefined }) {
  return token === undefined ? <ExpiredLink /> : <Invitation token={token} />;
}

function Invitation({ token }: { token: string }) {
  const { t } = useTranslation('team');
  const navigate = useNavigate();
  const [joined, setJoined] = useState<string | null>(null);
  const offer = useOffer(token, joined === null);

  async function enter(organization: string, keep: Enter) {
    setJoined(organization);
    keep();
    await queryClient.invalidateQueries({ queryKey: ['account'] });
    toast(t('accept.joined', { organization }));
    await navigate({ to: '/dashboard', replace: true });
  }

  if (joined !== null) {
    return (
      <AuthLayout title={t('accept.joined', { organization: joined })}>
        <Skeleton shape="text" />
      </AuthLayout>
    );
  }
  if (offer.isPending) {
    return (
      <AuthLayout title={t('accept.loading')}>
        <Skeleton shape="text" />
      </AuthLayout>
    );
  }
  if (offer.isLoadingError) {
    if (offer.error instanceof ApiError && offer.error.status < 500 && offer.error.status !== 0)
      return <ExpiredLink />;
    return (
      <AuthLayout title={t('accept.loading')}>
        <ErrorState error={offer.error} onRetry={() => void offer.refetch()} />
      </AuthLayout>
    );
  }
  return (
    <Ready
      offer={offer.data}
      token={token}
      onJoined={(keep) => void enter(offer.data.organization_name, keep)}
    />
  );
}

interface ReadyProps {
  offer: Offer;
  token: string;
  onJoined: (keep: Enter) => void;
}

function Ready(props: ReadyProps) {
  const { offer } = props;
  const { t } = useTranslation('team');
  const session = useSession();
  const { organization_name: organization, invited_by_name: inviter, role } = offer;
  return (
    <AuthLayout
      title={t('accept.title', { organization })}
      text={
        <>
          {t('accept.text', { inviter, role: t(`role.${role}`) })} {t(`accept.may.${role}`)}{' '}
          {t('accept.sites')}
        </>
      }
    >
      {session === null ? <SignUpInvited {...props} /> : <LoggedIn {...props} />}
    </AuthLayout>
  );
}

function LoggedIn(props: ReadyProps) {
  const account = useAccount();
  if (account.isPending) return <Skeleton shape="text" />;
  if (account.isLoadingError)
    return <ErrorState error={account.error} onRetry={() => void account.refetch()} />;
  return <Join {...props} account={account.data} isTaken={account.data.organization !== NO_ORGANIZATION} />;
}

/** Used, withdrawn, expired or truncated: the page does not say which. */
function ExpiredLink() {
  const { t } = useTranslation('team');
  return (
    <AuthLayout title={t('accept.over')} text={t('accept.over_text')}>
      <LinkButton to="/login">{t('accept.to_app')}</LinkButton>
    </AuthLayout>
  );
}
