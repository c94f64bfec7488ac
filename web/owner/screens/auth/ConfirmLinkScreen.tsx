import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RouteResponse } from '#contract/route.ts';
import type { confirmAccountLink } from '#contract/account-links.ts';
import { ApiError } from '#contract/client.ts';
import { Button } from '#web/ui/Button.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { queryClient } from '../../api/query-client.ts';
import { clearAuth, useSession } from '../../session/session.ts';
import { confirmLink, useAccountLink } from './auth.api.ts';
import { AuthLayout } from './AuthLayout.tsx';

/** The target of an account's mailed links. Opening one is read-only; the button confirms. */
export function ConfirmLinkScreen({ token }: { token: string | undefined }) {
  return token === undefined ? <ExpiredLink /> : <Confirm token={token} />;
}

type Confirmed = RouteResponse<typeof confirmAccountLink>;

function Confirm({ token }: { token: string }) {
  const { t } = useTranslation('auth');
  const link = useAccountLink(token);
  const [done, setDone] = useState<Confirmed | null>(null);
  if (done !== null) return <Done done={done} />;
  if (link.isPending) {
    return (
      <AuthLayout title={t('confirm.loading')}>
        <Skeleton shape="text" />
      </AuthLayout>
    );
  }
  if (link.isLoadingError) {
    const isOver = link.error instanceof ApiError && link.error.errors[0]?.code === 'link_used';
    if (isOver) return <ExpiredLink />;
    return (
      <AuthLayout title={t('confirm.loading')}>
        <ErrorState error={link.error} onRetry={() => void link.refetch()} />
      </AuthLayout>
    );
  }
  const { kind, email, site_name: site } = link.data;
  return (
    <AuthLayout title={t(`confirm.${kind}.title`)} text={t(`confirm.${kind}.text`, { email, site })}>
      <ConfirmButton token={token} text={t(`confirm.${kind}.button`)} onDone={setDone} />
    </AuthLayout>
  );
}

interface ConfirmButtonProps {
  token: string;
  text: string;
  onDone: (done: Confirmed) => void;
}

function ConfirmButton({ token, text, onDone }: ConfirmButtonProps) {
  const navigate = useNavigate();
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function confirm() {
    setIsPending(true);
    setError(null);
    try {
      const done = await confirmLink(token);
      // Its sessions have ended, including this browser's.
      if (done.kind === 'restore_email' || done.kind === 'link_google') clearAuth();
      await queryClient.invalidateQueries({ queryKey: ['account'] });
      if (done.reset_token === null) onDone(done);
      else await navigate({ to: '/reset-password', search: { token: done.reset_token }, replace: true });
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  return (
    <div className="flex flex-col gap-4">
      <FormError error={error} />
      <Button variant="primary" isFullWidth isPending={isPending} onPress={() => void confirm()}>
        {text}
      </Button>
    </div>
  );
}

function Done({ done: { kind, email, site_name: site } }: { done: Confirmed }) {
  const { t } = useTranslation('auth');
  // Who reads a mailbox for evidence may have no account.
  const isOfAccount = site === null;
  return (
    <AuthLayout title={t(`confirm.${kind}.done`)} text={t(`confirm.${kind}.done_text`, { email, site })}>
      {isOfAccount && <ToAccount />}
    </AuthLayout>
  );
}

function ToAccount() {
  const { t } = useTranslation('auth');
  return useSession() === null ? (
    <LinkButton to="/login" variant="primary">
      {t('confirm.to_login')}
    </LinkButton>
  ) : (
    <LinkButton to="/account-settings" variant="primary">
      {t('confirm.to_settings')}
    </LinkButton>
  );
}

function ExpiredLink() {
  const { t } = useTranslation('auth');
  return (
    <AuthLayout
      title={t('confirm.over')}
      text={t('confirm.over_text')}
      footer={<TextLink to="/login">{t('reset.to_login')}</TextLink>}
    />
  );
}
