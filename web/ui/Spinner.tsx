import { LoaderCircle } from 'lucide-react';
import { ProgressBar } from 'react-aria-components';
import { useTranslation } from 'react-i18next';

export function Spinner({ label, size = 16 }: { label?: string; size?: number }) {
  const { t } = useTranslation('ui');
  return (
    <ProgressBar isIndeterminate aria-label={label ?? t('loading')} className="inline-flex">
      <LoaderCircle size={size} className="animate-spin" aria-hidden />
    </ProgressBar>
  );
}
