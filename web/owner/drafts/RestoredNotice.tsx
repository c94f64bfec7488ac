import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Notice } from '#web/ui/Notice.tsx';

/** Says that a form was restored from a draft, and offers to discard it. */
export function RestoredNotice({ isShown, onDiscard }: { isShown: boolean; onDiscard: () => void }) {
  const { t } = useTranslation('editing');
  return (
    <div role="status" className="empty:hidden">
      {isShown && (
        <Notice>
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <span className="min-w-0 flex-1 basis-60">{t('draft.restored')}</span>
            <Button size="sm" onPress={onDiscard}>
              {t('draft.discard')}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  );
}
