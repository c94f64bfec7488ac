import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { useErrorText } from '#web/ui/error-text.ts';
import { toast } from '#web/ui/toast.tsx';
import { useNumber } from '../../i18n/use-number.ts';
import { useSite } from '../../site/current-site.tsx';
import { countReplayable, replayAll } from '../deliveries/deliveries.api.ts';

/** Says that a changed action was saved, and offers to send its waiting deliveries right away. */
export function useSavedToast(): (action: Action) => Promise<void> {
  const { t } = useTranslation(['actions', 'deliveries']);
  const errorText = useErrorText();
  const number = useNumber();
  const current = useSite();

  async function send(action: Action) {
    try {
      const done = await replayAll(current, { status: 'waiting', action_id: action.id });
      toast(done === 0 ? t('deliveries:replay.now_none') : t('deliveries:replay.now_done', { count: done }));
    } catch (error) {
      toast(errorText(error), { tone: 'error' });
    }
  }

  async function countWaiting(action: Action): Promise<{ count: number; text: string }> {
    // Test mode holds everything back, and an action that is off sends nothing.
    if (current.site.test_mode || !action.enabled) return { count: 0, text: '' };
    try {
      const filter = { status: 'waiting', action_id: action.id } as const;
      const { count, has_more: hasMore } = await countReplayable(current, filter);
      return { count, text: hasMore ? `${number(count)}+` : number(count) };
    } catch {
      // The action is saved all the same.
      return { count: 0, text: '' };
    }
  }

  return async (action) => {
    const { count, text } = await countWaiting(action);
    if (count === 0) toast(t('saved', { name: action.name }));
    else {
      const label = t('deliveries:replay.now', { number: text });
      toast(t('saved_waiting', { count, number: text, name: action.name }), {
        action: { label, onPress: () => void send(action) },
      });
    }
  };
}
