import { Check } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ImportSource } from '#contract/imports.ts';
import { type Step, stepsOf } from './imports.logic.ts';

/** The progress of an import, step by step. */
export function Steps({ source, current }: { source: ImportSource; current: Step }) {
  const { t } = useTranslation('imports');
  const steps = stepsOf(source);
  const at = steps.indexOf(current);
  return (
    <ol aria-label={t('steps.label')} className="flex flex-wrap gap-x-6 gap-y-2">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === at ? 'step' : undefined}
          className={`flex items-center gap-2 ${index === at ? 'font-medium' : 'text-ink-muted'}`}
        >
          <span
            aria-hidden
            className={`flex size-6 items-center justify-center rounded-full border text-xs tabular-nums ${index === at ? 'border-accent bg-accent text-on-accent' : 'border-line-strong'}`}
          >
            {index < at ? <Check size={12} strokeWidth={3} /> : index + 1}
          </span>
          <span className={index === at ? '' : 'max-sm:sr-only'}>{t(`steps.${step}`)}</span>
        </li>
      ))}
    </ol>
  );
}
