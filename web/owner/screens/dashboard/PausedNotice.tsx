import { useTranslation } from 'react-i18next';
import { Notice } from '#web/ui/Notice.tsx';

/** Says that the workers are paused, because this is a restored copy. */
export function PausedNotice() {
  const { t } = useTranslation('deliveries');
  return (
    <div role="status">
      <Notice tone="warning">
        <p className="font-medium">{t('paused.title')}</p>
        <p className="mt-1 text-pretty">{t('paused.text')}</p>
      </Notice>
    </div>
  );
}
