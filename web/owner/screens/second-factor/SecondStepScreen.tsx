import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SECOND_STEP_PATH } from '#contract/app-paths.ts';
import { FormErrorText } from '#web/ui/FormError.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { hasErrorCode } from '../../api/error-codes.ts';
import { AuthLayout } from '../auth/AuthLayout.tsx';
import { FactorForm, type GivenProof } from './FactorForm.tsx';
import { finishWith } from './second-factor.api.ts';
import { pendingSecondStep } from '../../session/pending-second-step.ts';

/** The second step of a log-in. After a reload its ticket is gone, and the log-in begins again. */
export function SecondStepScreen() {
  const { t } = useTranslation('second-factor');
  const { next } = useSearch({ from: SECOND_STEP_PATH });
  const navigate = useNavigate();
  const [step] = useState(pendingSecondStep);
  const [isExpired, setIsExpired] = useState(false);

  useEffect(() => {
    if (step === null) {
      void navigate({ to: '/login', search: next === undefined ? {} : { next }, replace: true });
    }
  }, [step, navigate, next]);
  if (step === null) return null;

  async function finish(given: GivenProof) {
    if (step === null || given.way === 'password') return;
    try {
      await finishWith({ ticket: step.ticket, ...given });
    } catch (error) {
      if (!hasErrorCode(error, 'link_used')) throw error;
      setIsExpired(true);
      return;
    }
    await navigate({ href: next ?? '/dashboard', replace: true });
  }

  if (isExpired) {
    return (
      <AuthLayout title={t('step.title')}>
        <Expired next={next} />
      </AuthLayout>
    );
  }
  const footer = (
    <TextLink to="/login" search={next === undefined ? {} : { next }}>
      {t('step.back')}
    </TextLink>
  );
  return (
    <AuthLayout title={t('step.title')} text={t('step.text')} footer={footer}>
      <FactorForm ways={step.ways} passkey={step.passkey} submitLabel={t('step.submit')} onProof={finish} />
    </AuthLayout>
  );
}

/** No proof helps any more: only a new log-in does. */
function Expired({ next }: { next: string | undefined }) {
  const { t } = useTranslation('second-factor');
  const back = useRef<HTMLAnchorElement>(null);
  // The button that was pressed is gone.
  useEffect(() => back.current?.focus(), []);
  return (
    <div className="flex flex-col gap-5">
      <FormErrorText>{t('step.expired')}</FormErrorText>
      <LinkButton ref={back} to="/login" search={next === undefined ? {} : { next }} variant="primary">
        {t('step.back')}
      </LinkButton>
    </div>
  );
}
