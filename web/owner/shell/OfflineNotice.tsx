import { CloudOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useIsOffline } from '../api/reachability.ts';

/** Says that the server cannot be reached, until it can. */
export function OfflineNotice() {
  const { t } = useTranslation('shell');
  const isAway = useIsOffline();
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 top-16 z-60 flex justify-center empty:hidden"
    >
      {isAway && (
        <p className="flex animate-fade items-center gap-2 rounded-lg border border-line bg-raised px-3 py-2 text-[13px] shadow-lift">
          <CloudOff size={16} aria-hidden className="shrink-0 text-warning" />
          {t('away')}
        </p>
      )}
    </div>
  );
}
