import { useTranslation } from 'react-i18next';
import type { Dashboard } from '#contract/dashboard.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { useUtcDay } from '../../components/RelativeTime.tsx';
import { useNumber } from '../../i18n/use-number.ts';

/** Says how many complaints wait for an answer, and until when. */
export function OpenComplaints({ complaints }: { complaints: Dashboard['complaints'] }) {
  const { t } = useTranslation('complaints');
  const number = useNumber();
  const day = useUtcDay();
  const { open, overdue, next_due_at: nextDueAt } = complaints;
  return (
    <div role="status">
      <Notice tone={overdue > 0 ? 'danger' : 'warning'}>
        <p className="font-medium">{t('notice.open', { number: number(open) })}</p>
        <p className="mt-1 text-pretty">
          {overdue > 0
            ? t('notice.overdue', { number: number(overdue) })
            : nextDueAt !== null && t('notice.due', { date: day(nextDueAt) })}{' '}
          <TextLink to="/complaints">{t('notice.show')}</TextLink>
        </p>
      </Notice>
    </div>
  );
}
