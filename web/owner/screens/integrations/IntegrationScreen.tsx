import { useNavigate } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import { Card } from '#web/ui/Card.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { Tabs } from '#web/ui/Tabs.tsx';
import { useNow } from '../../components/RelativeTime.tsx';
import { BackLink } from '../../components/BackLink.tsx';
import { Abilities } from './Abilities.tsx';
import { ActionsCard } from './ActionsCard.tsx';
import { ReconciliationCard } from './ReconciliationCard.tsx';
import { ConnectionCard } from './ConnectionCard.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { isSent, standingOf } from './integrations.logic.ts';
import { InboundCard } from './InboundCard.tsx';
import { IdentifiersCard } from './IdentifiersCard.tsx';
import { LinkFieldCard } from './LinkFieldCard.tsx';
import { LinksCard } from './LinksCard.tsx';
import { LoadedIntegration, useIntegrationProps } from './LoadedIntegration.tsx';
import { NextStep } from './NextStep.tsx';
import { SettingsCard } from './SettingsCard.tsx';
import { TAB_IDS, type TabId } from './tabs.ts';
import { WebhookCard } from './WebhookCard.tsx';

export { prefetchIntegration as prefetch } from './integrations.api.ts';

export function IntegrationScreen({ id, tab }: { id: string; tab: TabId }) {
  const { t } = useTranslation('integrations');
  const { integration, connector } = useIntegrationProps(id);
  return (
    <>
      <PageHeader
        title={integration?.name ?? t('detail.title')}
        {...(connector && integration ? { description: accountOf(integration, connector) } : {})}
        back={<BackLink to="/integrations">{t('detail.back')}</BackLink>}
      />
      <LoadedIntegration id={id} panels={4}>
        {(props) => <Ready {...props} tab={tab} />}
      </LoadedIntegration>
    </>
  );
}

/** Avoids repeating the tool's name. */
function accountOf({ name, account_name }: Integration, connector: ConnectorInfo): string {
  return name === connector.name ? account_name : `${connector.name}\u00a0· ${account_name}`;
}

function Ready({ tab, ...props }: IntegrationProps & { tab: TabId }) {
  const { t } = useTranslation('integrations');
  const navigate = useNavigate();
  const { id } = props.integration;
  const Content = CONTENTS[tab];
  return (
    <div className="max-w-4xl">
      <Tabs
        label={t('tabs.label')}
        tabs={TAB_IDS.map((one) => ({ id: one, label: t(`tabs.${one}`) }))}
        selected={tab}
        onSelect={(one) =>
          void navigate({
            to: '/integrations/$id',
            params: { id },
            search: one === 'overview' ? {} : { tab: one },
            replace: true,
            resetScroll: false,
          })
        }
      >
        <Content {...props} />
      </Tabs>
    </div>
  );
}

const CONTENTS: Record<TabId, ComponentType<IntegrationProps>> = {
  overview: Overview,
  links: LinksCard,
  comparison: ReconciliationCard,
  settings: SettingsCard,
  technical: Technical,
};

/** Whether it works, what to do next, and what is sent and received. What is broken comes first. */
function Overview(props: IntegrationProps) {
  const isWell = isSent(standingOf(props.integration, useNow()));
  return (
    <>
      {isWell && <NextStep {...props} />}
      <ConnectionCard {...props} />
      {!isWell && <NextStep {...props} />}
      <ActionsCard {...props} />
      <InboundCard {...props} />
    </>
  );
}

/** What is set up once, often by somebody else. */
function Technical(props: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const { integration, connector } = props;
  return (
    <>
      {integration.webhook_url !== null && <WebhookCard {...props} url={integration.webhook_url} />}
      <LinkFieldCard {...props} />
      <IdentifiersCard {...props} />
      <Card title={t('abilities.title', { tool: connector.name })}>
        <Abilities connector={connector} />
      </Card>
    </>
  );
}
