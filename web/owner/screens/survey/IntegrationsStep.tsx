import { CheckboxGroup } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { TOOL_OPTIONS } from '#contract/survey.ts';
import { CheckboxField } from '#web/ui/CheckboxField.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { StepLayout } from './StepLayout.tsx';
import type { StepProps } from './step-props.ts';

export function IntegrationsStep({ answers, onAnswer, onContinue, onBack }: StepProps) {
  const { t } = useTranslation('survey');
  return (
    <StepLayout
      title={t('integrations.title')}
      text={t('integrations.text')}
      canContinue
      {...{ onContinue, onBack }}
    >
      <CheckboxGroup
        aria-label={t('integrations.title')}
        value={[...answers.tools]}
        onChange={(tools) => onAnswer({ tools })}
        className="grid gap-2 sm:grid-cols-2"
      >
        {TOOL_OPTIONS.map((tool) => (
          <div
            key={tool}
            className="rounded-lg border border-line bg-surface px-4 py-2.5 hover:bg-hover has-data-selected:border-accent has-data-selected:bg-accent-soft pointer-coarse:py-0.5"
          >
            <CheckboxField value={tool} label={tool === 'Other' ? t('integrations.other') : tool} />
          </div>
        ))}
      </CheckboxGroup>
      {answers.tools.includes('Other') && (
        <TextField
          label={t('integrations.other_name')}
          value={answers.other}
          onChange={(other) => onAnswer({ other })}
          maxLength={100}
          autoFocus
        />
      )}
    </StepLayout>
  );
}
