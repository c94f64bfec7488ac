import { Sparkles } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useActions } from '../../queries/action-queries.ts';
import type { IntegrationProps } from './integration-props.ts';
import { readLeftOut } from './left-out-lists.ts';
import { useProposals } from './set-up.api.ts';
import { suggestedLists } from './set-up.logic.ts';

function useHasActions(id: string): boolean | null {
  const { data } = useActions();
  return data ? data.some(({ integration_id }) => integration_id === id) : null;
}

/** The first thing after connecting: without actions nothing is sent. It reads the tool, which has to let us in. */
export function NextStep({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const canEdit = usePermission('editor');
  const hasActions = useHasActions(integration.id);
  const tool = connector.name;
  if (!canEdit || hasActions !== false || integration.status !== 'connected') return null;
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
        <div className="flex min-w-0 flex-1 basis-72 gap-4">
          <span
            aria-hidden
            className="flex size-10 shrink-0 items-center justify-center rounded-lg bg-accent-soft text-accent"
          >
            <Sparkles size={20} />
          </span>
          <div className="min-w-0">
            <h2 className="font-semibold">{t('setup.next.title', { tool })}</h2>
            <p className="mt-0.5 text-pretty text-ink-muted">{t('setup.next.text', { tool })}</p>
          </div>
        </div>
        <LinkButton to="/integrations/$id/set-up" params={{ id: integration.id }} variant="primary">
          {t('setup.next.open')}
        </LinkButton>
      </div>
    </Card>
  );
}

/** Below the actions: what the tool has, and nothing is sent to. It waits for the tool, and for nothing else. */
export function MoreToSetUp({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const canEdit = usePermission('editor');
  const hasActions = useHasActions(integration.id);
  const isWanted = hasActions === true && canEdit && integration.status === 'connected';
  const { data } = useProposals(integration.id, { isWanted });
  const count = isWanted && data ? suggestedLists(data, readLeftOut(integration.id)) : 0;
  if (count === 0) return null;
  return (
    <p className="text-[13px] text-pretty text-ink-muted">
      {t('setup.next.more', { tool: connector.name, count })}{' '}
      <TextLink to="/integrations/$id/set-up" params={{ id: integration.id }}>
        {t('setup.next.review')}
      </TextLink>
    </p>
  );
}
