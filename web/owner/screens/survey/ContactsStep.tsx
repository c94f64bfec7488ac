import { useTranslation } from 'react-i18next';
import { AUDIENCE_BUCKETS } from '#contract/survey.ts';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { bucketLabel } from './buckets.logic.ts';
import { StepLayout } from './StepLayout.tsx';
import type { StepProps } from './step-props.ts';

export function ContactsStep({ answers, onAnswer, onContinue, onBack }: StepProps) {
  const { t } = useTranslation('survey');
  const language = useLanguage();
  return (
    <StepLayout
      title={t('contacts.title')}
      canContinue={answers.contacts !== null}
      {...{ onContinue, onBack }}
    >
      <RadioCards
        label={t('contacts.title')}
        isLabelHidden
        columns={2}
        value={answers.contacts === null ? null : String(answers.contacts)}
        onChange={(value) => onAnswer({ contacts: Number(value) })}
        options={AUDIENCE_BUCKETS.map((bucket, index) => ({
          value: String(bucket.value),
          label: bucketLabel(index, language, (range) => t('contacts.range', range)),
        }))}
      />
    </StepLayout>
  );
}
