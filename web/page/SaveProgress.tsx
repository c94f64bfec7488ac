import { useEffect, useState } from 'react';
import type { ProgressState } from '#contract/public-preferences.ts';
import { usePage } from './page-context.tsx';
import type { ViewCustomer } from './view.ts';

/** The pauses between the questions, while the page is visible: half a minute in all. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 15_000];

type Props = {
  customer: ViewCustomer;
  /** False while the message about the save itself is shown. */
  isShown: boolean;
};

/** After a save, whether the email systems have confirmed it. */
export function SaveProgress({ customer, isShown }: Props) {
  const { t } = usePage();
  const state = useProgress(customer);
  return (
    <p className="pp-progress" role="status">
      {isShown && state !== 'none' && ` ${t(`progress.${state}`)}`}
    </p>
  );
}

/** `none` until the server has said something else. */
function useProgress(customer: ViewCustomer): ProgressState {
  const { service } = usePage();
  const [state, setState] = useState<ProgressState>('none');

  useEffect(() => {
    const leaving = new AbortController();
    async function ask() {
      for (const pause of PAUSES_MS) {
        await service.seen(leaving.signal, pause);
        const now = await service.progress(customer);
        if (leaving.signal.aborted) return;
        setState(now);
        if (now !== 'waiting' && now !== 'delayed') return;
      }
    }
    // Nothing is known then, and the save itself was told.
    ask().catch(() => {});
    return () => leaving.abort();
    // Once for each save.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  return state;
}
