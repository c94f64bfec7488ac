import { useNavigate, useSearch } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../account/permissions.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { ExactTime } from '../../components/RelativeTime.tsx';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { ConnectDialog } from './ConnectDialog.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { useVerify } from './integrations.api.ts';
import { secretOf } from './integrations.logic.ts';
import { StandingBadge, StandingNotice } from './StandingBadge.tsx';
import { ToolError } from '../../components/ToolError.tsx';

/** Two integrations of one account tell it everything twice. */
function SameAccount({ integration: { same_account_as: ids } }: Pick<IntegrationProps, 'integration'>) {
  const { t } = useTranslation('integrations');
  const format = listFormat(useLanguage());
  const integrations = useIntegrations().data ?? [];
  const names = integrations.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  if (names.length === 0) return null;
  return <Notice tone="warning">{t('notice.same_account', { names: format.format(names) })}</Notice>;
}

/** Whether the tool can be reached. */
export function ConnectionCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const verify = useVerify(integration.id);
  const { connect = false } = useSearch({ from: '/shell/integrations/$id' });
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(connect);
  const canVerify = usePermission('editor');
  const canChange = usePermission('admin');
  const tool = connector.name;
  const secret = secretOf(integration.connected_by, connector);
  const isStopped = integration.status !== 'connected';

  function close() {
    setIsOpen(false);
    if (connect) {
      const params = { id: integration.id };
      void navigate({ to: '/integrations/$id', params, replace: true, resetScroll: false });
    }
  }

  async function verifyNow() {
    const seen = await verify.mutateAsync().catch(() => null);
    if (seen?.status === 'connected') toast(t(`secret.${secret}.accepted`, { tool }));
  }

  return (
    <Card
      title={t('detail.connection')}
      action={
        canVerify && (
          <Button icon={<RotateCw />} isPending={verify.isPending} onPress={() => void verifyNow()}>
            {t('detail.verify')}
          </Button>
        )
      }
      footer={
        canChange &&
        isStopped && (
          <Button variant="primary" onPress={() => setIsOpen(true)}>
            {integration.connected_by === 'oauth'
              ? t('detail.log_in_again', { tool })
              : t(`secret.${secret}.enter_new`)}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <StandingNotice integration={integration} connector={connector} />
        <SameAccount integration={integration} />
        <Facts>
          <Fact name={t('detail.status')}>
            <span role="status">
              <StandingBadge integration={integration} />
            </span>
          </Fact>
          <Fact name={t('detail.account')}>{integration.account_name}</Fact>
          <Fact name={t('detail.connected_at')}>
            <ExactTime at={integration.created_at} />
          </Fact>
        </Facts>
        <ToolError error={verify.error} tool={tool} />
      </div>
      {isOpen && canChange && isStopped && (
        <ConnectDialog connector={connector} integration={integration} onClose={close} />
      )}
    </Card>
  );
}
