import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PageDraft } from '#contract/page-drafts.ts';
import { Button } from '#web/ui/Button.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { readAuth } from '../../session/session.ts';
import { useTimeText } from './use-draft-status.ts';

interface DraftNoticeProps {
  draft: PageDraft | null;
  isNew: boolean;
  /** It came from this browser. */
  isRestored: boolean;
  onStartAnew: () => void;
}

/** Says whose draft the editor opened, where visitors do not see it yet. */
export function DraftNotice({ draft, isNew, isRestored, onStartAnew }: DraftNoticeProps) {
  const { t } = useTranslation('editor');
  const timeText = useTimeText();
  const [isGone, setIsGone] = useState(false);
  if (isGone) return null;
  if (isRestored) {
    return (
      <Notice>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <span className="min-w-0 flex-1 basis-60">
            {t(isNew ? 'draft.restored_new' : 'draft.restored')}
          </span>
          {isNew && (
            <Button
              size="sm"
              onPress={() => {
                setIsGone(true);
                onStartAnew();
              }}
            >
              {t('draft.start_anew')}
            </Button>
          )}
        </div>
      </Notice>
    );
  }
  if (draft === null || draft.saved_by?.id === readAuth()?.id) return null;
  const name = draft.saved_by?.name ?? t('somebody');
  return <Notice>{t('draft.theirs', { name, time: timeText(draft.saved_at) })}</Notice>;
}
