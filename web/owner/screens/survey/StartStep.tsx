import { PanelsTopLeft, Plug } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { StepLayout } from './StepLayout.tsx';
import type { StepProps } from './step-props.ts';

export function StartStep({ answers, onAnswer, onContinue, onBack }: StepProps) {
  const { t } = useTranslation('survey');
  return (
    <StepLayout
      title={t('start.title')}
      text={t('start.text')}
      canContinue={answers.use !== null}
      {...{ onContinue, onBack }}
    >
      <RadioCards
        label={t('start.title')}
        isLabelHidden
        value={answers.use}
        onChange={(use) => onAnswer({ use })}
        options={[
          {
            value: 'integrations',
            label: t('start.integrations'),
            description: t('start.integrations_text'),
            icon: <Plug size={20} />,
          },
          {
            value: 'preference_center',
            label: t('start.preference_center'),
            description: t('start.preference_center_text'),
            icon: <PanelsTopLeft size={20} />,
          },
        ]}
      />
    </StepLayout>
  );
}
