import { useTranslation } from 'react-i18next';
import { useErrorText } from '#web/ui/error-text.ts';
import { dateFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { readAuth } from '../../session/session.ts';
import type { DraftState } from './draft-sync.ts';

/** `12:04`, or with its day when that is another one. */
export function useTimeText(): (iso: string) => string {
  const language = useLanguage();
  return (iso) => {
    const at = new Date(iso);
    const isToday = at.toDateString() === new Date().toDateString();
    const style = isToday ? ({ timeStyle: 'short' } as const) : { dateStyle: 'medium', timeStyle: 'short' };
    return dateFormat(language, style as Intl.DateTimeFormatOptions).format(at);
  };
}

/** The draft's state in a few words. `isPassing`: too short-lived for screen readers to announce. */
export function useDraftStatus(
  state: DraftState,
  isDirty: boolean,
  isNew: boolean,
): { text: string; isPassing: boolean } {
  const { t } = useTranslation('editor');
  const errorText = useErrorText();
  const timeText = useTimeText();
  const lasting = (text: string) => ({ text, isPassing: false });
  switch (state.kind) {
    case 'none':
      return lasting(isNew || isDirty ? '' : t('status.published'));
    case 'kept':
      return lasting(t('status.kept'));
    case 'saving':
      return { text: t('status.saving'), isPassing: true };
    case 'saved': {
      const { saved_at, saved_by } = state.draft;
      const time = timeText(saved_at);
      const isMine = saved_by?.id === readAuth()?.id;
      const name = saved_by?.name ?? t('somebody');
      return lasting(isMine ? t('status.saved', { time }) : t('status.saved_by', { name, time }));
    }
    case 'away':
      return lasting(t('status.away'));
    case 'refused':
      return lasting(t('status.refused', { reason: errorText(state.error) }));
    case 'conflict':
      return lasting(t('status.conflict'));
  }
}
