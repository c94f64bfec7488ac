import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { StepLayout } from './StepLayout.tsx';
import type { StepProps } from './step-props.ts';
import { useAvailability } from './survey.api.ts';
import { nameVerdict } from './survey.logic.ts';
import { useDebounced } from '../../components/use-debounced.ts';

/** The spec's third-step. */
export function NameStep({ answers, onAnswer, onContinue, onBack }: StepProps) {
  const { t } = useTranslation('survey');
  const [isTouched, setIsTouched] = useState(false);
  const settled = useDebounced(answers.name);
  const name = settled.trim();
  const { availability, retry } = useAvailability(
    name === '' || name.length > 100 ? null : { organization_name: name },
  );
  const verdict = nameVerdict(answers.name, settled, isTouched, availability);
  const errors = { empty: t('name.empty'), taken: t('name.taken'), too_long: t('name.too_long') };

  return (
    <StepLayout
      title={t('name.title')}
      text={t('name.text')}
      canContinue={verdict === 'free'}
      {...{ onContinue, onBack }}
    >
      <TextField
        label={t('name.label')}
        description={t('name.hint')}
        value={answers.name}
        onChange={(value) => {
          setIsTouched(true);
          onAnswer({ name: value });
        }}
        autoComplete="organization"
        placeholder={t('name.placeholder')}
        errorMessage={verdict in errors ? errors[verdict as keyof typeof errors] : undefined}
        successMessage={verdict === 'free' ? t('name.free') : undefined}
      />
      <CheckFailed isShown={verdict === 'failed'} onRetry={retry} />
    </StepLayout>
  );
}

/** The checker did not answer: say so, or Continue would stay off without a word. */
export function CheckFailed({ isShown, onRetry }: { isShown: boolean; onRetry: () => void }) {
  const { t } = useTranslation('survey');
  if (!isShown) return null;
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 text-danger">
      {t('check_failed')}
      <Button size="sm" onPress={onRetry}>
        {t('check_again')}
      </Button>
    </div>
  );
}
