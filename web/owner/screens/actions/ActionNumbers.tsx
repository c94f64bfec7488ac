import { useTranslation } from 'react-i18next';
import type { ActionFigures } from '#contract/dashboard.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { numberFormat } from '../../i18n/formats.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../deliveries/StatusBadge.tsx';
import { percentText, successRate } from '../../components/success-rate.ts';

/** An action's success rate and last delivery. */
export function ActionNumbers({ figures }: { figures: ActionFigures }) {
  const { t } = useTranslation('actions');
  const language = useLanguage();
  const { action_id, failed, retrying, failing_since, last_delivery } = figures;
  const number = (count: number) => numberFormat(language).format(count);
  const rate = successRate(figures);
  if (last_delivery === null) return <span>{t('numbers.none')}</span>;
  return (
    <>
      {rate !== null && (
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
      {failing_since !== null && (
        <span className="text-danger">
          {t('numbers.failing')} <RelativeTime at={failing_since} />
        </span>
      )}
      <span className="flex flex-wrap items-center gap-1.5">
        <StatusBadge delivery={last_delivery} />
        <TextLink to="/deliveries" search={{ delivery: last_delivery.id }} tone="plain">
          {t('numbers.last')} <RelativeTime at={last_delivery.created_at} />
        </TextLink>
      </span>
    </>
  );
}
