import { Bot } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Judgement } from '#contract/judgements.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { useNumber } from '../../i18n/use-number.ts';

/** On choices that a machine likely made. */
export function MachineBadge() {
  const { t } = useTranslation('deliveries');
  return (
    <Badge tone="warning" icon={<Bot />}>
      {t('judgement.likely_machine')}
    </Badge>
  );
}

/** Whether a person or a machine made a choice, how sure that is, and why. */
export function JudgementText({ judgement: { verdict, confidence, reasons } }: { judgement: Judgement }) {
  const { t } = useTranslation('deliveries');
  const number = useNumber();
  return (
    <>
      <p>{t(`judgement.${verdict}`)}</p>
      <p className="text-[13px] text-pretty text-ink-muted">
        {confidence === null
          ? t('judgement.too_little')
          : t('judgement.confidence', { number: number(confidence) })}
      </p>
      {reasons.length > 0 && (
        <ul className="mt-1 list-disc pl-4 text-[13px] text-pretty text-ink-muted">
          {reasons.map((sign) => (
            <li key={sign}>{t(`judgement.sign.${sign}`)}</li>
          ))}
        </ul>
      )}
    </>
  );
}
