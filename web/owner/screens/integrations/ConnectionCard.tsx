import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../account/permissions.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { ExactTime } from '../../components/RelativeTime.tsx';
import { ConnectDialog } from './ConnectDialog.tsx';
import { DisconnectDialog } from './DisconnectDialog.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { useVerify } from './integrations.api.ts';
import { RenameDialog } from './RenameDialog.tsx';
import { StandingBadge, StandingNotice } from './StandingBadge.tsx';
import { ToolError } from '../../components/ToolError.tsx';

type Open = 'rename' | 'connect' | 'disconnect' | null;

export function ConnectionCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const verify = useVerify(integration.id);
  const [open, setOpen] = useState<Open>(null);
  const canVerify = usePermission('editor');
  const canChange = usePermission('admin');
  const close = () => setOpen(null);
  const tool = connector.name;

  async function verifyNow() {
    const seen = await verify.mutateAsync().catch(() => null);
    if (seen?.status === 'connected') toast(t('detail.verified', { tool }));
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
        canChange && (
          <div className="grid w-full grid-cols-2 gap-2 sm:flex">
            <div className="order-last col-span-2 grid sm:order-none sm:mr-auto">
              <Button variant="ghost" onPress={() => setOpen('disconnect')}>
                {t('detail.disconnect')}
              </Button>
            </div>
            <Button onPress={() => setOpen('rename')}>{t('detail.rename')}</Button>
            <Button
              variant={integration.status === 'connected' ? 'secondary' : 'primary'}
              onPress={() => setOpen('connect')}
            >
              {t('detail.reconnect')}
            </Button>
          </div>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <StandingNotice integration={integration} tool={connector.name} />
        <Facts>
          <Fact name={t('detail.status')}>
            <span role="status">
              <StandingBadge integration={integration} />
            </span>
          </Fact>
          <Fact name={t('detail.account')}>{integration.account_name}</Fact>
          <Fact name={t('detail.connected_by')}>{t(`detail.by.${integration.connected_by}`)}</Fact>
          <Fact name={t('detail.connected_at')}>
            <ExactTime at={integration.created_at} />
          </Fact>
        </Facts>
        <ToolError error={verify.error} tool={tool} />
      </div>
      {open === 'rename' && <RenameDialog integration={integration} onClose={close} />}
      {open === 'connect' && (
        <ConnectDialog connector={connector} integration={integration} onClose={close} />
      )}
      {open === 'disconnect' && <DisconnectDialog integration={integration} tool={tool} onClose={close} />}
    </Card>
  );
}
