import { useTranslation } from 'react-i18next';
import type { Dashboard } from '#contract/dashboard.ts';
import { Card } from '#web/ui/Card.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { total } from './figures.logic.ts';
import { useLeaveJudgements } from './leave-judgements.api.ts';

/** The reasons given for unsubscribing, as bars; the pale part of a bar was likely given by machines. */
export function ReasonsCard({ reasons, range }: Pick<Dashboard, 'reasons' | 'range'>) {
  const { t } = useTranslation(['figures', 'customers', 'deliveries']);
  const judged = useLeaveJudgements(range).data?.reasons;
  const byMachines = (reason: string) => judged?.find((one) => one.reason === reason)?.likely_machine ?? 0;
  const number = useNumber();
  const percent = useNumber({ style: 'percent' });
  const all = total(reasons.map(({ count }) => count));
  return (
    <Card title={t('reasons.title')} description={t('reasons.description')}>
      {reasons.length === 0 ? (
        <p className="text-pretty text-ink-muted">{t('reasons.none')}</p>
      ) : (
        <ol className="flex flex-col gap-3">
          {reasons.map(({ reason, count }) => (
            <li key={reason}>
              <p className="flex justify-between gap-4">
                <span className="min-w-0 break-words">{t(`customers:reason.${reason}`)}</span>
                <span className="shrink-0 text-ink-muted tabular-nums">
                  {number(count)} · {percent(count / all)}
                </span>
              </p>
              <div aria-hidden className="mt-1 flex h-2 overflow-hidden rounded-full bg-hover">
                <div
                  className="h-full bg-accent"
                  style={{ width: `${(100 * Math.max(0, count - byMachines(reason))) / all}%` }}
                />
                <div
                  className="h-full bg-line-strong"
                  style={{ width: `${(100 * Math.min(count, byMachines(reason))) / all}%` }}
                />
              </div>
              {byMachines(reason) > 0 && (
                <p className="mt-1 text-[13px] text-ink-muted">
                  {t('deliveries:judgement.reason', { number: number(byMachines(reason)) })}
                </p>
              )}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
