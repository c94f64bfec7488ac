import { useTranslation } from 'react-i18next';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useDeliveriesOf } from './deliveries.api.ts';
import { Outcome } from './Outcome.tsx';

/** A choice's deliveries and their outcomes; renders nothing where no action matched it. */
export function ChoiceDeliveries({ choiceId, title }: { choiceId: string; title: string }) {
  const { t } = useTranslation('deliveries');
  const query = useDeliveriesOf(choiceId);
  if (query.isPending) return <Skeleton shape="text" count={2} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const deliveries = query.data.results;
  if (deliveries.length === 0) return null;
  return (
    <section className="mb-4">
      <p className="mb-2 font-semibold">{title}</p>
      <ul aria-label={title} className="flex flex-col gap-3">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <Outcome delivery={delivery} />
            <span className="ml-6 block text-[13px] wrap-anywhere text-ink-muted">
              <TextLink to="/deliveries" search={{ delivery: delivery.id }}>
                {delivery.action_id === null
                  ? t('row.deleted_action', { name: delivery.action_name })
                  : delivery.action_name}
              </TextLink>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
