import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { useActions } from '../../queries/action-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import {
  type DeliveryFilter,
  type ReplayFilter,
  type ReplayProgress,
  replayAll,
  replayFilterOf,
  useReplayCount,
} from './deliveries.api.ts';

interface ReplayAllProps {
  filter: DeliveryFilter;
  logReadAt: number;
}

/** Sends the failed deliveries of the filter again; where it shows waiting ones, these now. */
export function ReplayAll({ filter, logReadAt }: ReplayAllProps) {
  const { test_mode: isHeld } = useSite().site;
  const replayFilter = replayFilterOf(filter);
  if (replayFilter === null || (replayFilter.status === 'waiting' && isHeld)) return null;
  return <Replay key={replayFilter.status} filter={replayFilter} logReadAt={logReadAt} />;
}

/** Says how many there are, and shows the progress. */
function Replay({ filter, logReadAt }: { filter: ReplayFilter; logReadAt: number }) {
  const { t } = useTranslation('deliveries');
  const number = useNumber();
  // What the dialog says stays as it was when it was opened, also while the log is refreshed.
  const [asked, setAsked] = useState<{ count: number; text: string } | null>(null);
  const [progress, setProgress] = useState<ReplayProgress | null>(null);
  const found = useReplayCount(filter, logReadAt).data;
  const site = useSite();
  const actionName = useActions().data?.find((action) => action.id === filter.action_id)?.name;
  const count = found?.count ?? 0;
  const text = found?.has_more === true ? `${number(count)}+` : number(count);
  const texts = TEXTS[filter.status];

  async function run() {
    setProgress(null);
    const done = await replayAll(site, filter, setProgress);
    toast(done === 0 ? t(texts.none) : t(texts.done, { count: done }));
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
          {t(texts.all, { number: text })}
        </Button>
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        onOpenChange={(isOpen) => {
          if (!isOpen) setAsked(null);
        }}
        variant="primary"
        title={t(texts.title, { count: asked?.count ?? 0, number: asked?.text ?? '' })}
        description={
          <>
            {actionName !== undefined && <>{t('replay.all_of', { name: actionName })} </>}
            {filter.status === 'waiting' && <>{t('replay.now_text')} </>}
            {t('replay.all_text')}
            <span role="status" className="mt-2 block font-medium text-ink empty:hidden">
              {progress && t('replay.progress', { ...progress })}
            </span>
          </>
        }
        confirmLabel={t(texts.all, { number: asked?.text ?? '' })}
        onConfirm={run}
      />
    </>
  );
}

const TEXTS = {
  failed: {
    all: 'replay.all',
    title: 'replay.all_title',
    done: 'replay.done',
    none: 'replay.none',
  },
  waiting: {
    all: 'replay.now',
    title: 'replay.now_title',
    done: 'replay.now_done',
    none: 'replay.now_none',
  },
} as const;
