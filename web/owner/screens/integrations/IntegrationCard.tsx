import { useTranslation } from 'react-i18next';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ToolMark } from '../../components/ToolMark.tsx';
import { StandingBadge, StandingNotice } from './StandingBadge.tsx';

interface IntegrationCardProps {
  integration: Integration;
  /** Missing for a tool that this version no longer knows. */
  connector: ConnectorInfo | undefined;
}

export function IntegrationCard({ integration, connector }: IntegrationCardProps) {
  const { t } = useTranslation('integrations');
  const { id, name, account_name, provider } = integration;
  const canEdit = usePermission('editor');
  const tool = connector?.name ?? provider;
  return (
    <li className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-5">
      <div className="flex min-w-0 items-start gap-3">
        <ToolMark name={tool} logo={connector?.logo ?? null} />
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold wrap-anywhere">{name}</h3>
          <p className="text-[13px] wrap-anywhere text-ink-muted">
            {name === tool ? account_name : `${tool}\u00a0· ${account_name}`}
          </p>
        </div>
      </div>
      <StandingNotice integration={integration} connector={connector} />
      <div className="mt-auto flex flex-wrap items-center justify-between gap-2">
        <StandingBadge integration={integration} />
        <LinkButton
          to="/integrations/$id"
          params={{ id }}
          size="sm"
          aria-label={t(canEdit ? 'card.open_of' : 'card.view_of', { name })}
        >
          {t(canEdit ? 'card.open' : 'card.view')}
        </LinkButton>
      </div>
    </li>
  );
}
