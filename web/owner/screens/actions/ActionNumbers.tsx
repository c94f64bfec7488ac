import { useTranslation } from 'react-i18next';
import type { ActionFigures } from '#contract/dashboard.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { numberFormat } from '../../i18n/formats.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../deliveries/StatusBadge.tsx';
import { percentText, successRate } from '../../components/success-rate.ts';

interface ActionNumbersProps {
  figures: ActionFigures;
  /** Said once for all actions of the tool. */
  isFailingSaid: boolean;
}

/** An action's success rate and last delivery; while it fails, not how well it went before. */
export function ActionNumbers({ figures, isFailingSaid }: ActionNumbersProps) {
  const { t } = useTranslation('actions');
  const language = useLanguage();
  const { action_id, failed, retrying, failing_since, last_delivery } = figures;
  const number = (count: number) => numberFormat(language).format(count);
  const rate = successRate(figures);
  if (last_delivery === null) return <span>{t('numbers.none')}</span>;
  const isFailing = failing_since !== null;
  return (
    <>
      {rate !== null && (!isFailing || failed + retrying > 0) && (
        <span className={failed + retrying > 0 ? 'text-ink' : ''}>
          {t('numbers.rate', { rate: percentText(rate, language) })}
        </span>
      )}
      {failed > 0 && (
        <TextLink to="/deliveries" search={{ action_id, status: 'failed' }}>
          {t('numbers.failed', { number: number(failed) })}
        </TextLink>
      )}
      {retrying > 0 && (
        <TextLink to="/deliveries" search={{ action_id, status: 'waiting' }}>
          {t('numbers.retrying', { number: number(retrying) })}
        </TextLink>
      )}
      {isFailing && !isFailingSaid && <FailingSince at={failing_since} />}
      {(!isFailing || last_delivery.status !== 'arrived') && (
        <span className="flex flex-wrap items-center gap-1.5">
          <StatusBadge delivery={last_delivery} />
          <TextLink to="/deliveries" search={{ delivery: last_delivery.id }} tone="plain">
            {t('numbers.last')} <RelativeTime at={last_delivery.created_at} />
          </TextLink>
        </span>
      )}
    </>
  );
}

export function FailingSince({ at }: { at: string }) {
  const { t } = useTranslation('actions');
  return (
    <span className="text-[13px] text-danger">
      {t('numbers.failing')} <RelativeTime at={at} />
    </span>
  );
}
