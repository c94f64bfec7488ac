import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Dashboard } from '#contract/dashboard.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '#contract/deliveries.ts';
import { Card } from '#web/ui/Card.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { RecentDeliveries } from './RecentDeliveries.tsx';

const SHOWN = ['arrived', 'waiting', 'failed', 'late'] as const;

const isStatus = (kind: string): kind is DeliveryStatus =>
  DELIVERY_STATUSES.some((status) => status === kind);

export function DeliveriesCard({ figures }: { figures: Pick<Dashboard, 'deliveries' | 'from'> }) {
  const { t } = useTranslation('figures');
  const { deliveries } = figures;
  const isNone = deliveries.arrived + deliveries.waiting + deliveries.failed === 0;
  const older = <OlderFailures count={deliveries.older_failed} />;
  return (
    <Card
      title={t('deliveries.title')}
      description={t('deliveries.description')}
      action={<TextLink to="/deliveries">{t('deliveries.all')}</TextLink>}
      isPadded={false}
    >
      {isNone ? (
        <>
          {older}
          <div className="flex flex-col items-start gap-3 p-5">
            <p className="text-pretty text-ink-muted">{t('deliveries.none')}</p>
            <LinkButton to="/actions">{t('deliveries.none_action')}</LinkButton>
          </div>
        </>
      ) : (
        <>
          <Counts figures={figures} />
          {older}
          <RecentDeliveries />
        </>
      )}
    </Card>
  );
}

function Counts({ figures }: { figures: Pick<Dashboard, 'deliveries' | 'from'> }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  return (
    <ul className="grid grid-cols-2 gap-px border-b border-line bg-line sm:grid-cols-4">
      {SHOWN.map((kind) => {
        const count = figures.deliveries[kind];
        const isWrong = count > 0 && (kind === 'failed' || kind === 'late');
        return (
          <li key={kind} className="bg-surface">
            <Link
              to="/deliveries"
              search={{ since: figures.from, ...(isStatus(kind) ? { status: kind } : { late: 'true' }) }}
              className="block h-full px-5 py-3 no-underline -outline-offset-2 hover:bg-hover"
            >
              <span className={`block text-xl font-semibold tabular-nums ${isWrong ? 'text-danger' : ''}`}>
                {number(count)}
              </span>
              <span className="block text-[13px] text-ink-muted">{t(`deliveries.${kind}`)}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

/** A short range must not hide what failed before it. */
function OlderFailures({ count }: { count: number }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  if (count === 0) return null;
  return (
    <p className="border-b border-line px-5 py-2 text-[13px]">
      <TextLink to="/deliveries" search={{ status: 'failed' }}>
        {t('deliveries.older_failed', { count, number: number(count) })}
      </TextLink>
    </p>
  );
}
