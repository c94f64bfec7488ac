import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useAppSettings } from '../../api/app-settings.ts';
import { useSecondStep } from '../../session/pending-second-step.ts';
import { logInByGoogle } from './auth.api.ts';
import { StateMismatchError, requestGoogleCode } from './google-popup.ts';
import { type LinkClaim, linkClaimOf } from './link-claim.ts';
import { LinkGoogle } from './LinkGoogle.tsx';
import { leaveForIssuer } from './redirect-sign-in.ts';

/** Renders nothing unless Google sign-in is set up. */
export function GoogleButton({ next = '/dashboard' }: { next?: string | undefined }) {
  const { t } = useTranslation('auth');
  const navigate = useNavigate();
  const settings = useAppSettings();
  const goToSecondStep = useSecondStep();
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [claim, setClaim] = useState<LinkClaim | null>(null);
  if (!settings?.google_client_id) return null;
  const { google_client_id: clientId, sign_in_host: host } = settings;

  const enter = () => navigate({ href: next, replace: true });

  async function signIn() {
    setIsPending(true);
    setError(null);
    try {
      if (host !== null) await leaveForIssuer(next);
      const code = await requestGoogleCode(clientId);
      if (code === null) return;
      await logInByGoogle(code);
      await enter();
    } catch (cause) {
      if (goToSecondStep(cause, next)) return;
      const found = linkClaimOf(cause);
      if (found === null) setError(cause);
      else setClaim(found);
    } finally {
      setIsPending(false);
    }
  }

  return (
    <div className="mb-6 flex flex-col gap-3">
      <Button
        isFullWidth
        isPending={isPending}
        icon={host === null ? <GoogleMark /> : undefined}
        onPress={() => void signIn()}
      >
        {host === null ? t('with_google') : t('with_issuer', { host })}
      </Button>
      <SignInError error={error} />
      <p aria-hidden className="mt-3 flex items-center gap-3 text-[13px] text-ink-muted">
        <span className="h-px flex-1 bg-line" />
        {t('or')}
        <span className="h-px flex-1 bg-line" />
      </p>
      {claim !== null && (
        <Dialog isOpen onOpenChange={() => setClaim(null)} title={t('link.title')}>
          <LinkGoogle claim={claim} next={next} onLinked={() => void enter()} />
        </Dialog>
      )}
    </div>
  );
}

function SignInError({ error }: { error: unknown }) {
  const { t } = useTranslation('auth');
  if (error instanceof ApiError) return <FormError error={error} />;
  if (!(error instanceof Error)) return null;
  return (
    <p role="alert" className="text-danger">
      {error instanceof StateMismatchError ? t('foreign_answer') : error.message}
    </p>
  );
}

function GoogleMark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden fill="currentColor">
      <path d="M12.200 10.300v3.700h5.200c-.7 2.200-2.500 3.400-5.200 3.400a5.400 5.400 0 1 1 0-10.800c1.400 0 2.600.5 3.500 1.300l2.800-2.700A9.300 9.300 0 1 0 12.200 21.300c5.400 0 9-3.800 9-9.100 0-.7-.1-1.300-.2-1.900z" />
    </svg>
  );
}
