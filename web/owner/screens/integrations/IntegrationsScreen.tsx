import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { useSite } from '../../site/current-site.tsx';
import { AbilitiesDialog } from './AbilitiesDialog.tsx';
import { ConnectDialog } from './ConnectDialog.tsx';
import { ConnectorGallery } from './ConnectorGallery.tsx';
import { IntegrationCard } from './IntegrationCard.tsx';
import { useNamedTools } from './integrations.api.ts';
import { useConnectors, useIntegrations } from '../../queries/integration-queries.ts';
import { IntegrationsScene } from '../../components/scenes/scenes.tsx';

export { prefetchIntegrations as prefetch } from './integrations.api.ts';

type Open = { kind: 'connect' | 'abilities'; connector: ConnectorInfo } | null;

export function IntegrationsScreen() {
  const { t } = useTranslation('integrations');
  const { site_id } = useSite();
  return (
    <>
      <PageHeader title={t('title')} description={t('subtitle')} />
      <ReadOnlyNotice needs="admin" />
      <Integrations key={site_id} />
    </>
  );
}

function Integrations() {
  const { t } = useTranslation('integrations');
  const integrations = useIntegrations();
  const connectors = useConnectors();
  const named = useNamedTools();
  const canConnect = usePermission('admin');
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);

  if (integrations.isPending || connectors.isPending || named.isPending)
    return <Skeleton shape="cards" count={6} />;
  if (integrations.isLoadingError) {
    return <ErrorState error={integrations.error} onRetry={() => void integrations.refetch()} />;
  }
  if (connectors.isLoadingError) {
    return <ErrorState error={connectors.error} onRetry={() => void connectors.refetch()} />;
  }
  const connected = new Set(integrations.data.map(({ provider }) => provider));
  return (
    <div className="flex flex-col gap-10">
      <section aria-labelledby="connected-tools">
        <h2 id="connected-tools" className="mb-3 text-base font-semibold">
          {t('connected.title')}
        </h2>
        <Connected integrations={integrations.data} connectors={connectors.data} />
      </section>
      {canConnect && (
        <ConnectorGallery
          connectors={connectors.data}
          connected={connected}
          named={named.data ?? []}
          onConnect={(connector) => setOpen({ kind: 'connect', connector })}
          onAbilities={(connector) => setOpen({ kind: 'abilities', connector })}
        />
      )}
      {open?.kind === 'connect' && <ConnectDialog connector={open.connector} onClose={close} />}
      {open?.kind === 'abilities' && (
        <AbilitiesDialog
          connector={open.connector}
          onClose={close}
          onConnect={() => setOpen({ kind: 'connect', connector: open.connector })}
        />
      )}
    </div>
  );
}

interface ConnectedProps {
  integrations: readonly Integration[];
  connectors: readonly ConnectorInfo[];
}

function Connected({ integrations, connectors }: ConnectedProps) {
  const { t } = useTranslation('integrations');
  const canConnect = usePermission('admin');
  if (integrations.length === 0) {
    return (
      <EmptyState
        art={<IntegrationsScene />}
        title={t('empty.title')}
        text={t(canConnect ? 'empty.text' : 'empty.text_ask')}
        example={t('empty.example')}
      />
    );
  }
  return (
    <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      {integrations.map((integration) => (
        <IntegrationCard
          key={integration.id}
          integration={integration}
          connector={connectors.find(({ id }) => id === integration.provider)}
        />
      ))}
    </ul>
  );
}
