import { Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#web/ui/Badge.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useActions } from '../../queries/action-queries.ts';
import { ActionSentence } from '../actions/ActionSentence.tsx';
import { useLists } from '../../queries/list-queries.ts';
import type { IntegrationProps } from './integration-props.ts';
import { MoreToSetUp } from './NextStep.tsx';

/** The actions that sync choices to this tool; without one, nothing is synced. */
export function ActionsCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const canEdit = usePermission('editor');
  return (
    <Card
      title={t('rules.title', { tool: connector.name })}
      description={t('rules.text')}
      action={
        canEdit && (
          <LinkButton to="/actions" search={{ edit: 'new', tool: integration.id }} icon={<Plus />}>
            {t('rules.add')}
          </LinkButton>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Rules id={integration.id} tool={connector.name} />
        <DeliveriesLink integration={integration} connector={connector} />
        <MoreToSetUp integration={integration} connector={connector} />
      </div>
    </Card>
  );
}

/** To what these actions sent. */
function DeliveriesLink({ integration: { id }, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const actions = useActions().data ?? [];
  if (!actions.some(({ integration_id }) => integration_id === id)) return null;
  return (
    <p>
      <TextLink to="/deliveries" search={{ integration_id: id }}>
        {t('rules.deliveries', { tool: connector.name })}
      </TextLink>
    </p>
  );
}

function Rules({ id, tool }: { id: string; tool: string }) {
  const { t } = useTranslation('integrations');
  const canEdit = usePermission('editor');
  const actions = useActions();
  const lists = useLists();
  if (actions.isPending || lists.isPending) return <Skeleton count={1} />;
  if (actions.isLoadingError) {
    return <ErrorState error={actions.error} onRetry={() => void actions.refetch()} />;
  }
  const rules = actions.data.filter(({ integration_id }) => integration_id === id);
  if (rules.length === 0) return <p className="text-ink-muted">{t('rules.none', { tool })}</p>;
  return (
    <ul className="flex flex-col gap-3">
      {rules.map((action) => (
        <li key={action.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="min-w-0 flex-1 basis-60 text-pretty">
            <ActionSentence action={action} lists={lists.data ?? []} />
          </span>
          {!action.enabled && <Badge>{t('rules.off')}</Badge>}
          <TextLink
            to="/actions"
            {...(canEdit ? { search: { edit: action.id } } : { hash: action.id })}
            aria-label={`${t('rules.open')}: ${action.name}`}
          >
            {t('rules.open')}
          </TextLink>
        </li>
      ))}
    </ul>
  );
}
