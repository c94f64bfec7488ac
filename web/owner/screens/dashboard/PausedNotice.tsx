import { useTranslation } from 'react-i18next';
import { Notice } from '#web/ui/Notice.tsx';

/** Says that the workers are paused, because this is a restored copy. */
export function PausedNotice() {
  const { t } = useTranslation('figures');
  return (
    <div role="status">
      <Notice tone="warning">
        <p className="font-medium">{t('paused')}</p>
        <p className="mt-1 text-pretty">{t('paused_text')}</p>
      </Notice>
    </div>
  );
}
