import { useTranslation } from 'react-i18next';
import type { DashboardRange } from '#contract/dashboard.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { total } from './figures.logic.ts';
import { useLeaveJudgements } from './leave-judgements.api.ts';

/** How many of the unsubscribes machines likely made; renders nothing if none did. */
export function MachineLeaves({ range }: { range: DashboardRange }) {
  const { t } = useTranslation('deliveries');
  const number = useNumber();
  const judged = useLeaveJudgements(range).data;
  if (judged === undefined || judged.leaves.likely_machine === 0) return null;
  const { leaves, from } = judged;
  const all = total(Object.values(leaves));
  const counts = { all: number(all), machines: number(leaves.likely_machine) };
  return (
    <div role="status">
      <Notice>
        <p className="font-medium">{t('judgement.count', counts)}</p>
        <p className="mt-1 text-pretty">
          {t('judgement.text')}{' '}
          {leaves.unclear > 0 && `${t('judgement.more_unclear', { number: number(leaves.unclear) })} `}
          {judged.is_partial && `${t('judgement.partial', { number: number(all) })} `}
          <TextLink to="/evidence" search={{ since: from, move: 'left', verdict: 'likely_machine' }}>
            {t('judgement.show')}
          </TextLink>
        </p>
      </Notice>
    </div>
  );
}
