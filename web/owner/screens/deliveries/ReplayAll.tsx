import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useActions } from '../../queries/action-queries.ts';
import { type DeliveryFilter, type ReplayProgress, useReplayAll } from './deliveries.api.ts';

/** Replays every failed delivery of the filter, and shows the progress. */
export function ReplayAll({ filter }: { filter: DeliveryFilter }) {
  const { t } = useTranslation('deliveries');
  const [isOpen, setIsOpen] = useState(false);
  const [progress, setProgress] = useState<ReplayProgress | null>(null);
  const { action_id, customer_id } = filter;
  const replayAll = useReplayAll({ action_id, customer_id });
  const actionName = useActions().data?.find((action) => action.id === action_id)?.name;

  async function run() {
    setProgress(null);
    const count = await replayAll(setProgress);
    toast(count === 0 ? t('replay.none') : t('replay.done', { count }));
  }

  return (
    <>
      <Button
        icon={<RotateCw />}
        onPress={() => {
          setProgress(null);
          setIsOpen(true);
        }}
      >
        {t('replay.all')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setIsOpen}
        variant="primary"
        title={t('replay.all_title')}
        description={
          <>
            {actionName !== undefined && <>{t('replay.all_of', { name: actionName })} </>}
            {t('replay.all_text')}
            <span role="status" className="mt-2 block font-medium text-ink empty:hidden">
              {progress && t('replay.progress', { ...progress })}
            </span>
          </>
        }
        confirmLabel={t('replay.one')}
        onConfirm={run}
      />
    </>
  );
}
