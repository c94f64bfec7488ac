import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ReadOnlyNotice } from '../../components/ReadOnlyNotice.tsx';
import { ConnectDialog } from './ConnectDialog.tsx';
import { DisconnectDialog } from './DisconnectDialog.tsx';
import type { IntegrationProps } from './integration-props.ts';
import { secretOf } from './integrations.logic.ts';
import { RenameDialog } from './RenameDialog.tsx';

type Open = 'rename' | 'connect' | 'disconnect' | null;

/** Its name, its credentials, and its end. */
export function SettingsCard({ integration, connector }: IntegrationProps) {
  const { t } = useTranslation('integrations');
  const [open, setOpen] = useState<Open>(null);
  const canChange = usePermission('admin');
  const close = () => setOpen(null);
  const tool = connector.name;
  const secret = secretOf(integration.connected_by, connector);
  const button = (what: Exclude<Open, null>, label: string) =>
    canChange && <Button onPress={() => setOpen(what)}>{label}</Button>;
  return (
    <div>
      <ReadOnlyNotice needs="admin" />
      <Card>
        <ul className="flex flex-col divide-y divide-line">
          <Setting
            name={t('field.name')}
            help={t('field.name_help')}
            action={button('rename', t('detail.rename'))}
          >
            {integration.name}
          </Setting>
          <Setting
            name={t(`secret.${secret}.label`)}
            help={t(`secret.${secret}.stored`, { tool })}
            action={button('connect', t(`secret.${secret}.enter_new`))}
          >
            {integration.connected_by === 'oauth'
              ? t('detail.by_login', { tool })
              : t(`secret.${secret}.by_team`)}
          </Setting>
          {canChange && (
            <Setting
              name={t('settings.disconnect')}
              help={t('settings.disconnect_text', { tool })}
              action={button('disconnect', t('detail.disconnect'))}
            />
          )}
        </ul>
      </Card>
      {open === 'rename' && <RenameDialog integration={integration} onClose={close} />}
      {open === 'connect' && (
        <ConnectDialog connector={connector} integration={integration} onClose={close} />
      )}
      {open === 'disconnect' && (
        <DisconnectDialog integration={integration} connector={connector} onClose={close} />
      )}
    </div>
  );
}

interface SettingProps {
  name: string;
  help: string;
  action: ReactNode;
  children?: ReactNode;
}

function Setting({ name, help, action, children }: SettingProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-4 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-60">
        <h2 className="font-medium">{name}</h2>
        {children !== undefined && <p className="wrap-anywhere">{children}</p>}
        <p className="text-[13px] text-pretty text-ink-muted">{help}</p>
      </div>
      {action}
    </li>
  );
}
