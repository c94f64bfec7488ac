import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Spinner } from '#web/ui/Spinner.tsx';
import { Journey } from '../../components/scenes/Journey.tsx';
import { setUp, SetupError, type SetupPhase } from './setup.logic.ts';
import { setupCalls } from './survey.api.ts';
import type { Answers } from './survey.logic.ts';

interface SetupStepProps {
  answers: Answers;
  siteDomain: string;
  organizationId: string | null;
  onOrganization: (organizationId: string) => void;
  onDone: () => void;
  onBack: () => void;
}

/** The spec's fifth-step: nothing to answer, but never a dead end. */
export function SetupStep({
  answers,
  siteDomain,
  organizationId,
  onOrganization,
  onDone,
  onBack,
}: SetupStepProps) {
  const { t } = useTranslation('survey');
  const [phase, setPhase] = useState<SetupPhase>('submitting');
  const [error, setError] = useState<SetupError | null>(null);
  const isRunning = useRef(false);

  async function run() {
    // Effects run twice in development; the organization must not.
    if (isRunning.current) return;
    isRunning.current = true;
    setError(null);
    try {
      await setUp(setupCalls(answers, siteDomain), organizationId, { onPhase: setPhase, onOrganization });
      onDone();
    } catch (cause) {
      setError(cause instanceof SetupError ? cause : new SetupError('organization', cause));
    } finally {
      isRunning.current = false;
    }
  }

  useEffect(() => {
    void run();
    // Once per visit of this step; another try is the person's.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  if (error) {
    return (
      <section className="flex w-full max-w-lg animate-fade flex-col gap-5">
        <h1 className="text-2xl font-semibold tracking-tight text-balance">
          {t(`setup.failed_${error.part}`)}
        </h1>
        <FormError error={error.cause} />
        <p className="text-ink-muted">{t('setup.kept')}</p>
        <div className="flex flex-wrap justify-between gap-3">
          <Button onPress={onBack}>{t('back')}</Button>
          <Button variant="primary" onPress={() => void run()}>
            {t('setup.again')}
          </Button>
        </div>
      </section>
    );
  }

  return (
    <section className="flex w-full max-w-lg flex-col items-center justify-center gap-4 py-16 text-center">
      <div className="mb-4 w-full max-w-sm rounded-lg bg-accent-soft px-6 py-5">
        <Journey stops={2} done={phase === 'submitting' ? 0 : 1} />
      </div>
      <span className="text-accent">
        <Spinner size={32} />
      </span>
      <h1 className="text-2xl font-semibold tracking-tight text-balance">{t('setup.title')}</h1>
      <p role="status" className="text-ink-muted">
        {t(`setup.${phase}`)}
      </p>
    </section>
  );
}
