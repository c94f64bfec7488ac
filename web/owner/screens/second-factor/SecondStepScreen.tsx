import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SECOND_STEP_PATH } from '#contract/app-paths.ts';
import { ApiError } from '#contract/client.ts';
import { TextLink } from '#web/ui/Link.tsx';
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

  useEffect(() => {
    if (step === null) {
      void navigate({ to: '/login', search: next === undefined ? {} : { next }, replace: true });
    }
  }, [step, navigate, next]);
  if (step === null) return null;

  async function finish(given: GivenProof) {
    if (step === null || given.way === 'password') return;
    await finishWith({ ticket: step.ticket, ...given });
    await navigate({ href: next ?? '/dashboard', replace: true });
  }

  const footer = (
    <TextLink to="/login" search={next === undefined ? {} : { next }}>
      {t('step.back')}
    </TextLink>
  );
  return (
    <AuthLayout title={t('step.title')} text={t('step.text')} footer={footer}>
      <FactorForm
        ways={step.ways}
        passkey={step.passkey}
        submitLabel={t('step.submit')}
        onProof={finish}
        textOf={(error) =>
          error instanceof ApiError && error.errors[0]?.code === 'link_used' ? t('step.expired') : undefined
        }
      />
    </AuthLayout>
  );
}
