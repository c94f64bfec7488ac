import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useSite } from '../../site/current-site.tsx';
import { actionsQuery } from '../../queries/action-queries.ts';
import type { IntegrationProps } from './integration-props.ts';
import { useDisconnect } from './integrations.api.ts';
import { secretOf } from './integrations.logic.ts';
import { hasErrorCode } from '../../api/error-codes.ts';

interface DisconnectDialogProps extends IntegrationProps {
  onClose: () => void;
}

/** Asks for confirmation, and lists the actions that still use the tool. */
export function DisconnectDialog({ integration, connector, onClose }: DisconnectDialogProps) {
  const { t } = useTranslation('integrations');
  const navigate = useNavigate();
  const disconnect = useDisconnect(integration.id);
  // Refetched, because somebody may have created one.
  const { data: actions = [] } = useQuery({ ...actionsQuery(useSite()), staleTime: 0 });
  const [isRefused, setIsRefused] = useState(false);
  const users = actions.filter(({ integration_id }) => integration_id === integration.id);
  const { name } = integration;

  if (isRefused || users.length > 0) {
    return <InUseDialog name={name} actions={users.map((action) => action.name)} onClose={onClose} />;
  }
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={onClose}
      title={t('disconnect.title', { name })}
      description={t(`secret.${secretOf(integration.connected_by, connector)}.deleted`, {
        tool: connector.name,
      })}
      confirmLabel={t('detail.disconnect')}
      typedConfirmation={name}
      onConfirm={async () => {
        try {
          await disconnect.mutateAsync();
        } catch (error) {
          if (hasErrorCode(error, 'conflict')) setIsRefused(true);
          throw error;
        }
        toast(t('disconnect.done', { name }));
        await navigate({ to: '/integrations' });
      }}
    />
  );
}

interface InUseDialogProps {
  name: string;
  actions: readonly string[];
  onClose: () => void;
}

function InUseDialog({ name, actions, onClose }: InUseDialogProps) {
  const { t } = useTranslation(['integrations', 'ui']);
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('disconnect.used', { name })}
      description={t('disconnect.used_text')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:close')}</Button>
          <LinkButton to="/actions" variant="primary">
            {t('disconnect.to_actions')}
          </LinkButton>
        </>
      }
    >
      {actions.length > 0 && (
        <ul className="list-disc pl-5">
          {actions.map((action, index) => (
            <li key={index} className="wrap-anywhere">
              {action}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
