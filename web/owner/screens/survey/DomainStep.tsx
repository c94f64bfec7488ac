import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '#web/ui/TextField.tsx';
import { DomainField } from './DomainField.tsx';
import { StepLayout } from './StepLayout.tsx';
import type { StepProps } from './step-props.ts';

/** The spec's fourth-step. */
export function DomainStep({
  answers,
  onAnswer,
  onContinue,
  onBack,
  siteDomain,
}: StepProps & { siteDomain: string }) {
  const { t } = useTranslation('survey');
  const [isFree, setIsFree] = useState(false);
  return (
    <StepLayout title={t('name.title')} canContinue={isFree} {...{ onContinue, onBack }}>
      <TextField label={t('name.label')} value={answers.name.trim()} isReadOnly />
      <div>
        <h2 className="text-lg font-semibold">{t('domain.title')}</h2>
        <p className="mt-1 text-pretty text-ink-muted">{t('domain.text')}</p>
      </div>
      <DomainField
        value={answers.domain}
        onChange={(domain) => onAnswer({ domain })}
        onResult={setIsFree}
        siteDomain={siteDomain}
      />
    </StepLayout>
  );
}
