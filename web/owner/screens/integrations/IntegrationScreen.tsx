import { ArrowLeft, SearchX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import { Card } from '#web/ui/Card.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { Abilities } from './Abilities.tsx';
import { ActionsCard } from './ActionsCard.tsx';
import { ReconciliationCard } from './ReconciliationCard.tsx';
import { ConnectionCard } from './ConnectionCard.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { InboundCard } from './InboundCard.tsx';
import { useIntegration } from './integrations.api.ts';
import { useConnectors } from '../../queries/integration-queries.ts';
import { LinksCard } from './LinksCard.tsx';
import { WebhookCard } from './WebhookCard.tsx';

export { prefetchIntegration as prefetch } from './integrations.api.ts';

export function IntegrationScreen({ id }: { id: string }) {
  const { t } = useTranslation('integrations');
  const integration = useIntegration(id);
  const connectors = useConnectors();
  const connector = connectors.data?.find((one) => one.id === integration.data?.provider);
  return (
    <>
      <PageHeader
        title={integration.data?.name ?? t('detail.title')}
        {...(connector && integration.data ? { description: accountOf(integration.data, connector) } : {})}
        back={<BackLink to="/integrations">{t('detail.back')}</BackLink>}
      />
      <Details integration={integration} connectors={connectors} />
    </>
  );
}

/** Avoids repeating the tool's name. */
function accountOf({ name, account_name }: Integration, connector: ConnectorInfo): string {
  return name === connector.name ? account_name : `${connector.name} · ${account_name}`;
}

interface DetailsProps {
  integration: ReturnType<typeof useIntegration>;
  connectors: ReturnType<typeof useConnectors>;
}

function Details({ integration, connectors }: DetailsProps) {
  if (isGone(integration.error)) return <Gone />;
  const failed = [integration, connectors].find((query) => query.isLoadingError);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (integration.isPending || connectors.isPending) {
    return (
      <div className="max-w-4xl">
        <Skeleton shape="panels" count={4} />
      </div>
    );
  }
  const connector = connectors.data?.find((one) => one.id === integration.data?.provider);
  if (!integration.data || !connector) return <Gone />;
  return <Ready integration={integration.data} connector={connector} />;
}

function Ready(props: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const { integration, connector } = props;
  const tool = connector.name;
  return (
    <div className="flex max-w-4xl flex-col gap-6">
      <ConnectionCard {...props} />
      <ActionsCard {...props} />
      {integration.webhook_url !== null && <WebhookCard {...props} url={integration.webhook_url} />}
      <InboundCard {...props} />
      <ReconciliationCard {...props} />
      <LinksCard {...props} />
      <Card title={t('abilities.title', { tool })}>
        <Abilities connector={connector} />
      </Card>
    </div>
  );
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function Gone() {
  const { t } = useTranslation('integrations');
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('detail.gone')}
      text={t('detail.gone_text')}
      action={
        <LinkButton to="/integrations" icon={<ArrowLeft />}>
          {t('detail.to_all')}
        </LinkButton>
      }
    />
  );
}
