import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormError } from '#web/ui/FormError.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useSecondStep } from '../../session/pending-second-step.ts';
import { AuthLayout } from './AuthLayout.tsx';
import { type LinkClaim, linkClaimOf } from './link-claim.ts';
import { LinkGoogle } from './LinkGoogle.tsx';
import { finishSignInHere, nextOfSignIn } from './redirect-sign-in.ts';

type State =
  | { kind: 'pending' }
  | { kind: 'link'; claim: LinkClaim }
  | { kind: 'failed'; error: unknown }
  | { kind: 'none' };

/** The redirect URI of the issuer. */
export function SignInReturnScreen() {
  const { t } = useTranslation('auth');
  const navigate = useNavigate();
  const [state, setState] = useState<State>({ kind: 'pending' });
  const goToSecondStep = useRef(useSecondStep());

  useEffect(() => {
    finishSignInHere().then(
      (next) => (next === null ? setState({ kind: 'none' }) : void navigate({ href: next, replace: true })),
      (error: unknown) => {
        if (goToSecondStep.current(error, nextOfSignIn())) return;
        const claim = linkClaimOf(error);
        setState(claim === null ? { kind: 'failed', error } : { kind: 'link', claim });
      },
    );
  }, [navigate]);

  const footer = <TextLink to="/login">{t('reset.to_login')}</TextLink>;
  switch (state.kind) {
    case 'pending':
      return (
        <AuthLayout title={t('callback.pending')}>
          <Skeleton shape="text" />
        </AuthLayout>
      );
    case 'link':
      return (
        <AuthLayout title={t('link.title')} footer={footer}>
          <LinkGoogle
            claim={state.claim}
            onLinked={() => void navigate({ to: '/dashboard', replace: true })}
          />
        </AuthLayout>
      );
    case 'failed':
      return (
        <AuthLayout title={t('callback.failed')} footer={footer}>
          <FormError error={state.error} />
        </AuthLayout>
      );
    case 'none':
      return <AuthLayout title={t('callback.failed')} text={t('callback.none')} footer={footer} />;
  }
}
