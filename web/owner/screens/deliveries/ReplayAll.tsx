import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { useActions } from '../../queries/action-queries.ts';
import { type DeliveryFilter, type ReplayProgress, useReplayAll, useReplayCount } from './deliveries.api.ts';

/** Replays every failed delivery of the filter, says how many there are, and shows the progress. */
export function ReplayAll({ filter, logReadAt }: { filter: DeliveryFilter; logReadAt: number }) {
  const { t } = useTranslation('deliveries');
  const number = useNumber();
  // What the dialog says stays as it was when it was opened, also while the log is refreshed.
  const [asked, setAsked] = useState<{ count: number; text: string } | null>(null);
  const [progress, setProgress] = useState<ReplayProgress | null>(null);
  const { status, test, ...replayFilter } = filter;
  const found = useReplayCount(replayFilter, logReadAt).data;
  const replayAll = useReplayAll(replayFilter);
  const actionName = useActions().data?.find((action) => action.id === filter.action_id)?.name;
  // No delivery of a test customer fails.
  const isOfOthers = (status !== undefined && status !== 'failed') || test === 'true';
  const count = found === undefined || isOfOthers ? 0 : found.count;
  const text = found?.has_more === true ? `${number(count)}+` : number(count);

  async function run() {
    setProgress(null);
    const done = await replayAll(setProgress);
    toast(done === 0 ? t('replay.none') : t('replay.done', { count: done }));
  }

  return (
    <>
      {count > 0 && (
        <Button
          icon={<RotateCw />}
          onPress={() => {
            setProgress(null);
            setAsked({ count, text });
          }}
        >
          {t('replay.all', { number: text })}
        </Button>
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        onOpenChange={(isOpen) => {
          if (!isOpen) setAsked(null);
        }}
        variant="primary"
        title={t('replay.all_title', { count: asked?.count ?? 0, number: asked?.text ?? '' })}
        description={
          <>
            {actionName !== undefined && <>{t('replay.all_of', { name: actionName })} </>}
            {t('replay.all_text')}
            <span role="status" className="mt-2 block font-medium text-ink empty:hidden">
              {progress && t('replay.progress', { ...progress })}
            </span>
          </>
        }
        confirmLabel={t('replay.all', { number: asked?.text ?? '' })}
        onConfirm={run}
      />
    </>
  );
}
