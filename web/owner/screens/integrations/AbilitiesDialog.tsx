import { useTranslation } from 'react-i18next';
import type { ConnectorInfo } from '#contract/integrations.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { usePermission } from '../../account/permissions.ts';
import { Abilities } from './Abilities.tsx';

interface AbilitiesDialogProps {
  connector: ConnectorInfo;
  onClose: () => void;
  onConnect: () => void;
}

export function AbilitiesDialog({ connector, onClose, onConnect }: AbilitiesDialogProps) {
  const { t } = useTranslation(['integrations', 'ui']);
  const tool = connector.name;
  const canConnect = usePermission('admin');
  return (
    <Dialog
      isOpen
      size="md"
      onOpenChange={onClose}
      title={t('abilities.title', { tool })}
      description={t(`abilities.tells.${connector.tells_us}`, { tool })}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:close')}</Button>
          {canConnect && (
            <Button variant="primary" onPress={onConnect}>
              {t('gallery.connect_of', { tool })}
            </Button>
          )}
        </>
      }
    >
      {/* Reached by keyboard, for on a phone there is more to it than fits. */}
      <div role="region" aria-label={t('abilities.title', { tool })} tabIndex={0}>
        <Abilities connector={connector} />
      </div>
    </Dialog>
  );
}
