import { useTranslation } from 'react-i18next';
import type { Dashboard } from '#contract/dashboard.ts';
import { Card } from '#web/ui/Card.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { total } from './figures.logic.ts';

/** The reasons given for unsubscribing, as bars. */
export function ReasonsCard({ reasons }: Pick<Dashboard, 'reasons'>) {
  const { t } = useTranslation(['figures', 'customers']);
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
              <div aria-hidden className="mt-1 h-2 rounded-full bg-hover">
                <div className="h-full rounded-full bg-accent" style={{ width: `${(100 * count) / all}%` }} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
